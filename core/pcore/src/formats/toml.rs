//! TOML, as the writer in puppetlabs-stdlib writes it (`to_toml`).
//!
//! Keys are sorted: first those of plain values, then tables, then arrays of tables. A plain value is written
//! with Ruby's `inspect`, so that values that TOML does not support are not valid TOML here either.

use crate::data::fuel::Fuel;
use crate::data::value::{Hash, Value};
use crate::ruby::inspect;
use crate::ruby::values as ruby;
use bunraku_syntax::diagnostic::Error;

/// The entries of a table by kind.
#[derive(Default)]
struct Entries<'v> {
    plain: Vec<(&'v Value, &'v Value)>,
    tables: Vec<(&'v Value, &'v Hash)>,
    arrays_of_tables: Vec<(&'v Value, &'v [Value])>,
}

/// The text of a hash.
///
/// # Errors
/// Keys cannot be compared, TOML does not support a value, or the fuel runs out.
pub fn to_text(hash: &Hash, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut dump = Dump { fuel, out: String::new() };
    dump.table(hash, &[])?;
    Ok(dump.out)
}

struct Dump<'f> {
    fuel: &'f dyn Fuel,
    out: String,
}

impl Dump<'_> {
    fn table(&mut self, hash: &Hash, path: &[String]) -> Result<(), Error> {
        let entries = self.sorted(hash)?;
        if !path.is_empty() && (!entries.plain.is_empty() || hash.is_empty()) {
            self.header("[", path, "]");
        }
        self.entries(&entries, path)
    }

    fn entries(&mut self, entries: &Entries<'_>, path: &[String]) -> Result<(), Error> {
        self.fuel.charge(1)?;
        for (key, value) in &entries.plain {
            let key = key_text(key)?;
            let value = plain(value);
            self.out += &format!("{key} = {value}\n");
            self.fuel.check_size(self.out.len())?;
        }
        for (key, table) in &entries.tables {
            self.table(table, &below(path, key)?)?;
        }
        for (key, tables) in &entries.arrays_of_tables {
            let path = below(path, key)?;
            for table in *tables {
                self.header("[[", &path, "]]");
                let Value::Hash(table) = table else { return Err(ruby::no_method("keys", table)) };
                let entries = self.sorted(table)?;
                self.entries(&entries, &path)?;
            }
        }
        Ok(())
    }

    fn header(&mut self, open: &str, path: &[String], close: &str) {
        self.out += &format!("{open}{}{close}\n", path.join("."));
    }

    fn sorted<'v>(&self, hash: &'v Hash) -> Result<Entries<'v>, Error> {
        let mut keys: Vec<Value> = hash.keys().cloned().collect();
        ruby::sort(&mut keys, &mut |a, b| {
            self.fuel.charge(1)?;
            ruby::ordered(a, b)
        })?;
        let mut entries = Entries::default();
        for (key, value) in keys.iter().filter_map(|key| hash.get_key_value(key)) {
            match value {
                Value::Hash(table) => entries.tables.push((key, table)),
                Value::Array(values) if matches!(values.first(), Some(Value::Hash(_))) => {
                    entries.arrays_of_tables.push((key, values));
                }
                _ => entries.plain.push((key, value)),
            }
        }
        Ok(entries)
    }
}

/// The path of a nested table.
fn below(path: &[String], key: &Value) -> Result<Vec<String>, Error> {
    let mut path = path.to_vec();
    path.push(key_text(key)?);
    Ok(path)
}

/// A key, in quotes unless one of its lines only consists of letters, digits, `_` and `-`.
fn key_text(key: &Value) -> Result<String, Error> {
    let text = ruby::to_s(key);
    let is_bare = |line: &str| line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    let lines = text.strip_suffix('\n').filter(|rest| !rest.is_empty()).unwrap_or(&text);
    match key {
        _ if lines.split('\n').any(is_bare) => Ok(text),
        Value::String(_) => Ok(format!("\"{}\"", text.replace('"', "\\\""))),
        other => Err(ruby::no_method("gsub", other)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Regexp(_) => inspect(&inspect(value).into()),
        Value::String(_) => {
            let text = inspect(value);
            ["#$", "#@", "#{"].iter().fold(text, |text, start| text.replace(&format!("\\{start}"), start))
        }
        other => inspect(other),
    }
}
