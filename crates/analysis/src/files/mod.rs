//! The sources of documents: files, folders, standard input and git revisions, cut into batches for the workers.
//!
//! Knows nothing of what a document means.

mod batch;
mod boundary;
mod discover;
mod encoding;
pub(crate) mod git;
pub(crate) mod glob;
mod limited;
mod place;

pub(crate) use self::batch::{Batch, Batches};
pub(crate) use self::boundary::{Boundary, Refusal};
pub(crate) use self::discover::{Content, Discovery, Found, IgnorePatterns, STDIN};
pub(crate) use self::limited::read_limited;
pub(crate) use self::place::Place;
