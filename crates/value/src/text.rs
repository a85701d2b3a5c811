//! The string type of the tree: 16 bytes, short strings inline, long ones shared.

use std::borrow::{Borrow, Cow};
use std::fmt;
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
        std::ptr::eq(self.as_str(), other.as_str()) || self.as_str() == other.as_str()
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
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<Text> for str {
    #[inline]
    fn eq(&self, other: &Text) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Text> for &str {
    #[inline]
    fn eq(&self, other: &Text) -> bool {
        *self == other.as_str()
    }
}
