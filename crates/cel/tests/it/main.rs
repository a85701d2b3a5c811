//! The recorded suites, run against the public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]
#![expect(clippy::disallowed_methods, reason = "tests read the recorded suites")]

mod declared;
mod fuzz;
mod hostile;
mod kubernetes;
mod shown;
mod spec;
mod textproto;
