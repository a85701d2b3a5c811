//! Volume attributes classes: parameters of volumes that can be changed after they were made.

use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, Releases, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use super::parameters::{validate_parameters, validate_provisioner};
use crate::columns::text;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::storage_v1::VolumeAttributesClass;

/// The definition of `volumeattributesclasses`.
pub(super) fn volume_attributes_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .validate(|_, new, errors| {
            validate_finalizers(new, errors);
            validate(class(new), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            class(new).check_driver_name_update(class(old), &cx.root(), errors);
            validate_change(class(new), class(old), errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate(class(new), errors);
        })
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "VolumeAttributesClass").strategy(strategy).define();
    definition.short_names = vec!["vac".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns =
        vec![text("DriverName", "Name of the CSI driver.", |object| class(object).driver_name().into()), Column::age()];
    definition
}

fn class(object: &Value) -> VolumeAttributesClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateVolumeAttributesClass`.
fn validate(class: VolumeAttributesClass<'_>, errors: &mut Errors) {
    let at = Path::new("parameters");
    validate_provisioner(class.driver_name(), &Path::new("driverName"), errors);
    validate_parameters(class.parameters(), &at, errors);
    if class.parameters().is_empty() {
        errors.push(Error::required(&at, "must contain at least one key/value pair"));
    }
}

/// The beginning of upstream's `validation.ValidateVolumeAttributesClassUpdate`.
fn validate_change(new: VolumeAttributesClass<'_>, old: VolumeAttributesClass<'_>, errors: &mut Errors) {
    // As upstream's reflect.DeepEqual, to which an empty map is not an unset one.
    let parameters = |class: VolumeAttributesClass<'_>| class.as_value().get("parameters").cloned().unwrap_or_default();
    if parameters(new) != parameters(old) {
        errors.push(Error::forbidden(&Path::new("parameters"), "updates to parameters are forbidden."));
    }
}
