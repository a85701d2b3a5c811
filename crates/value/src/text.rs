//! The string type of the tree: 16 bytes, short strings inline, long ones shared.

use std::borrow::{Borrow, Cow};
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use ecow::EcoString;

/// An immutable string of a [`Value`](crate::Value), used for keys and for string values.
///
/// Up to 15 bytes are stored inline; longer strings are shared between clones. Cloning never copies text.
#[derive(Clone, Default, Eq, PartialOrd, Ord)]
pub struct Text(EcoString);

/// The name of an object member.
pub type Key = Text;

impl Text {
    /// The empty string.
    pub const fn new() -> Self {
        Self(EcoString::new())
    }

    /// The text that a value displays; a short one needs no memory of its own.
    pub(crate) fn display(value: &(impl fmt::Display + ?Sized)) -> Self {
        let mut text = EcoString::new();
        write!(text, "{value}").expect("a value that is displayed without an error");
        Self(text)
    }

    /// The text as a string slice.
    #[inline]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// Shared text is equal without a look at the bytes.
impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.as_str(), other.as_str()) || same_text(self, other)
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
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
    #[inline]
    fn eq(&self, other: &str) -> bool {
        same_text(self, other)
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        same_text(self, other)
    }
}

impl PartialEq<Text> for str {
    #[inline]
    fn eq(&self, other: &Text) -> bool {
        same_text(self, other)
    }
}

impl PartialEq<Text> for &str {
    #[inline]
    fn eq(&self, other: &Text) -> bool {
        same_text(self, other)
    }
}

/// True if two texts are equal; faster than `==` on short ones.
///
/// A fast path. Skips: the call of `memcmp`, by comparing the ends in line; most texts are that short.
/// Safe: the ends of a short text cover it, and longer ones are compared with `==`.
#[inline]
pub fn same_text(a: &str, b: &str) -> bool {
    if a.len() > SHORT_TEXT { a == b } else { same_short_text(a, b) }
}

/// Texts up to this length are compared in line.
pub(crate) const SHORT_TEXT: usize = 32;

/// True if two texts are equal, of which the second is short.
#[inline]
pub(crate) fn same_short_text(a: &str, b: &str) -> bool {
    let a = a.as_bytes();
    let b = b.as_bytes();
    if a.len() != b.len() {
        return false;
    }
    // The ends of a short text overlap and cover it.
    if let (Some(a_start), Some(b_start)) = (a.first_chunk::<16>(), b.first_chunk::<16>()) {
        return a_start == b_start && a.last_chunk::<16>() == b.last_chunk();
    }
    if let (Some(a_start), Some(b_start)) = (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        return a_start == b_start && a.last_chunk::<8>() == b.last_chunk();
    }
    if let (Some(a_start), Some(b_start)) = (a.first_chunk::<4>(), b.first_chunk::<4>()) {
        return a_start == b_start && a.last_chunk::<4>() == b.last_chunk();
    }
    a.iter().zip(b).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::same_text;

    #[test]
    fn a_difference_anywhere_is_seen() {
        for len in 0..70 {
            let text = "x".repeat(len);
            assert!(same_text(&text, &text.clone()) && !same_text(&text, &"x".repeat(len + 1)));
            for at in 0..len {
                let mut other = text.clone();
                other.replace_range(at..=at, "y");
                assert!(!same_text(&text, &other), "{other}");
            }
        }
    }
}
