//! One file per suite.

pub(crate) mod bad_tags;
pub(crate) mod formats;
pub(crate) mod generated;
pub(crate) mod validation_gen;
