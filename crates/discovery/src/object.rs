//! Objects written as they look in JSON.

use sprag_value::Value;

/// An object with these members.
macro_rules! object {
    ($($key:literal : $value:expr),* $(,)?) => {
        sprag_value::Value::Object([$(sprag_value::Entry::new($key, $value)),*].into_iter().collect())
    };
}

/// A list of texts.
pub(crate) fn texts(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Value {
    texts.into_iter().map(|text| Value::from(text.as_ref())).collect()
}
