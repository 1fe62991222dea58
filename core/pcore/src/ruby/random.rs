//! Ruby's `Random`: the Mersenne Twister MT19937 with its seeding by an array of words.
//!
//! `fqdn_rand` must return the reference's number, so the generator, the conversion of a seed to words and
//! the bounding are those of Ruby's `random.c`.

const SIZE: usize = 624;
const PERIOD: usize = 397;

/// A generator.
#[derive(Debug)]
pub struct Random {
    state: [u32; SIZE],
    next: usize,
}

impl Random {
    /// A generator with a seed, given as 32-bit words, the lowest first.
    pub fn new(seed: &[u32]) -> Self {
        let used = seed.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        let mut words = &seed[..used];
        if let [rest @ .., _, 1] = words {
            words = &words[..=rest.len()];
        }
        match words {
            [] => Self::from_word(0),
            [word] => Self::from_word(*word),
            _ => Self::from_words(words),
        }
    }

    fn from_word(seed: u32) -> Self {
        let mut state = [0; SIZE];
        let mut previous = seed;
        for (index, word) in state.iter_mut().enumerate() {
            if index > 0 {
                previous =
                    (previous ^ (previous >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
            }
            *word = previous;
        }
        Self { state, next: SIZE }
    }

    fn from_words(key: &[u32]) -> Self {
        let mut random = Self::from_word(19_650_218);
        let state = &mut random.state;
        let mut at = 1;
        let mut from = 0;
        for _ in 0..SIZE.max(key.len()) {
            let mixed = (state[at - 1] ^ (state[at - 1] >> 30)).wrapping_mul(1_664_525);
            state[at] = (state[at] ^ mixed).wrapping_add(key[from]).wrapping_add(from as u32);
            at += 1;
            from = (from + 1) % key.len();
            if at >= SIZE {
                state[0] = state[SIZE - 1];
                at = 1;
            }
        }
        for _ in 0..SIZE - 1 {
            let mixed = (state[at - 1] ^ (state[at - 1] >> 30)).wrapping_mul(1_566_083_941);
            state[at] = (state[at] ^ mixed).wrapping_sub(at as u32);
            at += 1;
            if at >= SIZE {
                state[0] = state[SIZE - 1];
                at = 1;
            }
        }
        state[0] = 0x8000_0000;
        random
    }

    fn twist(&mut self) {
        let state = &mut self.state;
        for index in 0..SIZE {
            let bits = (state[index] & 0x8000_0000) | (state[(index + 1) % SIZE] & 0x7FFF_FFFF);
            let odd = if bits & 1 == 0 { 0 } else { 0x9908_B0DF };
            state[index] = state[(index + PERIOD) % SIZE] ^ (bits >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// The next 32 bits.
    pub fn next_word(&mut self) -> u32 {
        if self.next >= SIZE {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9D2C_5680;
        word ^= (word << 15) & 0xEFC6_0000;
        word ^ (word >> 18)
    }

    /// A number from 0 up to 1, without it.
    pub fn fraction(&mut self) -> f64 {
        let (high, low) = (self.next_word() >> 5, self.next_word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number from 0 up to and with `limit`.
    pub fn up_to(&mut self, limit: u64) -> u64 {
        if limit == 0 {
            return 0;
        }
        let mask = u64::MAX >> limit.leading_zeros();
        if limit <= u64::from(u32::MAX) {
            loop {
                let number = u64::from(self.next_word()) & mask;
                if number <= limit {
                    return number;
                }
            }
        }
        'again: loop {
            let mut number = 0;
            for shift in [32, 0] {
                number = (number | (u64::from(self.next_word()) << shift)) & mask;
                if number > limit {
                    continue 'again;
                }
            }
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_ruby() {
        assert_eq!(Random::new(&[5]).up_to(999), 867);
        assert_eq!(Random::new(&[5, 1]).up_to(999), 867);
        assert_eq!(Random::new(&[5, 3]).up_to(999), 269);
        assert_eq!(Random::new(&[7, 0, 1]).up_to(999_999_999_999), 38_182_009_439);
        assert_eq!(Random::new(&[42]).fraction(), 0.374_540_118_847_362_5);
    }
}
