//! Findings over a type model and its tags.
//!
//! Does not know files or terminals. The three rules here are the ones the reference generator applies by default.

mod coverage;
mod rules;
mod walk;

pub use crate::walk::{NOLINT_TAG, lint};
