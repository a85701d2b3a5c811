//! Values that the server gives to objects and that no two objects of a kind hold at once: cluster IPs and node ports.
//!
//! What is taken is what stored objects hold and what writes on their way into the store were given. There is no other record, so
//! nothing has to be released or repaired: an address is free when no stored object has it.

use std::collections::HashSet;

use sprag_field::Errors;
use sprag_value::Value;

use crate::error::Result;
use crate::gates::FeatureGates;
use crate::names::Entropy;

/// A value that one object holds: an address, a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    /// The pool of the value. Values of different pools do not collide.
    pub pool: &'static str,
    /// The value.
    pub value: u128,
}

/// The values that are taken.
pub type Taken = HashSet<Claim>;

/// Gives objects values that no other object of the kind holds.
// As upstream's genericregistry.Store.BeginCreate and BeginUpdate: it runs before the object is prepared and validated.
pub trait Allocator: Send + Sync {
    /// The values that a stored object holds.
    fn held(&self, object: &Value) -> Vec<Claim>;

    /// Tells if an update may need another value than those that the object holds.
    fn may_allocate(&self, new: &Value, old: &Value) -> bool;

    /// Completes a new or changed object. What is wrong with the object goes to `errors`, and then nothing else is said of it;
    /// an error is any other reason to refuse the write, as a range that is used up.
    fn allocate(
        &self,
        new: &mut Value,
        old: Option<&Value>,
        values: &mut Allocation<'_>,
        errors: &mut Errors,
    ) -> Result<()>;
}

/// The values that one write is given.
pub struct Allocation<'a> {
    taken: &'a Taken,
    claimed: Vec<Claim>,
    dry_run: bool,
    entropy: &'a dyn Entropy,
    gates: &'a FeatureGates,
}

impl<'a> Allocation<'a> {
    /// An allocation from what is not taken. The values of a dry run are never stored.
    pub fn new(taken: &'a Taken, dry_run: bool, entropy: &'a dyn Entropy, gates: &'a FeatureGates) -> Allocation<'a> {
        Allocation { taken, claimed: Vec::new(), dry_run, entropy, gates }
    }

    /// Takes a value; false if another object or this one has it.
    #[must_use]
    pub fn claim(&mut self, claim: Claim) -> bool {
        let is_free = !self.taken.contains(&claim) && !self.claimed.contains(&claim);
        if is_free {
            self.claimed.push(claim);
        }
        is_free
    }

    /// Takes the first free value of a range (both ends included), beginning at a random one; none if all are taken.
    pub fn claim_any(&mut self, pool: &'static str, first: u128, last: u128) -> Option<u128> {
        let size = last.checked_sub(first)?.checked_add(1)?;
        let start = self.random() % size;
        // One more than the values that are taken is surely free.
        let tries = u128::try_from(self.taken.len() + self.claimed.len() + 1).unwrap_or(u128::MAX).min(size);
        let mut candidates = (0..tries).map(|step| first + (start + step) % size);
        candidates.find(|value| self.claim(Claim { pool, value: *value }))
    }

    /// The feature gates of the write.
    pub fn gates(&self) -> &'a FeatureGates {
        self.gates
    }

    /// Tells if nothing of the write is stored.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// The values that were taken so far, in order.
    pub fn claimed(&self) -> &[Claim] {
        &self.claimed
    }

    /// The values that were taken.
    pub fn into_claimed(self) -> Vec<Claim> {
        self.claimed
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 8];
        self.entropy.fill(&mut bytes);
        u64::from_le_bytes(bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct At(u8);

    impl Entropy for At {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(0);
            bytes[0] = self.0;
        }
    }

    fn port(value: u128) -> Claim {
        Claim { pool: "port", value }
    }

    #[test]
    fn a_range_is_searched_from_a_random_value_to_its_end_and_on_from_its_beginning() {
        let taken = Taken::from([port(12), port(10), Claim { pool: "address", value: 11 }]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(2), &gates);
        assert_eq!([(); 3].map(|()| allocation.claim_any("port", 10, 13)), [Some(13), Some(11), None]);
        assert_eq!(allocation.into_claimed(), [port(13), port(11)]);
    }

    #[test]
    fn a_value_is_claimed_once() {
        let taken = Taken::from([port(1)]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(0), &gates);
        assert!(!allocation.claim(port(1)) && allocation.claim(port(2)) && !allocation.claim(port(2)));
        assert_eq!(allocation.claim_any("port", 2, 1), None);
    }
}
