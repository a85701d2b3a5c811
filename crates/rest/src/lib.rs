//! What a write means, without a store: resources by declaration, and the two calls that every write goes through.
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

mod authority;
mod body;
mod column;
mod config;
mod conventions;
mod convert;
mod counters;
mod definition;
mod error;
mod gated;
mod gates;
mod info;
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
mod strategy;
mod subresource;
mod typed;
mod usual;
mod version_order;
pub mod wire;
mod write;

pub use crate::body::Body;
pub use crate::column::{Cell, CellSource, Column, age};
pub use crate::config::{
    DropHook, PrepareHook, PrepareUpdateHook, RestConfig, StatusConfig, StrategyConfig, SubresourceConfig,
    ValidateHook, ValidateUpdateHook, WarningsHook, WarningsUpdateHook,
};
pub use crate::conventions::Conventions;
pub use crate::counters::Counters;
pub use crate::definition::{Definition, Scope, Selectable, Version};
pub use crate::error::{ApiError, Cause, Details, Failure, Result, success};
pub use crate::gated::{Gated, Step};
pub use crate::gates::{FeatureGates, GateError, GateSpec, Release, Stage};
pub use crate::info::ResourceInfo;
pub use crate::names::{
    Entropy, GroupResource, GroupVersionKind, NameGenerator, NameRule, SimpleNameGenerator, api_version,
    split_api_version,
};
pub use crate::object_shape::with_object_meta;
pub use crate::observer::Observer;
pub use crate::offline::{DEFAULT_NAMESPACE, Offline, Outcome};
pub use crate::options::{DeleteOptions, ListOptions, OptionsKind, Propagation, WriteOptions};
pub use crate::program::{PartValues, ProgramConfig, SharedHooks};
pub use crate::request::{Context, Kinds, NoOtherKinds, Request};
pub use crate::resource::{Facts, GenerationAccessor, Resource, SpecAccessor, StatusAccessor};
pub use crate::scale::{ScalePaths, read as read_scale};
pub use crate::strategy::{Cx, GarbageCollection, Plain, ResetFields, Scheme, Strategy, User, Views};
pub use crate::subresource::{CreateSubresource, OptionsSubresource, Subresource, SubresourceKind};
pub use crate::typed::read_typed;
pub use crate::usual::reset_all_but;
pub use crate::version_order::compare_versions;
pub use crate::wire::{ObjectMeta, OwnerReference};
pub use crate::write::{Input, Judged, MODIFIED, Old, Patch, Read, UNVERSIONED_KINDS, Write};
pub use sprag_decode::{Decoded, Format};
