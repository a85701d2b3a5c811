//! Random choices that depend on a seed only.

/// A source of random choices.
pub(crate) struct Source(u64);

/// Texts that readers stumble over.
const ODD: [&str; 12] =
    ["", " ", "\u{0}", "\u{1b}[2J", "\u{202e}", "..", "a/b", "%2f", "ß", "\u{1f600}", "9223372036854775808", "-"];
const WORDS: [&str; 12] =
    ["a", "b", "web", "size", "name", "spec", "x1", "my-app", "item", "v1", "data", "kind"];

impl Source {
    pub(crate) fn new(seed: u64) -> Source {
        let mut source = Source(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..4).for_each(|_| source.0 = source.next());
        source
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below this one, 0 for 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap_or(0).checked_rem(end).unwrap_or(0)
    }

    /// True if something happens that does in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    /// A word, now and then one that is out to break something.
    pub(crate) fn word(&mut self) -> String {
        if self.chance(3) { (*self.pick(&ODD)).to_owned() } else { (*self.pick(&WORDS)).to_owned() }
    }

    /// A name that objects can have, mostly.
    pub(crate) fn name(&mut self) -> String {
        let number = self.below(8);
        if self.chance(2) { self.word() } else { format!("{}-{number}", WORDS[self.below(3)]) }
    }

    /// The text with a few bytes changed.
    pub(crate) fn damage(&mut self, text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            match self.below(4) {
                0 if at < bytes.len() => bytes[at] = u8::try_from(self.below(256)).unwrap_or(0),
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 => {
                    let end = at + self.below(bytes.len() - at.min(bytes.len()) + 1).min(64);
                    let part = bytes[at.min(bytes.len())..end.min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => drop(bytes.splice(at..at, self.word().into_bytes())),
            }
        }
        bytes
    }
}
