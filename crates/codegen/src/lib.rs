//! Prints Rust.
