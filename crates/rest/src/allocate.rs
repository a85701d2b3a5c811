//! Values that the server gives to objects and that no two objects of a kind hold at once: cluster IPs and node ports.
//!
//! That a value is taken is recorded in the store, before the object that holds it is: by an object of its own, or by a bit in a
//! range object. The record is the lock, for all servers on one store. An allocator only proposes values; who stores the object makes
//! the records, and judges it again with what turned out to be [taken](Taken).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sprag_field::Errors;
use sprag_value::Value;

use crate::error::Result;
use crate::gates::FeatureGates;
use crate::names::{Entropy, GroupResource};

/// A value that one object holds: an address, a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Claim {
    /// The pool of the value. Values of different pools do not collide.
    pub pool: &'static str,
    /// The value.
    pub value: u128,
}

/// The most values that are remembered as hints: two ranges of 16 bits. More are forgotten, as they cost memory.
pub const MAX_HINTS: usize = 1 << 17;

/// The values that are known to be taken, and those that probably are.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// Values that were recorded after the write began.
    pub known: HashSet<Claim>,
    /// Values that were recorded at some time before.
    pub hints: Hints,
    /// True if the hints were all there was a moment ago, so that a range without others is full.
    pub is_complete: bool,
}

/// Values that are probably taken, so that others are tried first. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Hints(Arc<Mutex<HashSet<Claim>>>);

impl Hints {
    fn lock(&self) -> MutexGuard<'_, HashSet<Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers values that were taken.
    pub fn extend(&self, claims: impl IntoIterator<Item = Claim>) {
        let mut hints = self.lock();
        for claim in claims {
            // Others let values go without a word, so old ones would stay for ever.
            if hints.len() >= MAX_HINTS {
                hints.clear();
            }
            hints.insert(claim);
        }
    }

    /// Forgets a value that is free.
    pub fn remove(&self, claim: &Claim) {
        self.lock().remove(claim);
    }

    /// Forgets all values, and remembers these.
    pub fn replace(&self, claims: HashSet<Claim>) {
        *self.lock() = claims;
    }
}

/// How the store says that a value is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// By an object: who creates it has the value. The name of the object is the value.
    Object(Value),
    /// By a number in the range object of the allocator, which is replaced by compare and swap.
    Number(u32),
}

/// Where an allocator keeps its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The resource of record objects.
    pub resource: GroupResource,
    /// The version in which record objects are written.
    pub version: &'static str,
    /// The name of the range object.
    pub range: &'static str,
}

/// The object that a record object is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// True if the allocator made the record, and not a user.
    pub is_managed: bool,
}

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

    /// Where records are.
    fn records(&self) -> &Records;

    /// The record that an object holds a value.
    fn record(&self, claim: Claim, holder: &Value) -> Record;

    /// The value of a number in the range object.
    fn numbered(&self, number: u32) -> Claim;

    /// True if the value lies where values are allocated now. Those that lie elsewhere need no record.
    fn is_allocatable(&self, claim: Claim) -> bool;

    /// The value of a record object of this name.
    fn named(&self, name: &str) -> Option<Claim>;

    /// The object that a record object is for; `None` if it is not for an object of this kind.
    fn holder(&self, record: &Value) -> Option<Holder>;
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
        let is_free = self.is_free(&claim);
        if is_free {
            self.claimed.push(claim);
        }
        is_free
    }

    /// Takes the first free value of a range (both ends included), beginning at a random one; none if all are taken. Those that are
    /// probably taken come last.
    pub fn claim_any(&mut self, pool: &'static str, first: u128, last: u128) -> Option<u128> {
        let size = last.checked_sub(first)?.checked_add(1)?;
        let start = self.random() % size;
        let hints = self.taken.hints.lock();
        let claim_at = |step| Claim { pool, value: first + (start + step) % size };
        // One more than the values that are taken is surely free.
        let tries = |taken: usize| u128::try_from(taken + 1).unwrap_or(u128::MAX).min(size);
        let known = self.taken.known.len() + self.claimed.len();
        let mut likely = (0..tries(known + hints.len())).map(claim_at);
        let found = likely.find(|claim| !hints.contains(claim) && self.is_free(claim));
        let mut rest = (0..tries(known)).map(claim_at).filter(|_| !self.taken.is_complete);
        let found = found.or_else(|| rest.find(|claim| self.is_free(claim)))?;
        drop(hints);
        self.claimed.push(found);
        Some(found.value)
    }

    fn is_free(&self, claim: &Claim) -> bool {
        !self.taken.known.contains(claim) && !self.claimed.contains(claim)
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

    fn taken(known: impl IntoIterator<Item = Claim>) -> Taken {
        Taken { known: known.into_iter().collect(), ..Taken::default() }
    }

    #[test]
    fn values_that_are_probably_taken_come_last() {
        let taken = taken([port(12)]);
        taken.hints.extend([port(10), port(11)]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(0), &gates);
        assert_eq!([(); 4].map(|()| allocation.claim_any("port", 10, 13)), [Some(13), Some(10), Some(11), None]);
    }

    #[test]
    fn a_range_is_full_when_all_that_is_taken_is_known() {
        let taken = Taken { is_complete: true, ..taken([port(12)]) };
        taken.hints.extend([port(10), port(11)]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(0), &gates);
        assert_eq!([(); 2].map(|()| allocation.claim_any("port", 10, 13)), [Some(13), None]);
    }

    #[test]
    fn hints_are_forgotten_when_there_are_too_many() {
        let hints = Hints::default();
        hints.extend((0..MAX_HINTS as u128).map(port));
        assert_eq!(hints.lock().len(), MAX_HINTS);
        hints.extend([port(u128::MAX)]);
        assert_eq!(hints.lock().len(), 1);
    }

    #[test]
    fn a_range_is_searched_from_a_random_value_to_its_end_and_on_from_its_beginning() {
        let taken = taken([port(12), port(10), Claim { pool: "address", value: 11 }]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(2), &gates);
        assert_eq!([(); 3].map(|()| allocation.claim_any("port", 10, 13)), [Some(13), Some(11), None]);
        assert_eq!(allocation.into_claimed(), [port(13), port(11)]);
    }

    #[test]
    fn a_value_is_claimed_once() {
        let taken = taken([port(1)]);
        let gates = FeatureGates::default();
        let mut allocation = Allocation::new(&taken, false, &At(0), &gates);
        assert!(!allocation.claim(port(1)) && allocation.claim(port(2)) && !allocation.claim(port(2)));
        assert_eq!(allocation.claim_any("port", 2, 1), None);
    }
}
