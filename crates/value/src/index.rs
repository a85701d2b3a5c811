//! Keyed lists: which elements have equal keys, and which element has a given key.
//!
//! Keys are hashed with a fast function first. Its constants are public, so a hostile list may consist of keys that
//! collide; as soon as a list shows more collisions than it has elements it is hashed again with `SipHash`, for which
//! no one knows how to make many keys with the same 64 bits. The table of a short list is bounded anyway; long lists
//! are sorted by hash and not spread over buckets, so keys that agree in a few bits gain an attacker nothing.

use std::hash::{DefaultHasher, Hasher};

/// Lists up to this length are indexed on the stack.
pub const STACK_ELEMENTS: usize = 256;

/// Lists up to this length are searched from the front.
const FEW: usize = 8;
/// Twice the elements, so that at least half of the slots stay free.
const SLOTS: usize = 2 * STACK_ELEMENTS;
/// A slot is zero when free, otherwise the low bits are the element plus one and the rest is from the hash.
const ELEMENT_BITS: u64 = 0x1FF;

/// Finds the first element of a list whose key equals a given one.
///
/// ```
/// use std::hash::Hash;
/// use sprag_value::FirstIndex;
/// let names = ["b", "a", "b"];
/// let index = FirstIndex::build(names.len(), |i, hasher| names[i].hash(hasher), |i, j| names[i] == names[j]);
/// let find = |name: &str| index.find(|hasher| name.hash(hasher), |i| names[i] == name);
/// assert_eq!((find("b"), find("c")), (Some(0), None));
/// ```
pub struct FirstIndex {
    strong: bool,
    table: Table,
}

#[expect(clippy::large_enum_variant, reason = "staying on the stack is the purpose")]
enum Table {
    Few([u64; FEW]),
    Stack([u64; SLOTS]),
    /// Hash and element, sorted, equal keys once.
    Sorted(Vec<(u64, u32)>),
}

impl FirstIndex {
    /// Indexes the elements `0..len`: `hash` feeds the key of an element to the hasher, `same` compares two of them.
    ///
    /// Allocates nothing for up to [`STACK_ELEMENTS`] elements and once for more.
    #[inline]
    pub fn build(len: usize, hash: impl Fn(usize, &mut KeyHasher), same: impl Fn(usize, usize) -> bool) -> Self {
        let mut index = Self::empty(len);
        if !index.fill(len, &hash, &same, &mut |_| {}) {
            index.clear();
            index.fill(len, &hash, &same, &mut |_| {});
        }
        index
    }

    /// The first element whose key is the one that `hash` feeds to the hasher and `same` recognizes.
    pub fn find(&self, hash: impl FnOnce(&mut KeyHasher), same: impl Fn(usize) -> bool) -> Option<usize> {
        let mut hasher = KeyHasher::new(self.strong);
        hash(&mut hasher);
        let hash = hasher.finish();
        match &self.table {
            Table::Few(slots) => probe(slots, 0, hash, same).element,
            Table::Stack(slots) => probe(slots, first_slot(hash), hash, same).element,
            Table::Sorted(pairs) => {
                let start = pairs.partition_point(|(other, _)| *other < hash);
                let run = pairs[start..].iter().take_while(|(other, _)| *other == hash);
                run.map(|(_, element)| *element as usize).find(|element| same(*element))
            }
        }
    }

    /// Builds each table in place: moving an index copies all of its slots, used or not.
    #[inline]
    fn empty(len: usize) -> Self {
        if len <= FEW {
            Self { strong: false, table: Table::Few([0; FEW]) }
        } else if len <= STACK_ELEMENTS {
            Self { strong: false, table: Table::Stack([0; SLOTS]) }
        } else {
            Self { strong: false, table: Table::Sorted(Vec::with_capacity(len)) }
        }
    }

    /// Starts over with the strong hash.
    fn clear(&mut self) {
        self.strong = true;
        match &mut self.table {
            Table::Few(slots) => slots.fill(0),
            Table::Stack(slots) => slots.fill(0),
            Table::Sorted(pairs) => pairs.clear(),
        }
    }

    /// True if the list could be indexed without too many collisions; the strong hash accepts any number.
    fn fill(
        &mut self,
        len: usize,
        hash: &impl Fn(usize, &mut KeyHasher),
        same: &impl Fn(usize, usize) -> bool,
        repeated: &mut impl FnMut(usize),
    ) -> bool {
        let strong = self.strong;
        let hash_of = |element: usize| {
            let mut hasher = KeyHasher::new(strong);
            hash(element, &mut hasher);
            hasher.finish()
        };
        let patience = if strong { usize::MAX } else { len + FEW };
        match &mut self.table {
            Table::Few(slots) => fill_slots(slots, len, |_| 0, &hash_of, same, repeated, patience),
            Table::Stack(slots) => fill_slots(slots, len, first_slot, &hash_of, same, repeated, patience),
            Table::Sorted(pairs) => {
                pairs.extend((0..len).map(|element| (hash_of(element), index_of(element))));
                pairs.sort_unstable();
                keep_first(pairs, same, repeated, patience)
            }
        }
    }
}

