//! Rust types from and to [`Value`](crate::Value) through serde.

mod de;
mod error;
mod go;
mod ser;
mod tree;

pub use self::de::from_value;
pub use self::error::BridgeError;
pub use self::go::go_json;
pub use self::ser::to_value;

#[cfg(test)]
mod tests;
