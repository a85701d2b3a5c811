//! The group `apps`.

pub mod v1;
