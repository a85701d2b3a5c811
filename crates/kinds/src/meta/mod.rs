//! What types of several groups are made of.

mod label_selector;
pub mod v1;

pub(crate) use self::label_selector::{has_bad_values, validate};
