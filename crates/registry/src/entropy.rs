//! Randomness of the machine, in portions.

use std::cell::RefCell;

use sprag_rest::Entropy;

/// The randomness of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemEntropy;

/// Random bytes fetched at once.
const POOL: usize = 512;

/// Randomness that was asked for and not used yet.
struct Pool {
    bytes: [u8; POOL],
    used: usize,
}

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        thread_local!(static UNUSED: RefCell<Pool> = const { RefCell::new(Pool { bytes: [0; POOL], used: POOL }) });
        UNUSED.with_borrow_mut(|pool| pool.fill(bytes));
    }
}

impl Pool {
    fn fill(&mut self, bytes: &mut [u8]) {
        let random = |bytes: &mut [u8]| getrandom::fill(bytes).expect("the operating system provides randomness");
        if bytes.len() > POOL {
            return random(bytes);
        }
        if bytes.len() > POOL - self.used {
            random(&mut self.bytes);
            self.used = 0;
        }
        let fresh = &mut self.bytes[self.used..self.used + bytes.len()];
        bytes.copy_from_slice(fresh);
        fresh.fill(0);
        self.used += bytes.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_randomness_is_used_twice() {
        let draw = |count: usize| {
            let mut bytes = vec![0; count];
            SystemEntropy.fill(&mut bytes);
            bytes
        };
        let drawn: std::collections::BTreeSet<_> = (0..1000).map(|_| draw(16)).collect();
        assert_eq!(drawn.len(), 1000);
        assert!(draw(POOL).iter().any(|byte| *byte != 0) && draw(POOL + 1).iter().any(|byte| *byte != 0));
        assert!(draw(0).is_empty());
    }
}
