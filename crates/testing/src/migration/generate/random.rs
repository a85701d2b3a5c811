//! Numbers that look random and are the same for the same seed.

/// A stream of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    /// `SplitMix64`.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 where the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let number = usize::try_from(self.next() >> 33).unwrap_or_default();
        number.checked_rem(limit).unwrap_or_default()
    }

    /// A number from one to another, both included.
    pub(crate) fn between(&mut self, from: i128, to: i128) -> i128 {
        let span = to.saturating_sub(from).saturating_add(1).max(1);
        from + i128::from(self.next() >> 1) % span
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    /// One of several.
    pub(crate) fn pick<'v, T>(&mut self, of: &'v [T]) -> Option<&'v T> {
        of.get(self.below(of.len()))
    }
}
