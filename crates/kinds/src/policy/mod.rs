//! The group `policy`.

pub mod v1;
