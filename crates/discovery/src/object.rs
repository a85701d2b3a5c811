//! Objects written as they look in JSON.

/// An object with these members.
macro_rules! object {
    ($($key:literal : $value:expr),* $(,)?) => {
        sprag_value::Value::Object([$(sprag_value::Entry::new($key, $value)),*].into_iter().collect())
    };
}
