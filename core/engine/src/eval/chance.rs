//! The time and the randomness of a compilation. Both come from the host, unless the caller sets them for
//! reproducible results.

use std::cell::{Cell, OnceCell};

use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use bunraku_host::Host;
use bunraku_pcore::value::Timestamp;
use bunraku_syntax::diagnostic::Error;

/// The time and the randomness of one compilation.
#[derive(Debug, Default)]
pub struct Chance {
    time: Option<Timestamp>,
    /// The source of everything random.
    root: OnceCell<[u8; 32]>,
    /// The number of draws.
    drawn: Cell<u64>,
}

impl Chance {
    /// Randomness from a seed and the node; without a seed, from the host. The clock is fixed at `time` or,
    /// with only a seed, at the beginning of 1970.
    pub fn new(seed: Option<&str>, time: Option<Timestamp>, node: &str, environment: &str) -> Self {
        let chance = Self { time: time.or_else(|| seed.map(|_| Timestamp::default())), ..Self::default() };
        if let Some(seed) = seed {
            let _ = chance.root.set(digest([seed, node, environment].map(str::as_bytes)));
        }
        chance
    }

    /// The current time.
    pub fn now(&self, host: &dyn Host) -> Timestamp {
        self.time.unwrap_or_else(|| host.now())
    }

    /// Random bytes, others each time.
    ///
    /// # Errors
    /// The host has no randomness.
    pub fn draw(&self, host: &dyn Host) -> Result<[u8; 32], Error> {
        let number = self.drawn.get();
        self.drawn.set(number.wrapping_add(1));
        Ok(digest([&self.root(host)?, b"draw", &number.to_le_bytes()]))
    }

    /// A random UUID (version 4), the same each time for the same purpose.
    ///
    /// # Errors
    /// The host has no randomness.
    pub fn uuid(&self, host: &dyn Host, purpose: &str) -> Result<Uuid, Error> {
        let bytes = digest([&self.root(host)?, b"uuid", purpose.as_bytes()]);
        let mut first = [0; 16];
        first.copy_from_slice(bytes.split_at(16).0);
        Ok(Builder::from_random_bytes(first).into_uuid())
    }

    fn root(&self, host: &dyn Host) -> Result<[u8; 32], Error> {
        if let Some(root) = self.root.get() {
            return Ok(*root);
        }
        let mut root = [0; 32];
        host.random(&mut root).map_err(|error| Error::plain(error.to_string()))?;
        Ok(*self.root.get_or_init(|| root))
    }
}

/// The id of a run that is started by hand: random, or derived from a seed.
///
/// # Errors
/// The host has no randomness.
pub fn run_id(host: &dyn Host, seed: Option<&str>) -> Result<String, Error> {
    let Some(seed) = seed else {
        let mut bytes = [0; 16];
        host.random(&mut bytes).map_err(|error| Error::plain(error.to_string()))?;
        return Ok(Builder::from_random_bytes(bytes).into_uuid().to_string());
    };
    let digest = Sha256::digest(format!("transaction {seed}"));
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..30]))
}

/// A digest of parts, each with its length, so that none runs into the next.
fn digest<const COUNT: usize>(parts: [&[u8]; COUNT]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_host::memory::MemoryHost;

    #[test]
    fn a_seed_reproduces_everything_for_one_node_and_nobody_else() {
        let host = MemoryHost::new();
        let told = |seed, node| {
            let chance = Chance::new(Some(seed), None, node, "production");
            (chance.uuid(&host, "catalog").unwrap(), chance.draw(&host).unwrap(), chance.now(&host).seconds)
        };
        assert_eq!(told("1", "a"), told("1", "a"));
        assert_ne!(told("1", "a").0, told("2", "a").0);
        assert_ne!(told("1", "a").0, told("1", "b").0);
        assert_ne!(told("1", "a").1, told("2", "a").1);
        assert_eq!(told("1", "a").0.get_version_num(), 4);
        assert_eq!(told("1", "a").2, 0);
    }

    #[test]
    fn without_a_seed_the_host_decides() {
        let now = Timestamp { seconds: 7, nanoseconds: 0 };
        let told = |seed| {
            let mut host = MemoryHost::new();
            (host.now, host.seed) = (now, seed);
            let chance = Chance::new(None, None, "a", "production");
            assert_ne!(chance.draw(&host).unwrap(), chance.draw(&host).unwrap());
            (chance.uuid(&host, "catalog").unwrap(), chance.now(&host))
        };
        assert_eq!(told(1), told(1));
        assert_ne!(told(1).0, told(2).0);
        assert_eq!(told(1).1, now);
    }
}