/// Calls `report` for every element whose key an earlier element has too, in ascending order.
///
/// A list without duplicates costs what [`FirstIndex::build`] costs.
pub fn duplicates(
    len: usize,
    hash: impl Fn(usize, &mut KeyHasher),
    same: impl Fn(usize, usize) -> bool,
    report: impl FnMut(usize),
) {
    let mut found = Vec::new();
    let mut index = FirstIndex::empty(len);
    if !index.fill(len, &hash, &same, &mut |element| found.push(element)) {
        found.clear();
        index.clear();
        index.fill(len, &hash, &same, &mut |element| found.push(element));
    }
    found.sort_unstable();
    found.into_iter().for_each(report);
}

fn first_slot(hash: u64) -> usize {
    (hash >> 55) as usize % SLOTS
}

fn index_of(element: usize) -> u32 {
    u32::try_from(element).expect("a list of more than four billion values does not fit into memory")
}

/// The end of a search in slots.
struct Probe {
    element: Option<usize>,
    free: usize,
    collisions: usize,
}

fn probe<const N: usize>(slots: &[u64; N], start: usize, hash: u64, same: impl Fn(usize) -> bool) -> Probe {
    let mut end = Probe { element: None, free: start, collisions: 0 };
    for step in 0..N {
        end.free = (start + step) % N;
        let slot = slots[end.free];
        if slot == 0 {
            break;
        }
        if (slot ^ hash) & !ELEMENT_BITS == 0 {
            let element = (slot & ELEMENT_BITS) as usize - 1;
            if same(element) {
                end.element = Some(element);
                break;
            }
            end.collisions += 1;
        }
    }
    end
}

fn fill_slots<const N: usize>(
    slots: &mut [u64; N],
    len: usize,
    start: impl Fn(u64) -> usize,
    hash_of: &impl Fn(usize) -> u64,
    same: &impl Fn(usize, usize) -> bool,
    repeated: &mut impl FnMut(usize),
    mut patience: usize,
) -> bool {
    for element in 0..len {
        let hash = hash_of(element);
        let end = probe(slots, start(hash), hash, |earlier| same(earlier, element));
        if end.collisions > patience {
            return false;
        }
        patience -= end.collisions;
        match end.element {
            Some(_) => repeated(element),
            None => slots[end.free] = hash & !ELEMENT_BITS | (element as u64 + 1),
        }
    }
    true
}

/// Drops every pair whose key an earlier pair of the same hash has.
fn keep_first(
    pairs: &mut Vec<(u64, u32)>,
    same: &impl Fn(usize, usize) -> bool,
    repeated: &mut impl FnMut(usize),
    mut patience: usize,
) -> bool {
    let mut kept = 0;
    let mut run = 0;
    for at in 0..pairs.len() {
        let (hash, element) = pairs[at];
        if kept == 0 || pairs[kept - 1].0 != hash {
            run = kept;
        }
        let others = &pairs[run..kept];
        match others.iter().position(|(_, earlier)| same(*earlier as usize, element as usize)) {
            Some(_) => repeated(element as usize),
            None if others.len() > patience => return false,
            None => {
                patience -= others.len();
                pairs[kept] = (hash, element);
                kept += 1;
            }
        }
    }
    pairs.truncate(kept);
    true
}

/// The hasher of keyed lists: fast, or strong once a list has turned out hostile.
pub struct KeyHasher(Strength);

enum Strength {
    Fast(u64),
    Strong(DefaultHasher),
}

const SEED: u64 = 0x243F_6A88_85A3_08D3;
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl KeyHasher {
    fn new(strong: bool) -> Self {
        Self(if strong { Strength::Strong(DefaultHasher::new()) } else { Strength::Fast(SEED) })
    }

    /// A hasher of the same strength that has seen nothing.
    pub(crate) fn fresh(&self) -> Self {
        Self::new(matches!(self.0, Strength::Strong(_)))
    }
}

impl Default for KeyHasher {
    fn default() -> Self {
        Self::new(false)
    }
}

