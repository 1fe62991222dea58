//! What one compilation has said.

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
    /// Who hears each entry when it is said.
    listener: Option<Arc<dyn Host>>,
}

impl fmt::Debug for Log {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(out)
    }
}

impl Log {
    /// A log whose entries a host hears when they are said.
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
