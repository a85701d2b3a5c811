//! Findings about objects, and their output formats: one file per format.
//!
//! Knows nothing of how it was found.

mod finding;
mod format;
mod github;
mod json;
mod junit;
mod resource;
mod sarif;
mod tap;
mod text;
pub(crate) mod visible;
pub(crate) mod wire;
pub(crate) mod xml;

pub(crate) use self::finding::{Cause, Finding, Origin, Place, RulePlace, Severity};
pub(crate) use self::format::{Format, Options, Render, renderer};
pub(crate) use self::github::{data as github_data, property as github_property};
pub(crate) use self::resource::{FileReport, Identity, Resource, Rules, Status, Totals};
pub(crate) use self::sarif::uri as sarif_uri;
pub(crate) use self::tap::escape as tap_escape;
