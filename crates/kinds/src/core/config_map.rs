//! Config maps: keys, sizes, the lock.

use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, RestConfig, StrategyConfig};
use sprag_validate::object_meta::dns_subdomain;
use sprag_value::Value;

use super::keys::{check_key, check_locked, check_size, set_bytes};
use super::v1::ConfigMap;
use crate::columns::{count, text};
use crate::meta::{check_finalizers, check_generate_name};

/// The definition of `configmaps`.
pub(crate) fn config_maps() -> Definition {
    let strategy = StrategyConfig::<ConfigMap>::new()
        .validate(|_, new, errors| validate(new, errors))
        .validate_update(|_, new, old, errors| {
            check_finalizers(&new.metadata, errors);
            validate_lock(new, old, errors);
            check_generate_name(&new.metadata, &dns_subdomain, errors);
            validate(new, errors);
        })
        .without_generation();
    let keys = |object: &Value| Value::from(count(object, "data") + count(object, "binaryData"));
    RestConfig::new("", "v1", "configmaps")
        .short_names(["cm"])
        .columns([text("Data", "How many keys it has.", keys), Column::age()])
        .complete(|object| set_bytes(object, "binaryData"))
        .strategy(strategy)
        .define()
}

fn validate(new: &ConfigMap, errors: &mut Errors) {
    check_finalizers(&new.metadata, errors);
    let (data, binary) = (Path::new("data"), Path::new("binaryData"));
    for key in new.data.keys() {
        check_key(key, &data, errors);
        if new.binary_data.contains_key(key) {
            let detail = "duplicate of key present in binaryData";
            errors.push(Error::invalid(&data.key(key), key.as_str(), detail));
        }
    }
    new.binary_data.keys().for_each(|key| check_key(key, &binary, errors));
    let lengths = new.data.values().map(String::len).chain(new.binary_data.values().map(|value| value.len()));
    check_size(&Path::new(""), lengths, errors);
}

fn validate_lock(new: &ConfigMap, old: &ConfigMap, errors: &mut Errors) {
    if old.immutable != Some(true) {
        return;
    }
    check_locked(new.immutable == Some(true), "immutable", errors);
    check_locked(new.data == old.data, "data", errors);
    check_locked(new.binary_data == old.binary_data, "binaryData", errors);
}
