//! What one compilation has said.

use std::cell::RefCell;
use std::collections::HashSet;

use bunraku_syntax::diagnostic::LogEntry;

/// The log of one compilation.
#[derive(Debug, Default)]
pub struct Log {
    /// The entries, in order.
    pub entries: RefCell<Vec<LogEntry>>,
    once: RefCell<HashSet<String>>,
}

impl Log {
    /// Adds an entry.
    pub fn add(&self, entry: LogEntry) {
        self.entries.borrow_mut().push(entry);
    }

    /// Adds an entry, unless something was said under the same key before.
    pub fn add_once(&self, key: &str, entry: LogEntry) -> bool {
        let is_new = self.once.borrow_mut().insert(key.to_owned());
        if is_new {
            self.add(LogEntry { once: Some(key.into()), ..entry });
        }
        is_new
    }

    /// Whether something was said under a key.
    pub fn has(&self, key: &str) -> bool {
        self.once.borrow().contains(key)
    }
}
