//! Config maps: keys, sizes, immutability.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors};
use sprag_rest::{Column, Definition, Release, StrategyConfig};
use sprag_value::base64;
use sprag_value::view::View;

use super::keys::{check_locked, check_size};
use crate::columns::{count, text};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::ConfigMap;

/// The definition of `configmaps`.
pub(crate) fn config_maps(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| validate(View::view(Some(new)), &cx.root(), errors))
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_immutable(View::view(Some(new)), View::view(Some(old)), errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate(View::view(Some(new)), &cx.root(), errors);
        })
        .without_generation();
    let resource = program::resource(release, "", "v1", "ConfigMap");
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["cm".to_owned()];
    let keys = text("Data", "Number of keys.", |object| (count(object, "data") + count(object, "binaryData")).into());
    definition.versions[0].columns = vec![keys, Column::age()];
    definition
}

/// As upstream's `validation.ValidateConfigMap`.
fn validate(new: ConfigMap<'_>, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new.as_value(), errors);
    let data = root.child("data");
    new.check_data(root, errors);
    for key in new.data().keys().filter(|key| new.binary_data().contains_key(key)) {
        errors.push(Error::invalid(&data.key(key), key, "duplicate of key present in binaryData"));
    }
    new.check_binary_data(root, errors);
    let texts = new.data().iter().map(|(_, text)| text.len());
    let bytes = new.binary_data().iter().map(|(_, text)| base64::decoded_len(text));
    check_size(&root.child(""), texts.chain(bytes), errors);
}

/// As upstream's `validation.ValidateConfigMapUpdate`.
fn validate_immutable(new: ConfigMap<'_>, old: ConfigMap<'_>, errors: &mut Errors) {
    if old.immutable() != Some(true) {
        return;
    }
    check_locked(new.immutable() == Some(true), "immutable", errors);
    check_locked(new.data().same(old.data()), "data", errors);
    check_locked(new.binary_data().same(old.binary_data()), "binaryData", errors);
}
