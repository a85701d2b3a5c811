//! Templates of resource claims.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::Errors;
use sprag_rest::{Column, Cx, Definition, Fact, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::claim::{drop_disabled_spec_fields, set_request_defaults, validate_spec};
use super::selector::Features;
use super::{GROUP, admin};
use crate::core::pod::volumes::claim::validate_template_metadata;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::resource_v1::ResourceClaimTemplate;

/// The definition of `resourceclaimtemplates`.
pub(super) fn resource_claim_templates(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .drop_disabled_fields(|gates, new: &mut Value, old: Option<&Value>| {
            let old = old.and_then(|old| old.lookup(&["spec", "spec"]));
            if let Some(spec) = new.get_mut("spec").and_then(|spec| spec.get_mut("spec")) {
                drop_disabled_spec_fields(gates, spec, old);
            }
        })
        .validate(|cx, new, errors| {
            validate(cx, new, &cx.root(), errors);
            admin::validate_requests(cx, template(new).spec().spec().devices().requests(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate(cx, new, &cx.root(), errors);
            template(new).check_spec_update(template(old), &cx.root(), errors);
            if errors.release().has(Fact::ClaimUpdatesCheckAll) {
                validate(cx, new, &cx.root(), errors);
            }
        })
        .without_generation()
        .reads_namespace();
    let resource = program::resource(release, GROUP, "v1", "ResourceClaimTemplate").complete(|object| {
        if let Some(spec) = object.get_mut("spec").and_then(|spec| spec.get_mut("spec")) {
            set_request_defaults(spec);
        }
    });
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = vec![Column::age()];
    definition
}

fn template(object: &Value) -> ResourceClaimTemplate<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateResourceClaimTemplate`.
fn validate(cx: &Cx<'_>, object: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(object, errors);
    let spec = template(object).spec();
    let at = root.child("spec");
    validate_template_metadata(spec.metadata(), &at.child("metadata"), errors);
    validate_spec(spec.spec(), Features::new(cx.gates), &at.child("spec"), errors);
}
