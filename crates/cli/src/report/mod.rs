//! Findings about objects, and their output formats: one file per format.
//!
//! Knows nothing of how it was found.

mod format;
mod github;
mod json;
mod junit;
mod passed_over;
pub(crate) mod position;
mod sarif;
mod tap;
mod text;
mod totals;
pub(crate) mod visible;
pub(crate) mod wire;
pub(crate) mod xml;

pub(crate) use self::format::{Advice, Format, Options, Render, renderer};
pub(crate) use self::github::{data as github_data, property as github_property};
pub(crate) use self::sarif::uri as sarif_uri;
pub(crate) use self::tap::escape as tap_escape;
pub(crate) use self::totals::Totals;
