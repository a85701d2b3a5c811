//! Resources by declaration: conventions of Kubernetes by default, hooks where one differs, storage behind it all.
//!
//! An API author declares a typed resource with [`RestConfig`] and hooks with [`StrategyConfig`]; that yields a
//! [`Definition`], which the server, discovery and API documents read. A [`Registry`] holds definitions over one store and
//! answers requests:
//!
//! ```text
//!  object ─► type, name and namespace fit the request
//!         ─► defaults; who owns which field
//!         ─► into the hub version: strategy.prepare (wipe, drop gated fields, count generations)
//!         ─► validate: metadata, hooks on the hub version, rules on the requested one, the old object converted to both
//!         ─► into the storage version: compare and swap ─► event ─► answer in the requested version
//! ```
//!
//! What differs between kinds is behind two traits, [`Strategy`] and [`Scheme`]: generated types, interpreted
//! types and custom resources are implementations of them, and the pipeline knows none of those. Code of authors runs
//! guarded: a panic is counted and answered.
//!
//! Deleting what deleted objects own is up to a [`GarbageCollector`], emptying namespaces to
//! [`Registry::finish_namespaces`]; the server runs both, tests call them.
//!
//! Does not know: HTTP, content types, databases. Clock and randomness are arguments.

mod body;
mod cache;
mod column;
mod config;
mod counters;
mod definition;
mod encoded;
mod error;
mod gates;
mod gc;
mod managed;
pub mod meta;
mod names;
mod namespace;
mod object_shape;
mod observer;
mod options;
mod pipeline;
mod registry;
mod resource;
mod scale;
pub mod selector;
mod strategy;
mod subresource;
mod token;
mod typed;
mod version_order;
pub mod wire;

pub use crate::body::Body;
pub use crate::column::{Cell, CellSource, Column, age};
pub use crate::config::{
    DropHook, PrepareHook, PrepareUpdateHook, RestConfig, StatusConfig, StrategyConfig, ValidateHook,
    ValidateUpdateHook, WarningsHook, WarningsUpdateHook,
};
pub use crate::counters::Counters;
pub use crate::definition::{Definition, Scope, Selectable, Version};
pub use crate::encoded::Line;
pub use crate::error::{ApiError, Cause, Details, Failure, Result};
pub use crate::gates::{FeatureGates, GateError, GateSpec, Release, Stage};
pub use crate::gc::GarbageCollector;
pub use crate::names::{
    Entropy, GroupResource, GroupVersionKind, NameGenerator, NameRule, SimpleNameGenerator, SystemEntropy, api_version,
    split_api_version,
};
pub use crate::namespace::{complete_namespace, namespaces};
pub use crate::observer::Observer;
pub use crate::options::{DeleteOptions, ListOptions, Propagation, Write, WriteOptions};
pub use crate::pipeline::{
    INITIAL_EVENTS_END, List, Patch, UNVERSIONED_KINDS, WatchEvent, WatchKind, WatchLine, WatchStream,
};
pub use crate::registry::{Answer, Builder, Registry, Request, Sleep};
pub use crate::resource::{Facts, Gated, GenerationAccessor, Resource, SpecAccessor, StatusAccessor, Step};
pub use crate::scale::ScalePaths;
pub use crate::strategy::{Cx, GarbageCollection, ReadObject, ResetFields, Scheme, Strategy, User, Views};
pub use crate::subresource::{CreateSubresource, OptionsSubresource, Subresource, SubresourceKind};
pub use crate::typed::reset_all_but;
pub use crate::version_order::compare_versions;
pub use crate::wire::{ObjectMeta, OwnerReference};
pub use sprag_decode::Format;
