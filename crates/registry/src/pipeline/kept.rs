//! Entries that a list or a watch is yet to send.
//!
//! Who reads slowly keeps no state alive that the store itself has dropped: where the store shares its entries, they are only
//! referred to, and a list or a watch ends when one is gone, as it does when its state is no longer in the history.

use std::sync::{Arc, Weak};

use sprag_rest::{ApiError, Result};
use sprag_storage::{Entry, Store};

use super::list::EXPIRED;

/// Lists of up to so many bytes own their entries: they are sent at once.
const SMALL: usize = 64 << 10;
/// An object that was made for a list takes so many times the bytes of its text.
pub(super) const MADE_PER_BYTE: usize = 4;

/// An entry that is yet to be sent.
#[derive(Clone)]
pub(super) struct Kept {
    entry: Reference,
    pub(super) bytes: usize,
}

#[derive(Clone)]
enum Reference {
    Owned(Arc<Entry>),
    Shared(Weak<Entry>),
}

/// The entries of a list of this store.
pub(super) fn keep(store: &dyn Store, entries: Vec<Arc<Entry>>) -> Vec<Kept> {
    let bytes: usize = entries.iter().map(|entry| entry.value.len()).sum();
    let is_shared = store.shares_entries() && bytes > SMALL;
    let kept = |entry: Arc<Entry>| {
        let bytes = entry.value.len();
        let entry = if is_shared { Reference::Shared(Arc::downgrade(&entry)) } else { Reference::Owned(entry) };
        Kept { entry, bytes }
    };
    entries.into_iter().map(kept).collect()
}

impl Kept {
    /// An entry that nobody else has.
    pub(super) fn owned(entry: Arc<Entry>) -> Kept {
        Kept { bytes: entry.value.len(), entry: Reference::Owned(entry) }
    }

    /// The bytes that are in memory only for this.
    pub(super) fn owned_bytes(&self) -> usize {
        if matches!(self.entry, Reference::Owned(_)) { self.bytes } else { 0 }
    }

    /// The entry, unless it is gone.
    pub(super) fn get(&self) -> Option<Arc<Entry>> {
        match &self.entry {
            Reference::Owned(entry) => Some(entry.clone()),
            Reference::Shared(entry) => entry.upgrade(),
        }
    }

    /// The entry, or the error that the state is too old.
    pub(super) fn take(&self) -> Result<Arc<Entry>> {
        self.get().ok_or_else(|| ApiError::expired(EXPIRED))
    }
}
