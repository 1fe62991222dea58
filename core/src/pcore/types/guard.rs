//! Guards against types that contain themselves. Follows the reference's `recursion_guard.rb`.
//!
//! An alias or Object type that contains itself is noted while it is being compared, on the side of the type that asks
//! (this) and of what it is asked about (that). Meeting both again means that nothing new can be found. The depth of
//! calls is counted as well, so that no input can exhaust the stack.

/// How deep types and values are compared; what is nested deeper does not match.
pub(crate) const MAX_DEPTH: u32 = 700;

/// Which sides met themselves again.
pub(crate) mod state {
    /// The type that asks.
    pub const THIS: u8 = 1;
    /// What it is asked about.
    pub const THAT: u8 = 2;
    /// Both.
    pub const BOTH: u8 = 3;
}

/// What is being compared. Identities are addresses.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    state: u8,
    this: Vec<usize>,
    that: Vec<usize>,
}

impl Guard {
    /// Notes an identity on this side while `body` runs, which gets the state.
    pub fn with_this<T>(&mut self, identity: usize, body: impl FnOnce(&mut Guard, u8) -> T) -> T {
        if self.state & state::THIS == 0 {
            if self.this.contains(&identity) {
                self.state |= state::THIS;
            } else {
                self.this.push(identity);
                let state = self.state;
                let result = body(self, state);
                self.state &= !state::THIS;
                self.this.retain(|noted| *noted != identity);
                return result;
            }
        }
        let state = self.state;
        body(self, state)
    }

    /// Notes an identity on that side while `body` runs, which gets the state.
    pub fn with_that<T>(&mut self, identity: usize, body: impl FnOnce(&mut Guard, u8) -> T) -> T {
        if self.state & state::THAT == 0 {
            if self.that.contains(&identity) {
                self.state |= state::THAT;
            } else {
                self.that.push(identity);
                let state = self.state;
                let result = body(self, state);
                self.state &= !state::THAT;
                self.that.retain(|noted| *noted != identity);
                return result;
            }
        }
        let state = self.state;
        body(self, state)
    }

    /// Notes an identity on that side for good; gives the state.
    pub fn add_that(&mut self, identity: usize) -> u8 {
        if self.state & state::THAT == 0 {
            if self.that.contains(&identity) {
                self.state |= state::THAT;
            } else {
                self.that.push(identity);
            }
        }
        self.state
    }
}
