//! The public interface: declared types, hostile and random texts. The recorded suites run in `sprag-conformance`.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![expect(clippy::disallowed_methods, reason = "a test measures its own process")]

mod budget;
mod declared;
mod fuzz;
mod hostile;
mod literal;
mod memory;
mod releases;
