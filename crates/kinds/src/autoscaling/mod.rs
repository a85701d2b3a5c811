//! The group `autoscaling`.

pub mod v1;
