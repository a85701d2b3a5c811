//! The object: what is applied goes in, what nobody applies any more goes out.

pub(in crate::apply) mod configuration;
pub(in crate::apply) mod prune;
pub(in crate::apply) mod remove;
pub(in crate::apply) mod values;
