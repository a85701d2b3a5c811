//! Files as a source of texts: paths of a command line, patterns, folders, standard input and git revisions.
//!
//! Knows nothing of what a document means.

#![expect(clippy::disallowed_methods, reason = "the only module that reads files, the environment and git")]

mod boundary;
mod discover;
mod error;
pub mod git;
pub mod glob;
mod ignore_files;
mod layout;
mod limited;
mod place;
mod reach;
mod schema_location;

pub use self::boundary::{Boundary, Refusal};
pub use self::discover::{Content, Discovery, Found, IgnorePatterns, STDIN};
pub use self::error::ReadError;
pub use self::layout::Layout;
pub use self::limited::read_limited;
pub use self::place::Place;
pub use self::reach::{ChartSchemas, is_remote_kustomization, schemas_of_chart};
pub use self::schema_location::{SchemaLocation, has_schemas};
