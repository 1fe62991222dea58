//! The log of one compilation.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use bunraku_host::Host;
use bunraku_syntax::diagnostic::LogEntry;

/// The log of one compilation.
#[derive(Default)]
pub struct Log {
    /// The entries, in order.
    pub entries: RefCell<Vec<LogEntry>>,
    once: RefCell<HashSet<String>>,
    /// The host that receives each entry as it is logged.
    listener: Option<Arc<dyn Host>>,
}

impl fmt::Debug for Log {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(out)
    }
}

impl Log {
    /// A log whose entries a host receives as they are logged.
    pub fn heard_by(host: Arc<dyn Host>) -> Self {
        Self { listener: Some(host), ..Self::default() }
    }

    /// Adds an entry.
    pub fn add(&self, entry: LogEntry) {
        if let Some(listener) = &self.listener {
            listener.log(&entry);
        }
        self.entries.borrow_mut().push(entry);
    }

    /// Adds an entry, unless one with the same key was logged before.
    pub fn add_once(&self, key: &str, entry: LogEntry) -> bool {
        let is_new = self.once.borrow_mut().insert(key.to_owned());
        if is_new {
            self.add(LogEntry { once: Some(key.into()), ..entry });
        }
        is_new
    }

    /// Whether an entry with this key was logged.
    pub fn has(&self, key: &str) -> bool {
        self.once.borrow().contains(key)
    }
}
