//! A request: where it goes, who makes it, and what its outcome depends on beside the objects.

use std::sync::Arc;

use sprag_value::Time;

use crate::counters::Counters;
use crate::definition::Definition;
use crate::gates::FeatureGates;
use crate::names::Entropy;
use crate::observer::Observer;
use crate::strategy::User;

/// The target and the user of a request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The API group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The plural name of the resource.
    pub resource: &'a str,
    /// The namespace; empty for none or all.
    pub namespace: &'a str,
    /// The name; empty for the collection.
    pub name: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The user.
    pub user: &'a User,
}

/// The environment of a write: clock, randomness, feature gates.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The feature gates.
    pub gates: &'a FeatureGates,
    /// The time of the request.
    pub now: Time,
    /// The source of uids and generated names.
    pub entropy: &'a dyn Entropy,
    /// Counts panics and mismatches.
    pub counters: &'a Counters,
    /// Learns how long validation takes, if anybody wants to know.
    pub observer: Option<&'a dyn Observer>,
    /// The kinds that are served beside this one.
    pub kinds: &'a dyn Kinds,
    /// True if errors that do not refuse the object are collected: what ratcheting forgives, and rules that are not enforced.
    pub lists_tolerated: bool,
    /// True if managed fields are computed. Without them, the object that is judged has none; no verdict depends on them.
    pub manages_fields: bool,
}

/// The kinds that are served together. Errors about a body of another kind depend on whether that kind is known.
pub trait Kinds: Sync {
    /// All definitions.
    fn definitions(&self) -> Vec<Arc<Definition>>;
}

/// No other kinds.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOtherKinds;

impl Kinds for NoOtherKinds {
    fn definitions(&self) -> Vec<Arc<Definition>> {
        Vec::new()
    }
}
