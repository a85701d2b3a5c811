//! The group `coordination.k8s.io`.

pub mod v1;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, RestConfig, StrategyConfig};
use sprag_validate::format::Format;

use crate::columns::{string, text};
use v1::{Lease, LeaseSpec};

/// The strategy that is not somebody's own.
const KNOWN_STRATEGIES: [&str; 1] = ["OldestEmulationVersion"];

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![leases()]
}

/// The definition of `leases`.
fn leases() -> Definition {
    let strategy = StrategyConfig::<Lease>::new()
        .validate(|_, new, errors| validate(&new.spec, errors))
        .validate_update(|_, new, _, errors| validate(&new.spec, errors))
        .allow_create_on_update(true)
        .allow_unconditional_update(false)
        .without_generation();
    RestConfig::new("coordination.k8s.io", "v1", "leases")
        .columns([
            text("Holder", "Who holds it.", |object| string(object, &["spec", "holderIdentity"]).into()),
            Column::age(),
        ])
        .strategy(strategy)
        .define()
}

fn validate(spec: &LeaseSpec, errors: &mut Errors) {
    let path = Path::new("spec");
    if let Some(seconds) = spec.lease_duration_seconds.filter(|seconds| *seconds <= 0) {
        errors.push(Error::invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0"));
    }
    if let Some(times) = spec.lease_transitions.filter(|times| *times < 0) {
        errors.push(Error::invalid(&path.child("leaseTransitions"), times, "must be greater than or equal to 0"));
    }
    let strategy = spec.strategy.as_ref().map(|strategy| strategy.0.as_str());
    if let Some(strategy) = strategy {
        validate_strategy(strategy, &path.child("strategy"), errors);
    }
    if strategy.is_none_or(str::is_empty) && spec.preferred_holder.as_ref().is_some_and(|holder| !holder.is_empty()) {
        let detail = "may only be specified if `strategy` is defined";
        errors.push(Error::forbidden(&path.child("preferredHolder"), detail));
    }
}

/// Refuses a strategy that is neither known nor somebody's own. Upstream has the field's name twice in the path.
fn validate_strategy(strategy: &str, path: &Path<'_>, errors: &mut Errors) {
    let (path, value) = (path.child("strategy"), || BadValue::json_str(strategy));
    if strategy.contains('/') {
        Format::LabelKey.check(strategy, &mut |flaw| errors.push(Error::invalid(&path, value(), flaw.detail)));
    } else if !KNOWN_STRATEGIES.contains(&strategy) {
        errors.push(Error::not_supported(&path, value(), &KNOWN_STRATEGIES));
    }
}
