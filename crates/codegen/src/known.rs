//! Go types that have a Rust counterpart of their own, by import path and name.

use proc_macro2::TokenStream;
use quote::quote;
use sprag_idl::model::Builtin;

/// The Rust counterpart of a well-known Go type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// A type of the value crate with this name.
    Named(&'static str),
    /// A type of the language itself.
    Plain(Builtin),
    /// Any value.
    Any,
}

const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

const TYPES: &[(&str, &str, Known)] = &[
    ("k8s.io/apimachinery/pkg/util/intstr", "IntOrString", Known::Named("IntOrString")),
    ("k8s.io/apimachinery/pkg/api/resource", "Quantity", Known::Named("Quantity")),
    (META, "Time", Known::Named("Time")),
    (META, "MicroTime", Known::Named("MicroTime")),
    (META, "Duration", Known::Named("Duration")),
    (META, "FieldsV1", Known::Any),
    ("k8s.io/apimachinery/pkg/runtime", "RawExtension", Known::Any),
    ("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON", Known::Any),
    ("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1", "JSON", Known::Any),
    ("k8s.io/apimachinery/pkg/types", "UID", Known::Plain(Builtin::String)),
    ("k8s.io/apimachinery/pkg/types", "NodeName", Known::Plain(Builtin::String)),
    ("k8s.io/apimachinery/pkg/types", "PatchType", Known::Plain(Builtin::String)),
    ("time", "Duration", Known::Plain(Builtin::Int64)),
    ("time", "Month", Known::Plain(Builtin::Int)),
    ("encoding/json", "RawMessage", Known::Any),
];

/// Crates whose types compare and print like those of the value crate.
const OWN_CRATES: &[&str] = &["sprag_value", "sprag"];

const OWN_TYPES: &[&str] =
    &["IntOrString", "Quantity", "Time", "MicroTime", "Duration", "ByteString", "RawExtension", "Value"];

/// The counterpart of a Go type, if it has one.
pub(crate) fn go(path: &str, name: &str) -> Option<Known> {
    TYPES.iter().find(|known| (known.0, known.1) == (path, name)).map(|known| known.2)
}

/// A type as [`Type::Foreign`](sprag_tags::types::Type::Foreign) names it: path and name.
pub(crate) fn split(foreign: &str) -> (&str, &str) {
    foreign.rsplit_once('.').unwrap_or(("", foreign))
}

/// True if a type that a Rust source names is one of ours.
pub(crate) fn is_own(path: &str, name: &str) -> bool {
    let krate = path.split("::").next().unwrap_or(path);
    OWN_CRATES.contains(&krate) && OWN_TYPES.contains(&name)
}

/// The Rust name of a built-in type; `None` if it has no Rust counterpart.
pub(crate) fn builtin(builtin: Builtin) -> Option<TokenStream> {
    Some(match builtin {
        Builtin::Bool => quote!(bool),
        Builtin::Int8 => quote!(i8),
        Builtin::Int16 => quote!(i16),
        Builtin::Int32 => quote!(i32),
        Builtin::Int | Builtin::Int64 => quote!(i64),
        Builtin::Uint8 => quote!(u8),
        Builtin::Uint16 => quote!(u16),
        Builtin::Uint32 => quote!(u32),
        Builtin::Uint | Builtin::Uint64 | Builtin::Uintptr => quote!(u64),
        Builtin::Float32 => quote!(f32),
        Builtin::Float64 => quote!(f64),
        Builtin::String | Builtin::Complex => return None,
    })
}
