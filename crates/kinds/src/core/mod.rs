//! The group without a name.

pub mod config_map;
mod keys;
pub mod v1;
