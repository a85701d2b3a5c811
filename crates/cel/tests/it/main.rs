//! The recorded suites, run against the public interface.

mod kubernetes;
mod shown;
mod spec;
mod textproto;
