//! Bounded, repeatable runs of the fuzz bodies.

use sprag_idl::fuzz;

const TAGS: &[&str] = &[
    "k8s:item(type: \"Approved\", n: 5)=+k8s:eachVal=+k8s:update=NoSet # comment",
    "k8s:update=[NoSet, 'a', “b”, [1, 0x1F, true]] // comment",
    "default={\"a\": [1, \"=\"]}",
    "k8s:alpha(since: v1.39)=+k8s:maximum(constraint: limits.maxValue)",
];

const GO: &str = include_str!("../data/everything.go.txt");
const RUST: &str = include_str!("../data/everything.rs.txt");

/// Xorshift: the same run every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % limit.max(1)
    }

    /// Changes, removes, repeats or inserts a few stretches.
    fn mutate(&mut self, seed: &str) -> Vec<u8> {
        const PIECES: &[&str] = &[
            "(", ")", "{", "}", "[", "]", "\"", "`", "'", "//", "/*", "*/", "+", "=", "*", "\n", ",", "\0", "é", "\\",
            "<", ">",
        ];
        let mut data = seed.as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(data.len());
            let end = (at + self.below(12)).min(data.len());
            match self.below(4) {
                0 => drop(data.drain(at..end)),
                1 => {
                    let piece = PIECES[self.below(PIECES.len())].repeat(self.below(3) + 1);
                    data.splice(at..at, piece.bytes());
                }
                2 => {
                    let copy = data[at..end].repeat(self.below(4));
                    let to = self.below(data.len());
                    data.splice(to..to, copy);
                }
                _ => {
                    if let Some(byte) = data.get_mut(at) {
                        *byte = self.below(256).to_le_bytes()[0];
                    }
                }
            }
        }
        data
    }
}

#[test]
fn mutated_tags() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..8000 {
        fuzz::fuzz_tag(&random.mutate(TAGS[round % TAGS.len()]));
    }
}

#[test]
fn mutated_go() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..1500 {
        fuzz::fuzz_go(&random.mutate(GO));
    }
}

#[test]
fn mutated_rust() {
    let mut random = Random(0x1405_7b7e_f767_814f);
    for _ in 0..1500 {
        fuzz::fuzz_rust(&random.mutate(RUST));
    }
}

#[test]
fn every_prefix_of_a_go_file() {
    for end in 0..GO.len() {
        fuzz::fuzz_go(&GO.as_bytes()[..end]);
    }
}

#[test]
fn every_prefix_of_a_rust_file() {
    for end in 0..RUST.len() {
        fuzz::fuzz_rust(&RUST.as_bytes()[..end]);
    }
}
