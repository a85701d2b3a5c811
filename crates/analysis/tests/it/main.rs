//! Verdicts on texts in memory, and what the crate is not made of.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod dependencies;
mod verdicts;
