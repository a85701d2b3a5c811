//! `OpenAPI` documents: one of version 3 for each version of a group, and one of version 2 for everything.
//!
//! Schemas are made in the terms of version 3; `downgrade` makes those of version 2 of them. Paths are made of
//! `route`, which know neither.

mod closure;
mod documents;
mod downgrade;
mod known;
mod names;
mod param;
mod proto;
mod route;
mod ruled;
mod typed;
mod v2;
mod v3;
mod written;

use sprag_rest::Release;

pub use self::documents::{Document, Documents};
pub use self::v2::openapi_v2;
pub use self::v3::{openapi_v3, openapi_v3_index};

/// Options that differ between servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The version of Kubernetes that documents of compiled kinds claim.
    pub version: String,
    /// True if writes take `fieldValidation`.
    pub field_validation: bool,
    /// True if documents of compiled kinds list the values of enumerations.
    pub enums: bool,
    /// The release whose definitions all groups share.
    pub release: Release,
}

impl Default for Options {
    fn default() -> Options {
        Options { version: "unversioned".into(), field_validation: true, enums: true, release: Release::NEWEST }
    }
}

/// An edition of the specification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    V2,
    V3,
}

impl Dialect {
    /// A schema that refers to a definition.
    fn reference(self, name: &str) -> sprag_value::Value {
        let prefix = match self {
            Dialect::V2 => downgrade::PREFIX,
            Dialect::V3 => closure::PREFIX,
        };
        object! { "$ref": format!("{prefix}{name}") }
    }
}
