//! The group `autoscaling`.

#[cfg(feature = "types")]
pub mod v1;
#[cfg(feature = "types")]
pub mod v2;
