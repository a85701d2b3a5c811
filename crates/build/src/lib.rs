//! Runs the generator from a build script.
//!
//! The side of the authoring path that touches files: [`load`] finds API types on disk and reads them.

pub mod load;
