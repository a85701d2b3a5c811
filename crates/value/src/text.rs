//! The string type of the tree: 16 bytes, short strings inline, long ones shared.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use ecow::EcoString;

/// An immutable string of a [`Value`](crate::Value), used for keys and for string values.
///
/// Up to 15 bytes are stored inline; longer strings are shared between clones. Cloning never copies text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(EcoString);

/// The name of an object member.
pub type Key = Text;

impl Text {
    /// The empty string.
    pub const fn new() -> Self {
        Self(EcoString::new())
    }

    /// The text as a string slice.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether both are the same shared allocation, which makes them equal without looking at the bytes.
    #[inline]
    fn is_same(&self, other: &str) -> bool {
        self.as_str().as_ptr() == other.as_ptr()
    }

    /// Equality with a shortcut for shared text.
    #[inline]
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.len() == other.len() && (self.is_same(other) || self.as_bytes() == other.as_bytes())
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl From<&str> for Text {
    #[inline]
    fn from(text: &str) -> Self {
        Self(EcoString::from(text))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(EcoString::from(text))
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self(EcoString::from(text))
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        Self(EcoString::from(text))
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Self {
        text.clone()
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<Text> for str {
    fn eq(&self, other: &Text) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        *self == other.as_str()
    }
}

/// Whether two texts are equal; faster than `==` on short ones.
///
/// Compares word by word, in line: most texts of an object are too short to be worth a call.
#[inline]
pub fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    if a.len() > LONG_TEXT {
        return a == b;
    }
    let (a_words, a_rest) = a.as_chunks::<8>();
    let (b_words, b_rest) = b.as_chunks::<8>();
    let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
    a_words.iter().zip(b_words).all(|(a, b)| word(a) == word(b)) && a_rest.iter().zip(b_rest).all(|(a, b)| a == b)
}

/// Texts longer than this are compared by the platform's own function.
const LONG_TEXT: usize = 64;
