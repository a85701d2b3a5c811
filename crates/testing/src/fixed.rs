//! Clock and randomness that are the same on every run.

use std::sync::atomic::{AtomicU64, Ordering};

use sprag_rest::Entropy;

/// The time when an API starts, in seconds since 1970: the start of the year 2000.
pub(crate) const START: u64 = 946_684_800;

/// Bytes that look random and are the same on every run, different with every call.
///
/// ```
/// use sprag_rest::Entropy as _;
///
/// let (first, second) = (sprag_testing::Sequence::default(), sprag_testing::Sequence::default());
/// let mut bytes = [[0; 4]; 2];
/// first.fill(&mut bytes[0]);
/// second.fill(&mut bytes[1]);
/// assert_eq!(bytes[0], bytes[1]);
/// ```
#[derive(Debug, Default)]
pub struct Sequence(AtomicU64);

impl Entropy for Sequence {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let mixed = mix(self.0.fetch_add(1, Ordering::Relaxed)).to_le_bytes();
            chunk.copy_from_slice(&mixed[..chunk.len()]);
        }
    }
}

/// `SplitMix64` of a counter: every count has another outcome.
fn mix(count: u64) -> u64 {
    let seed = count.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let seed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ (seed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ (seed >> 31)
}
