//! Bytes that are base64 text on the wire, as Go's `[]byte` is.

use std::fmt;
use std::ops::Deref;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base64::{decode, encode};

/// Bytes that are base64 text on the wire.
///
/// ```
/// use sprag_value::ByteString;
///
/// let bytes: ByteString = sprag_value::from_value(&"aGk=".into()).unwrap();
/// assert_eq!(&*bytes, b"hi");
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteString(pub Vec<u8>);

impl Deref for ByteString {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for ByteString {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for ByteString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

impl Serialize for ByteString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64)
    }
}

struct Base64;

impl Visitor<'_> for Base64 {
    type Value = ByteString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("base64 text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ByteString, E> {
        decode(text).map(ByteString).map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }

    fn visit_unit<E: Error>(self) -> Result<ByteString, E> {
        Ok(ByteString::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_and_encoded_back() {
        let bytes: ByteString = serde_json::from_str("\"AP8=\"").unwrap();
        assert_eq!(bytes.0, [0, 255]);
        assert_eq!(serde_json::to_string(&bytes).unwrap(), "\"AP8=\"");
        assert_eq!(format!("{bytes:?}"), r#""\x00\xff""#);
    }

    #[test]
    fn text_that_is_not_base64_is_refused() {
        let error = serde_json::from_str::<ByteString>("\"a\"").unwrap_err().to_string();
        assert!(error.contains("expected base64 text"), "{error}");
    }
}