/// Multiplies to 128 bits and folds the halves, so that every input bit reaches every output bit.
#[expect(clippy::cast_possible_truncation, reason = "takes the product apart")]
#[inline]
fn mix(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * u128::from(MULTIPLIER);
    let [low, high] = [product as u64, (product >> 64) as u64];
    (low ^ high).rotate_left(23) ^ SEED
}

/// The last eight bytes, or all when there are fewer, in reads that may overlap.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    if let Some(word) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*word);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

impl Hasher for KeyHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Strength::Strong(hasher) => hasher.write(bytes),
            Strength::Fast(state) => {
                for word in bytes.as_chunks::<8>().0 {
                    *state = mix(*state, u64::from_le_bytes(*word));
                }
                *state = mix(*state, last_word(bytes) ^ (bytes.len() as u64).rotate_right(8));
            }
        }
    }

    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        match &mut self.0 {
            Strength::Strong(hasher) => hasher.write_u64(value),
            Strength::Fast(state) => *state = mix(*state, value),
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        match &self.0 {
            Strength::Strong(hasher) => hasher.finish(),
            Strength::Fast(state) => mix(*state, SEED),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::hash::Hash;

    use super::*;

    fn firsts(keys: &[String]) -> Vec<Option<usize>> {
        let index = FirstIndex::build(keys.len(), |i, hasher| keys[i].hash(hasher), |i, j| keys[i] == keys[j]);
        let find = |key: &String| index.find(|hasher| key.hash(hasher), |i| keys[i] == *key);
        assert_eq!(find(&"absent".to_owned()), None);
        keys.iter().map(find).collect()
    }

    #[test]
    fn every_length_finds_the_first_of_equal_keys() {
        for len in [0, 1, 2, 7, 8, 9, 100, 255, 256, 257, 1000] {
            let keys: Vec<String> = (0..len).map(|i| format!("key-{}", i * 7 % (len / 2 + 1))).collect();
            let want: Vec<_> = keys.iter().map(|key| keys.iter().position(|other| other == key)).collect();
            assert_eq!(firsts(&keys), want, "{len} elements");
        }
    }

    #[test]
    fn later_duplicates_are_reported_once_in_order() {
        for len in [0, 3, 8, 9, 256, 257, 600] {
            let keys: Vec<usize> = (0..len).map(|i| i * i % 97).collect();
            let mut got = Vec::new();
            duplicates(len, |i, hasher| keys[i].hash(hasher), |i, j| keys[i] == keys[j], |i| got.push(i));
            let want: Vec<usize> = (0..len).filter(|&i| keys[..i].contains(&keys[i])).collect();
            assert_eq!(got, want, "{len} elements");
        }
    }

    /// Keys that collide under the fast hash: the state meets a word equal to itself and becomes the same constant.
    fn hostile_keys(len: usize) -> Vec<[u64; 2]> {
        let collapse = |first: u64| [first, mix(SEED, first)];
        (0..len as u64).map(collapse).collect()
    }

    fn feed(key: [u64; 2], hasher: &mut KeyHasher) {
        for word in key {
            hasher.write_u64(word);
        }
    }

    #[test]
    fn hostile_keys_cost_no_quadratic_number_of_comparisons() {
        for len in [200, 20_000] {
            let keys = hostile_keys(len);
            let comparisons = Cell::new(0);
            let same = |i: usize, j: usize| {
                comparisons.set(comparisons.get() + 1);
                keys[i] == keys[j]
            };
            let index = FirstIndex::build(len, |i, hasher| feed(keys[i], hasher), same);
            assert!(index.strong, "the keys must collide for this test to mean something");
            for (i, key) in keys.iter().enumerate() {
                assert_eq!(index.find(|hasher| feed(*key, hasher), |j| same(i, j)), Some(i));
            }
            assert!(comparisons.get() < 5 * len, "{} comparisons for {len} keys", comparisons.get());
        }
    }

    #[test]
    fn hostile_duplicates_are_still_reported_once() {
        let mut keys = hostile_keys(300);
        keys.extend(hostile_keys(20));
        let mut got = Vec::new();
        duplicates(keys.len(), |i, hasher| feed(keys[i], hasher), |i, j| keys[i] == keys[j], |i| got.push(i));
        assert_eq!(got, (300..320).collect::<Vec<_>>());
    }

    #[test]
    fn similar_keys_have_different_hashes() {
        let hash = |text: &str| {
            let mut hasher = KeyHasher::default();
            text.hash(&mut hasher);
            hasher.finish()
        };
        let mut hashes: Vec<u64> = (0..10_000).map(|i| hash(&format!("device-{i}"))).collect();
        hashes.extend((0..64).map(|len| hash(&"\0".repeat(len))));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 10_064);
    }
}
