//! The results of `cached_file_data`, which the compilations in an environment share.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use bunraku_host::FileInfo;
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::bug::{reading, writing};

/// What was made of files, by path, with the state of each file directly before it was read.
#[derive(Debug, Default)]
pub(crate) struct FileData(RwLock<FxHashMap<String, (FileInfo, Value)>>);

impl FileData {
    /// What was made of a file, if the file is as it was then.
    pub fn known(&self, path: &str, info: FileInfo) -> Option<Value> {
        let files = reading(&self.0);
        files.get(path).filter(|(known, _)| *known == info).map(|(_, data)| data.clone())
    }

    /// Keeps what was made of a file, unless it can refer to the compilation.
    pub fn keep(&self, path: &str, info: FileInfo, data: &Value) {
        if is_independent(data) {
            writing(&self.0).insert(path.to_owned(), (info, data.clone()));
        }
    }
}

/// Whether a value means the same in each compilation: it contains no types, objects and iterators, and no
/// values of another runtime.
fn is_independent(data: &Value) -> bool {
    let mut waiting = vec![data];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(values) => waiting.extend(values.iter()),
            Value::Hash(hash) => waiting.extend(hash.iter().flat_map(|(key, value)| [key, value])),
            Value::Sensitive(secret) => waiting.push(secret),
            Value::Type(_) | Value::Object(_) | Value::Iterator(_) | Value::Runtime(_) => return false,
            _ => (),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::value::{RuntimeValue, Timestamp};

    #[test]
    fn data_is_known_while_its_file_is_the_same() {
        let files = FileData::default();
        let modified = Timestamp { seconds: 10, nanoseconds: 5 };
        let info = FileInfo { is_directory: false, size: 3, modified, inode: 7 };
        files.keep("/f", info, &Value::from("a"));
        assert_eq!(files.known("/f", info), Some(Value::from("a")));
        assert_eq!(files.known("/g", info), None);
        let later = Timestamp { seconds: 11, ..modified };
        for other in [
            FileInfo { size: 4, ..info },
            FileInfo { modified: later, ..info },
            FileInfo { inode: 8, ..info },
        ] {
            assert_eq!(files.known("/f", other), None);
        }
    }

    #[test]
    fn what_can_refer_to_a_compilation_is_not_kept() {
        let symbol = Value::Runtime(RuntimeValue::symbol("s").into());
        assert!(!is_independent(&Value::array([Value::Undef, Value::sensitive(symbol.clone())])));
        assert!(!is_independent(&Value::hash([(symbol, Value::Integer(1))])));
        assert!(is_independent(&Value::hash([(Value::from("a"), Value::array([Value::Float(1.0)]))])));
    }
}
