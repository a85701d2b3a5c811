//! Sharing of repeated keys within one text.

use crate::Key;

/// Slots for long keys seen earlier in the same text; a power of two.
const KEY_SLOTS: usize = 64;
/// Number of long keys that are read before any is remembered: a short text has little to share.
const HEAD_START: usize = 16;
/// Keys up to this length are stored inline, so sharing them would gain nothing.
const INLINE_KEY: usize = 15;

/// Lets equal long keys of one text share their bytes. Lives as long as the read, so no name outlives its objects.
#[derive(Default)]
pub struct KeyCache {
    /// The number of long keys before any was remembered.
    passed: usize,
    /// Empty until there are long keys enough.
    slots: Vec<Key>,
}

impl KeyCache {
    /// The key, sharing the bytes of an equal one that came through here before.
    #[inline]
    pub fn intern(&mut self, key: &str) -> Key {
        if key.len() <= INLINE_KEY {
            return Key::from(key);
        }
        self.intern_long(key)
    }

    fn intern_long(&mut self, key: &str) -> Key {
        if self.slots.is_empty() {
            self.passed += 1;
            if self.passed <= HEAD_START {
                return Key::from(key);
            }
            self.slots.resize(KEY_SLOTS, Key::new());
        }
        let bytes = key.as_bytes();
        let mix = bytes.len()
            ^ usize::from(bytes[0]) << 2
            ^ usize::from(bytes[bytes.len() / 2]) << 1
            ^ usize::from(bytes[bytes.len() - 1]);
        let slot = &mut self.slots[mix % KEY_SLOTS];
        if slot.as_str() != key {
            *slot = Key::from(key);
        }
        slot.clone()
    }
}
