//! The function tables, one file per library.
//!
//! A library is a `pub(crate) static` slice of [`Overload`] rows, listed in [`ALL`]. Rows say from which Kubernetes
//! version on they exist. Order matters: overloads of one function are tried in the order of this list.

mod regex;

use crate::overload::Overload;
use crate::types::Sig;

/// All libraries in the order in which Kubernetes adds them.
pub static ALL: &[&[Overload]] = &[regex::TABLE];

/// Names of types in expressions, and since which Kubernetes version.
pub(crate) static TYPES: &[(&str, Sig, u16)] = &[
    ("bool", Sig::Bool, 0),
    ("bytes", Sig::Bytes, 0),
    ("double", Sig::Double, 0),
    ("google.protobuf.Duration", Sig::Duration, 0),
    ("google.protobuf.Timestamp", Sig::Timestamp, 0),
    ("int", Sig::Int, 0),
    ("list", Sig::LIST_A, 0),
    ("map", Sig::MAP_AB, 0),
    ("null_type", Sig::Null, 0),
    ("string", Sig::String, 0),
    ("type", Sig::A, 0),
    ("uint", Sig::Uint, 0),
    ("optional_type", Sig::Optional(&Sig::Dyn), 28),
    ("net.IP", Sig::Opaque("net.IP"), 30),
    ("net.CIDR", Sig::Opaque("net.CIDR"), 30),
];
