//! The texts of files that a compilation has read, such as templates, which it may read again and again.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use bunraku_host::FileInfo;
use bunraku_pcore::value::Timestamp;

/// The texts of files, by path.
#[derive(Debug, Default)]
pub struct Texts(RefCell<FxHashMap<String, (FileInfo, Arc<str>)>>);

/// For how long a file must have been the same when it is read. One that has just changed may change again
/// within what the system's clock of files tells apart.
const SETTLED_MILLISECONDS: i128 = 100;
/// As [`SETTLED_MILLISECONDS`], where that clock has whole seconds.
const SETTLED_SECONDS: i128 = 2;

impl Texts {
    /// The text of a file that was read before, if the file is as it was then.
    pub fn known(&self, path: &str, info: FileInfo) -> Option<Arc<str>> {
        let texts = self.0.borrow();
        texts.get(path).filter(|(known, _)| *known == info).map(|(_, text)| Arc::clone(text))
    }

    /// Keeps the text of a file, as it was before it was read at a time of the host's clock.
    pub fn keep(&self, path: &str, info: FileInfo, read_at: Timestamp, text: &Arc<str>) {
        if is_settled(info.modified, read_at) {
            self.0.borrow_mut().insert(path.to_owned(), (info, Arc::clone(text)));
        }
    }
}

/// Whether a file that was changed at one time and read at another is known to have other times once it
/// changes again.
fn is_settled(modified: Timestamp, read_at: Timestamp) -> bool {
    if modified.seconds <= 0 {
        return false;
    }
    let seconds = read_at.seconds.saturating_sub(modified.seconds);
    if modified.nanoseconds == 0 {
        return seconds >= SETTLED_SECONDS;
    }
    let nanoseconds = i128::from(read_at.nanoseconds) - i128::from(modified.nanoseconds);
    seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000) >= SETTLED_MILLISECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: i128, nanoseconds: u32) -> Timestamp {
        Timestamp { seconds, nanoseconds }
    }

    #[test]
    fn a_text_is_known_while_its_file_is_the_same() {
        let texts = Texts::default();
        let info = FileInfo { is_directory: false, size: 3, modified: at(1_000, 5), inode: 7 };
        texts.keep("/t", info, at(1_001, 0), &Arc::from("abc"));
        assert_eq!(texts.known("/t", info).as_deref(), Some("abc"));
        assert_eq!(texts.known("/u", info), None);
        for other in [FileInfo { size: 4, ..info }, FileInfo { modified: at(1_000, 6), ..info }] {
            assert_eq!(texts.known("/t", other), None);
        }
        texts.keep("/t", FileInfo { size: 4, ..info }, at(1_001, 0), &Arc::from("abcd"));
        assert_eq!(texts.known("/t", info), None);
    }

    #[test]
    fn a_file_that_has_just_changed_is_read_again() {
        assert!(is_settled(at(10, 500_000_000), at(10, 600_000_000)));
        assert!(!is_settled(at(10, 500_000_000), at(10, 599_000_000)));
        assert!(is_settled(at(10, 950_000_000), at(11, 50_000_000)));
        assert!(!is_settled(at(10, 950_000_000), at(11, 40_000_000)));
        assert!(!is_settled(at(12, 1), at(11, 0)) && !is_settled(at(0, 0), at(100, 0)));
        assert!(!is_settled(at(10, 0), at(11, 999_999_999)) && is_settled(at(10, 0), at(12, 0)));
    }
}
