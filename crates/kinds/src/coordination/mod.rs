//! The group `coordination.k8s.io`.

#[cfg(feature = "types")]
pub mod v1;

use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::View;

use crate::columns::{string, text};
use crate::program;
use crate::views::coordination_v1::{Lease, LeaseSpec};

/// The strategy that is not somebody's own.
const KNOWN_STRATEGIES: [&str; 1] = ["OldestEmulationVersion"];

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![leases(release)]
}

/// The definition of `leases`.
fn leases(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .validate(|_, new, errors| validate(spec(new), errors))
        .validate_update(|_, new, _, errors| validate(spec(new), errors))
        .allow_create_on_update(true)
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, "coordination.k8s.io", "v1", "Lease").strategy(strategy).define();
    definition.versions[0].columns = vec![
        text("Holder", "Who holds it.", |object| string(object, &["spec", "holderIdentity"]).into()),
        Column::age(),
    ];
    definition
}

fn spec(lease: &Value) -> LeaseSpec<'_> {
    let lease: Lease<'_> = View::view(Some(lease));
    lease.spec()
}

/// As upstream's `validation.ValidateLeaseSpec`.
fn validate(spec: LeaseSpec<'_>, errors: &mut Errors) {
    let path = Path::new("spec");
    if let Some(seconds) = spec.lease_duration_seconds().filter(|seconds| *seconds <= 0) {
        errors.push(Error::invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0"));
    }
    if let Some(times) = spec.lease_transitions().filter(|times| *times < 0) {
        errors.push(Error::invalid(&path.child("leaseTransitions"), times, "must be greater than or equal to 0"));
    }
    let strategy = spec.strategy();
    if let Some(strategy) = strategy {
        validate_strategy(strategy, &path.child("strategy"), errors);
    }
    if strategy.is_none_or(str::is_empty) && spec.preferred_holder().is_some_and(|holder| !holder.is_empty()) {
        let detail = "may only be specified if `strategy` is defined";
        errors.push(Error::forbidden(&path.child("preferredHolder"), detail));
    }
}

/// Refuses a strategy that is neither known nor somebody's own. Upstream has the field's name twice in the path.
fn validate_strategy(strategy: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("strategy");
    let value = || BadValue::json_str(strategy);
    if strategy.contains('/') {
        Format::LabelKey.check(strategy, &mut |flaw| errors.push(Error::invalid(&path, value(), flaw.detail)));
    } else if !KNOWN_STRATEGIES.contains(&strategy) {
        errors.push(Error::not_supported(&path, value(), &KNOWN_STRATEGIES));
    }
}
