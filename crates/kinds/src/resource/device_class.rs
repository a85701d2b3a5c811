//! Device classes: what requests can name instead of spelling it out.

use std::sync::Arc;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Cx, Definition, Fact, Release, Releases, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use super::claim::{MAX_CONFIG, MAX_SELECTORS, validate_configuration, validate_selector};
use super::gates::{Feature, drop_disabled};
use super::selector::Features;
use super::sets::{Covered, validate_slice};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::resource_v1::{DeviceClass, DeviceClassSpec};

/// As upstream's `deviceclass.dropDisabledFields`.
const FEATURES: [Feature; 1] = [Feature {
    gates: &["DRAExtendedResource"],
    set: &[&["spec", "extendedResourceName"]],
    filled: &[],
    drops: &[&["spec", "extendedResourceName"]],
}];

/// The definition of `deviceclasses`.
pub(super) fn device_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .drop_disabled_fields(|gates, new, old| drop_disabled(&FEATURES, gates, new, old))
        .validate(|cx, new, errors| {
            validate_name(new, errors);
            validate_finalizers(new, errors);
            validate_spec(cx, class(new).spec(), None, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_name(new, errors);
            validate_finalizers(new, errors);
            validate_spec(cx, class(new).spec(), Some(class(old).spec()), &cx.root(), errors);
            let release = errors.release();
            if release.has(Fact::ClassUpdatesCheckMetadataTwice) && release.has(Fact::KeepsRepeatedErrors) {
                validate_finalizers(new, errors);
            }
        });
    let mut definition = program::resource(release, GROUP, "v1", "DeviceClass").strategy(strategy).define();
    // Names have rules of this group, and beginnings of names have none.
    definition.name_rule = Arc::new(|_, _, _| {});
    definition.versions[0].columns = vec![Column::age()];
    definition
}

fn class(object: &Value) -> DeviceClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateDeviceClass`, of which the declaration has the rule, too.
fn validate_name(object: &Value, errors: &mut Errors) {
    let (name, at) = (meta::name(object), Path::new("metadata"));
    if name.is_empty() {
        return;
    }
    Format::LongName.check(name, &mut |flaw| {
        let error = Error::invalid(&at.child("name"), name, flaw.detail).with_origin("format=k8s-long-name");
        errors.push(error.with_covered_by_declarative());
    });
}

/// As upstream's `validation.validateDeviceClassSpec`: what is as before is not judged again.
fn validate_spec(
    cx: &Cx<'_>,
    spec: DeviceClassSpec<'_>,
    old: Option<DeviceClassSpec<'_>>,
    root: &At<'_>,
    errors: &mut Errors,
) {
    let at = root.child("spec");
    let ty = program::declared("v1.DeviceClassSpec");
    let is_stored =
        |member: &str| old.is_some_and(|old| program::same_field(ty, member, spec.as_value(), old.as_value()));
    let features = (!is_stored("selectors")).then(|| Features::new(cx.gates));
    validate_slice(
        spec.selectors(),
        MAX_SELECTORS,
        Covered::SIZE,
        &at.child("selectors"),
        errors,
        |item, at, errors| {
            validate_selector(item, features, at, errors);
        },
    );
    let stored = is_stored("config");
    validate_slice(spec.config(), MAX_CONFIG, Covered::SIZE, &at.child("config"), errors, |item, at, errors| {
        validate_configuration(item.device_configuration(), stored, at, errors);
    });
    if let Some(name) = spec.extended_resource_name().filter(|name| !Format::ExtendedResourceName.is_valid(name)) {
        let error = Error::invalid(&at.child("extendedResourceName"), name, "must be a valid extended resource name");
        errors.push(error.with_origin("format=k8s-extended-resource-name").with_covered_by_declarative());
    }
}
