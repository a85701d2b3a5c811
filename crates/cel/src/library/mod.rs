//! The function tables, one file per library.
//!
//! A library is a `pub(crate) static` slice of [`Overload`] rows, listed in [`ALL`]. Rows say from which Kubernetes
//! version on they exist. Order matters: overloads of one function are tried in the order of this list.

mod regex;

use crate::overload::Overload;

/// All libraries in the order in which Kubernetes adds them.
pub static ALL: &[&[Overload]] = &[regex::TABLE];
