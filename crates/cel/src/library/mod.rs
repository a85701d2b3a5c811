//! The function tables, one file per library.
//!
//! A library is a `pub(crate) static` slice of [`Overload`] rows, listed in [`ALL`]. Rows say from which Kubernetes
//! version on they exist. Order matters: overloads of one function are tried in the order of this list.

mod address;
mod authz;
mod cidr;
mod convert;
mod insert;
mod ip;
mod jsonpatch;
mod list_ext;
mod lists;
mod named_format;
mod operators;
mod optional;
mod quantity;
mod regex;
mod semver;
mod sets;
mod string_format;
mod strings;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod url;

pub use self::url::UrlParts;
use std::net::IpAddr;

use crate::cost::{Argument, Bounds, STRING_TRAVERSAL};
use crate::overload::Overload;
use crate::types::{Sig, Type};

pub use self::named_format::{is_base64, is_date, is_date_time};
pub use self::url::parse_request_uri;
pub use crate::value::parse_duration;

/// The address in a text as Go's `net.ParseIP` reads it.
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    address::parse(text).ok().filter(|parsed| !parsed.zone).map(|parsed| parsed.address)
}

/// All libraries in the order in which Kubernetes adds them.
pub static ALL: &[&[Overload]] = &[
    operators::LOGIC,
    operators::ARITHMETIC,
    operators::LESS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::GREATER_EQUALS,
    text::TABLE,
    convert::TABLE,
    time::TABLE,
    url::TABLE,
    regex::TABLE,
    authz::TABLE,
    optional::TABLE,
    quantity::TABLE,
    strings::TABLE,
    sets::TABLE,
    ip::TABLE,
    cidr::TABLE,
    named_format::TABLE,
    insert::TABLE,
    semver::TABLE,
    list_ext::TABLE,
    list_ext::SORT,
    list_ext::SORT_BY_KEYS,
    lists::IS_SORTED,
    lists::SUM,
    lists::MAX,
    lists::MIN,
    lists::PLACES,
    jsonpatch::TABLE,
];

/// Names of types in expressions, and since which Kubernetes version.
pub(crate) static TYPES: &[(&str, Sig, u16)] = &[
    ("bool", Sig::Bool, 0),
    ("bytes", Sig::Bytes, 0),
    ("double", Sig::Double, 0),
    ("google.protobuf.Duration", Sig::Duration, 0),
    ("google.protobuf.Timestamp", Sig::Timestamp, 0),
    ("int", Sig::Int, 0),
    ("list", Sig::List(&Sig::Dyn), 0),
    ("map", Sig::Map(&Sig::Dyn, &Sig::Dyn), 0),
    ("null_type", Sig::Null, 0),
    ("string", Sig::String, 0),
    ("type", Sig::A, 0),
    ("uint", Sig::Uint, 0),
    ("optional_type", Sig::Optional(&Sig::Dyn), 28),
    ("net.IP", Sig::Opaque("net.IP"), 30),
    ("net.CIDR", Sig::Opaque("net.CIDR"), 30),
];

pub(crate) use self::convert::{FOLDED, converts};
pub(crate) use self::semver::precedence;
pub(crate) use self::string_format::{Clauses, Piece, Verb};

/// The estimated cost of `==` between two values of one library type; nothing for other types.
fn estimate_opaque_equality(left: &Argument<'_>, right: &Argument<'_>) -> Option<Bounds> {
    let _ = left;
    match &right.ty {
        Type::Opaque(_) => Some(Bounds::fixed(1)),
        Type::Object(name) => match &**name {
            "kubernetes.NamedFormat" => Some(Bounds { min: 1, max: MAX_FORMAT_SIZE }.scale(STRING_TRAVERSAL)),
            "kubernetes.URL" => {
                let max = right.computed.map_or(1, |size| size.max);
                Some(Bounds { min: 1, max }.scale(STRING_TRAVERSAL))
            }
            name if name.starts_with("kubernetes.") => Some(Bounds::fixed(1)),
            _ => None,
        },
        _ => None,
    }
}

/// The longest name of a named format.
const MAX_FORMAT_SIZE: u64 = 64;
