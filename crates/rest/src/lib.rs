//! Semantics of writes, without a store: resource declarations, and the two calls that every write goes through.
//!
//! An API author declares a typed resource with [`RestConfig`] and hooks with [`StrategyConfig`]; that yields a
//! [`Definition`], which the server, discovery and API documents read, too. A [`Write`] is one request against a
//! definition:
//!
//! ```text
//!  bytes ─► read   decode, patch or apply onto the old object, default, prune, managed fields   (requested version)
//!        ─► mutating admission, driven by the caller; what it changed is read again
//!        ─► judge  prepare (wipe, drop gated fields, count generations), metadata, hooks on the hub version,
//!                  rules on the requested one, warnings
//!        ─► validating admission, driven by the caller ─► the object to store
//! ```
//!
//! What differs between kinds is behind two traits, [`Strategy`] and [`Scheme`]: compiled types, programs of tagged types and
//! custom resources are implementations of them. Code of authors runs guarded: a panic is counted and answered.
//!
//! Does not know: stores, HTTP, async. Clock and randomness are arguments.
//!
//! ```
//! use std::sync::Arc;
//!
//! use sprag_program::{DefId, DefLayout, Form, NoHooks, Program, ProgramParts, Resource, ResourceFacts, TypeId, TypeLayout};
//! use sprag_rest::{Offline, ProgramConfig};
//! use sprag_shape::{self as shape, Field, Kind, Shapes, TypeRef, TypeShape};
//! use sprag_value::json;
//!
//! // Usually `sprag_tags::program` makes a program, from `struct Widget { size: i32 }` in this case.
//! let number = TypeShape::new("", Kind::Int { bits: 32, signed: true });
//! let fields = vec![Field::new("size", "size", TypeRef::value(shape::TypeId(0)))];
//! let widget = TypeShape::new("v1.Widget", Kind::of_fields(fields.into()));
//! let resource = Resource {
//!     def: DefId(0),
//!     group: None,
//!     version: None,
//!     kind: "Widget".into(),
//!     go_type: "*v1.Widget".into(),
//!     shape: shape::TypeId(1),
//!     releases: sprag_rest::Releases::ALL,
//!     facts: ResourceFacts::default(),
//! };
//! let program = Program::new(ProgramParts {
//!     shapes: Shapes::new(vec![number, widget]),
//!     types: vec![TypeLayout { form: Form::Struct(DefId(0)), pointer: false, shape: shape::TypeId(1) }],
//!     defs: vec![DefLayout { ty: TypeId(0), members: vec![] }],
//!     resources: vec![resource.clone()],
//!     ..ProgramParts::default()
//! });
//!
//! let offline = Offline::default();
//! let config = ProgramConfig::new(Arc::new(program), Arc::new(NoHooks));
//! let widgets = offline.resource(config.define("example.com", "v1", &resource));
//! let text = br#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"Big_One"},"sise":3}"#;
//! let outcome = offline.judge(&widgets, "v1", json::parse(text)?, None)?;
//! assert_eq!(outcome.findings[0].to_string(), r#"unknown field "sise""#);
//! assert!(outcome.judged.errors[0].to_string().starts_with(r#"metadata.name: Invalid value: "Big_One""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocate;
mod authority;
mod body;
mod column;
mod config;
mod conventions;
mod convert;
mod counters;
mod created;
mod definition;
mod error;
mod gated;
mod gates;
mod info;
mod kubernetes_gates;
mod label_selector;
mod managed;
pub mod meta;
mod names;
mod object_shape;
mod observer;
mod offline;
mod options;
mod program;
mod request;
mod resource;
mod scale;
pub mod selector;
mod spoke;
mod strategy;
mod subresource;
mod typed;
mod unreadable;
mod usual;
mod version_order;
pub mod weight;
pub mod wire;
mod write;

pub use crate::allocate::{Allocation, Allocator, Claim, Hints, Holder, MAX_HINTS, Record, Records, Taken};
pub use crate::body::Body;
pub use crate::column::{Cell, CellSource, Column, age, human_duration};
pub use crate::config::{
    DropHook, GracefulDeleteHook, PrepareHook, PrepareUpdateHook, RefuseDeleteHook, RestConfig, StatusConfig,
    StrategyConfig, SubresourceConfig, ValidateHook, ValidateUpdateHook, WarningsDeleteHook, WarningsHook,
    WarningsUpdateHook,
};
pub use crate::conventions::Conventions;
pub use crate::counters::{ByIdentifier, Counters};
pub use crate::definition::{Definition, Scope, Selectable, Unstored, Version};
pub use crate::error::{ApiError, Cause, Details, Failure, Result, created, success};
pub use crate::gated::{Gated, Step};
pub use sprag_release::{Fact, MinorVersion, Release, ReleaseListError, Releases, UnknownRelease};

pub use crate::gates::{FeatureGates, GateError, GateSpec, Stage, parse_bool};
pub use crate::info::ResourceInfo;
pub use crate::kubernetes_gates::{kubernetes_gate, kubernetes_gate_names};
pub use crate::label_selector::{labels_text, selector_text};
pub use crate::managed::scale_shape;
pub use crate::names::{
    Entropy, GroupResource, GroupVersionKind, NameGenerator, NameRule, SimpleNameGenerator, api_version, new_uid,
    split_api_version,
};
pub use crate::object_shape::with_object_meta;
pub use crate::observer::{Difference, Findings, Observer};
pub use crate::offline::{DEFAULT_NAMESPACE, Offline, Outcome};
pub use crate::options::{DeleteOptions, ListOptions, OptionsKind, Propagation, WriteOptions};
pub use crate::program::{Convertible, PartValues, ProgramConfig, ProgramResource, SharedHooks, ShowValues};
pub use crate::request::{Context, Kinds, NoOtherKinds, Request};
pub use crate::resource::{EmbeddedRules, Facts, GenerationAccessor, Resource, SpecAccessor, StatusAccessor};
pub use crate::scale::{ScalePaths, ScaleSelector, read as read_scale};
pub use crate::strategy::{Cx, GarbageCollection, NotConverted, Plain, ResetFields, Scheme, Strategy, User, Views};
pub use crate::subresource::{
    AnswerCreate, AnswerSubresource, Answered, Backend, ConnectSubresource, CreateSubresource, Observe, Referenced,
    Subresource, SubresourceKind, TokenIssuer,
};
pub use crate::typed::read_typed;
pub use crate::unreadable::Unreadable;
pub use crate::usual::reset_all_but;
pub use crate::version_order::compare_versions;
pub use crate::wire::{ObjectMeta, OwnerReference};
pub use crate::write::{Input, Judged, MODIFIED, Old, Patch, Read, Scaled, UNVERSIONED_KINDS, Write};
pub use sprag_decode::{Decoded, Format};
