//! The group `batch`.

pub mod v1;
