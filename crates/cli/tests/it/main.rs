//! The built binary, run as a user runs it.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

mod api;
mod base;
mod book;
mod cel;
mod cel_sources;
mod check;
mod coverage;
mod crd_check;
mod definitions;
mod differences;
mod docs;
mod empty;
mod envtest;
mod errors;
mod examples;
mod explain;
mod first_contact;
#[cfg(unix)]
mod fixing;
mod fuzz;
mod gates;
mod generate;
mod habits;
mod handshake;
mod helm;
mod hostile;
mod installing;
mod known_metadata;
mod lint;
mod lsp;
mod operator;
mod own_tags;
mod pages;
mod real_types;
mod releases;
#[cfg(unix)]
mod rendering;
mod replay;
#[cfg(unix)]
mod repository;
mod rule_tests;
mod run;
#[cfg(unix)]
mod running;
mod schemas;
mod scratch;
mod serving;
mod settings;
mod type_errors;
mod unreadable;
mod updates;
mod upgrade;
mod usage;
mod validate;
mod validate_by;
mod yaml_texts;
