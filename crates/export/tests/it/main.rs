//! From tagged types to definitions, and both against the same objects.

#![expect(clippy::unwrap_used, reason = "tests may fail where they are")]

mod equivalence;
mod marker_table;
mod markers;
mod random;
mod schemas;
mod source;
