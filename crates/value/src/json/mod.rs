//! JSON in and out, with the texts and number forms of Go's `encoding/json`.
//!
//! [`Scanner`] yields events with offsets and borrowed strings; [`parse`] builds a [`Value`](crate::Value) from them.
//! Strict readers put their own findings on top of the same scanner.

mod error;
#[doc(hidden)]
pub mod fuzz;
mod known;
mod number;
mod read;
mod scan;
mod string;
mod write;

pub use self::error::{JsonError, JsonErrorKind, Position};
pub use self::known::KnownMember;
pub use self::read::{Parsed, parse, parse_knowing, parse_noting};
pub use self::scan::{Event, Scanner};
pub use self::write::{
    Escape, as_written, to_string, to_string_plain, write_float, write_float32, write_int, write_string, write_value,
};

/// The largest text that [`Scanner`] accepts, in bytes.
pub const MAX_INPUT_BYTES: usize = 256 << 20;

#[cfg(test)]
mod tests;
