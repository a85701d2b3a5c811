//! Sharing of equal small containers within one text.
//!
//! Large texts say the same small things again and again: labels, ports, limits. A reader hands each container it
//! finishes to [`ShareCache`], which gives back an equal one from earlier in the text if it remembers one. Nothing can
//! tell the two apart: what is shared is copied when one of its owners changes it.
//!
//! The cost is bounded whatever the text: a fixed number of containers is remembered, only small ones are looked at,
//! and each is compared with two others at most, none of them deeper than its own parts.

use ecow::EcoVec;

use crate::object::{Entry, canonicalize, take_tail};
use crate::{Array, Object, Value};

/// Number of containers of a kind that are read before any is remembered: a short text has little to share.
const HEAD_START: u32 = 128;
/// The containers of a kind that are remembered; a power of two.
const SLOTS: usize = 1024;
/// The most parts of a container that is shared.
const MAX_PARTS: usize = 4;
/// The surplus of new over found containers at which the search is paused.
const PATIENCE: u32 = 2048;
/// For so many containers.
const PAUSE: u32 = 8 * PATIENCE;

/// Makes the containers of one text, and lets small ones that are equal share their parts. Lives as long as the read.
///
/// A fast path. Skips: memory for containers that the text repeats, and comparing them again member by member.
/// Safe: what is shared is copied when one of its owners changes it.
///
/// ```
/// use sprag_value::{Array, Entry, Object, ShareCache, Value};
///
/// let mut shared = ShareCache::default();
/// let mut members = vec![Entry::new("zone", "a"), Entry::new("rack", 1)];
/// let labels: Object = shared.object(&mut members, 0);
/// assert_eq!(labels.keys().collect::<Vec<_>>(), ["rack", "zone"]);
/// let list: Array = shared.array(&mut vec![Value::from(labels)], 0);
/// assert_eq!(list.len(), 1);
/// ```
#[derive(Default)]
pub struct ShareCache {
    objects: Table<Entry>,
    arrays: Table<Value>,
}

impl ShareCache {
    /// Takes the members of `scratch` from `start` on, in any order; the last of equal keys wins.
    #[inline]
    pub fn object(&mut self, scratch: &mut Vec<Entry>, start: usize) -> Object {
        canonicalize(scratch, start);
        Object(self.objects.container(scratch, start))
    }

    /// Takes the elements of `scratch` from `start` on.
    #[inline]
    pub fn array(&mut self, scratch: &mut Vec<Value>, start: usize) -> Array {
        Array(self.arrays.container(scratch, start))
    }
}

/// The containers of one kind that are remembered.
struct Table<P> {
    /// Containers to come before the next is looked for.
    ahead: u32,
    patience: u32,
    /// Pairs, the newer of the two first. Empty while nothing is looked for.
    slots: Vec<EcoVec<P>>,
}

impl<P> Default for Table<P> {
    fn default() -> Self {
        Self { ahead: HEAD_START, patience: PATIENCE, slots: Vec::new() }
    }
}

impl<P: Part> Table<P> {
    #[inline]
    fn container(&mut self, scratch: &mut Vec<P>, start: usize) -> EcoVec<P> {
        if self.ahead > 0 {
            self.ahead -= 1;
        } else if scratch.len() - start <= MAX_PARTS && scratch[start..].iter_mut().all(Part::is_shareable) {
            return self.shared(scratch, start);
        }
        take_tail(scratch, start)
    }

    fn shared(&mut self, scratch: &mut Vec<P>, start: usize) -> EcoVec<P> {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, EcoVec::new());
        }
        let parts = &scratch[start..];
        let newer = slot_of(parts);
        let older = newer + 1;
        for slot in [newer, older] {
            if is_same(&self.slots[slot], parts) {
                self.patience = (self.patience + 1).min(PATIENCE);
                scratch.truncate(start);
                return self.slots[slot].clone();
            }
        }
        let container = take_tail(scratch, start);
        self.patience -= 1;
        if self.patience == 0 {
            *self = Self { ahead: PAUSE, ..Self::default() };
        } else {
            self.slots.swap(newer, older);
            self.slots[newer] = container.clone();
        }
        container
    }
}

/// The first of the two slots for these parts.
fn slot_of<P: Part>(parts: &[P]) -> usize {
    let digest = parts.iter().fold(Digest(parts.len() as u64), |digest, part| part.digest(digest));
    digest.slot()
}

fn is_same<P: Part>(a: &[P], b: &[P]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
}

/// A number that is likely to be another for other parts.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    #[inline]
    fn add(self, word: u64) -> Self {
        /// Odd, and without a pattern in its bits.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        Self((self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR))
    }

    /// The ends of a long text stand for all of it, so that none costs more than another.
    #[inline]
    fn add_text(self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let word = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(start), Some(end)) => u64::from_le_bytes(*start) ^ u64::from_le_bytes(*end).rotate_left(28),
            _ => match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
                (Some(start), Some(end)) => {
                    u64::from(u32::from_le_bytes(*start)) | u64::from(u32::from_le_bytes(*end)) << 32
                }
                _ => bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            },
        };
        self.add(word ^ (text.len() as u64) << 56)
    }

    #[inline]
    fn slot(self) -> usize {
        const { assert!(SLOTS.is_power_of_two()) };
        // The upper bits depend on all the words.
        let top = self.0 >> (u64::BITS - SLOTS.trailing_zeros());
        usize::try_from(top).unwrap_or(0) & !1
    }
}

/// A part of a container.
trait Part: Clone {
    /// True if a container with this part can have an equal one: parts with parts must be shared themselves.
    fn is_shareable(&mut self) -> bool;

    /// True if nothing tells the two apart. Parts with parts are the same only if they share them.
    fn is_same(&self, other: &Self) -> bool;

    /// Adds the part to a digest.
    fn digest(&self, digest: Digest) -> Digest;
}

impl Part for Value {
    #[inline]
    fn is_shareable(&mut self) -> bool {
        match self {
            Self::Array(array) => array.is_empty() || !array.0.is_unique(),
            Self::Object(object) => object.is_empty() || !object.0.is_unique(),
            _ => true,
        }
    }

    #[inline]
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            // Zeros of both signs are equal, but do not print alike.
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Array(a), Self::Array(b)) => a.is_same(b),
            (Self::Object(a), Self::Object(b)) => a.is_same(b),
            (a, b) => a == b,
        }
    }

    #[inline]
    fn digest(&self, digest: Digest) -> Digest {
        match self {
            Self::Null => digest.add(0),
            Self::Bool(value) => digest.add(1 + u64::from(*value)),
            Self::Int(value) => digest.add(value.cast_unsigned()),
            Self::Float(value) => digest.add(value.to_bits()),
            Self::String(text) => digest.add_text(text),
            Self::Array(array) => array.iter().fold(digest, |digest, part| part.scalar(digest)),
            Self::Object(object) => object.values().fold(digest, |digest, part| part.scalar(digest)),
        }
    }
}

impl Value {
    /// Adds the value to a digest unless it has parts, so that a digest looks two levels down at most.
    fn scalar(&self, digest: Digest) -> Digest {
        if matches!(self, Self::Array(_) | Self::Object(_)) { digest } else { self.digest(digest) }
    }
}

impl Part for Entry {
    #[inline]
    fn is_shareable(&mut self) -> bool {
        self.value.is_shareable()
    }

    #[inline]
    fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && Part::is_same(&self.value, &other.value)
    }

    #[inline]
    fn digest(&self, digest: Digest) -> Digest {
        self.value.digest(digest.add_text(&self.key))
    }
}

#[cfg(test)]
mod tests;
