//! Resource claims: requests for devices, and what was allocated for them.

mod drop;
mod spec;
mod status;

use sprag_checks::object_meta::dns_subdomain;
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::selector::Features;
use super::{GROUP, admin};
use crate::columns::text;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::resource_v1::ResourceClaim;

pub(super) use self::drop::drop_disabled_spec_fields;
pub(super) use self::spec::{
    MAX_CONFIG, MAX_SELECTORS, set_request_defaults, validate_configuration, validate_selector, validate_spec,
};

/// The definition of `resourceclaims`.
pub(super) fn resource_claims(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .prepare_for_update(|_, new, old| status::drop_deallocated_devices(new, old))
        .validate_update(|cx, new, old, errors| {
            admin::validate_results(cx, claim(new).status(), claim(old).status(), errors);
            status::validate(claim(new), claim(old), &cx.root(), errors);
        });
    let strategy = StrategyConfig::new()
        .drop_disabled_fields(drop::drop_disabled_fields)
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            admin::validate_requests(cx, claim(new).spec().devices().requests(), errors);
            validate_spec(claim(new).spec(), Features::new(cx.gates), &cx.root().child("spec"), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            claim(new).check_spec_update(claim(old), &cx.root(), errors);
            if errors.release().has(Fact::ClaimUpdatesCheckAll) {
                validate_finalizers(new, errors);
                for _ in 0..2 {
                    validate_spec(claim(new).spec(), Features::new(cx.gates), &cx.root().child("spec"), errors);
                }
            }
        })
        .without_generation()
        .reads_namespace()
        .status(status);
    let resource = program::resource(release, GROUP, "v1", "ResourceClaim").complete(|object| {
        if let Some(spec) = object.get_mut("spec") {
            set_request_defaults(spec);
        }
    });
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns =
        vec![text("State", "Who has the devices.", |object| state(object).into()), Column::age()];
    definition
}

fn claim(object: &Value) -> ResourceClaim<'_> {
    View::view(Some(object))
}

/// As upstream's `printers.resourceClaimState`.
fn state(object: &Value) -> String {
    let claim = claim(object);
    let mut states = Vec::new();
    if meta::get(object, "deletionTimestamp").is_some_and(|time| !time.is_null()) {
        states.push("deleted");
    }
    let status = claim.status();
    if status.allocation().is_none() {
        if meta::get(object, "deletionTimestamp").is_none_or(Value::is_null) {
            states.push("pending");
        }
    } else {
        states.push("allocated");
        if !status.reserved_for().is_empty() {
            states.push("reserved");
        }
    }
    states.join(",")
}
