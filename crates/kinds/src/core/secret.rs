//! Secrets: keys that their types ask for, text that becomes bytes, the lock.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, RestConfig, Selectable, StrategyConfig};
use sprag_validate::object_meta::dns_subdomain;
use sprag_value::{Value, base64, json};

use super::keys::{check_key, check_locked, check_size, set_bytes};
use super::tls;
use super::v1::Secret;
use crate::columns::{count, string, text};
use crate::meta::{check_finalizers, check_generate_name};

/// Names the account of a token.
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

/// The definition of `secrets`.
pub(crate) fn secrets() -> Definition {
    let strategy = StrategyConfig::<Secret>::new()
        .validate(|_, new, errors| validate(new, errors))
        .validate_update(|_, new, old, errors| {
            check_finalizers(&new.metadata, errors);
            validate_change(new, old, errors);
            check_generate_name(&new.metadata, &dns_subdomain, errors);
            validate(new, errors);
        })
        .warnings_on_create(|_, new| tls::warnings(new))
        .warnings_on_update(|_, new, _| tls::warnings(new))
        .without_generation();
    RestConfig::new("", "v1", "secrets")
        .selectable_fields([Selectable::new("type")])
        .columns([
            text("Type", "What the secret is for.", |object| string(object, &["type"]).into()),
            text("Data", "How many keys it has.", |object| count(object, "data").into()),
            Column::age(),
        ])
        .complete(complete)
        .strategy(strategy)
        .define()
}

/// Text becomes bytes, and a secret without a type is for anything.
fn complete(object: &mut Value) {
    if string(object, &["type"]).is_empty() {
        object.insert("type", "Opaque");
    }
    set_bytes(object, "data");
    let Some(Value::Object(texts)) = object.remove("stringData") else { return };
    if texts.is_empty() {
        return;
    }
    let mut data = object.remove("data").filter(|data| !data.is_null()).unwrap_or_else(Value::object);
    for (key, value) in &texts {
        data.insert(key.as_str(), base64::encode(value.as_str().unwrap_or_default().as_bytes()));
    }
    object.insert("data", data);
}

fn validate(new: &Secret, errors: &mut Errors) {
    check_finalizers(&new.metadata, errors);
    let path = Path::new("data");
    new.data.keys().for_each(|key| check_key(key, &path, errors));
    check_size(&path, new.data.values().map(|value| value.len()), errors);
    let missing = |key: &str| !new.data.contains_key(key);
    let mut require = |key: &str| errors.push(Error::required(&path.key(key), ""));
    match new.kind.0.as_str() {
        "kubernetes.io/service-account-token"
            if new.metadata.annotations.get(ACCOUNT_NAME).is_none_or(String::is_empty) =>
        {
            let metadata = Path::new("metadata");
            errors.push(Error::required(&metadata.child("annotations").key(ACCOUNT_NAME), ""));
        }
        "kubernetes.io/dockercfg" => validate_json(new, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => validate_json(new, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if missing("username") && missing("password") => {
            ["username", "password"].into_iter().for_each(require);
        }
        "kubernetes.io/ssh-auth" if new.data.get("ssh-privatekey").is_none_or(|key| key.is_empty()) => {
            require("ssh-privatekey");
        }
        "kubernetes.io/tls" => ["tls.crt", "tls.key"].into_iter().filter(|key| missing(key)).for_each(require),
        _ => {}
    }
}

/// Refuses a secret without a JSON object under a key.
fn validate_json(new: &Secret, key: &str, errors: &mut Errors) {
    let path = Path::new("data");
    let Some(text) = new.data.get(key) else {
        errors.push(Error::required(&path.key(key), ""));
        return;
    };
    let detail = match json::parse(text) {
        Ok(Value::Object(_) | Value::Null) => return,
        Ok(other) => {
            let kind = match other {
                Value::Bool(_) => "bool",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                _ => "number",
            };
            format!("json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
        }
        Err(error) => error.to_string(),
    };
    errors.push(Error::invalid(&path.key(key), "<secret contents redacted>", detail));
}

fn validate_change(new: &Secret, old: &Secret, errors: &mut Errors) {
    if new.kind != old.kind {
        let error = Error::invalid(&Path::new("type"), BadValue::json_str(&new.kind.0), "field is immutable");
        errors.push(error.with_origin("immutable").with_covered_by_declarative());
    }
    if old.immutable == Some(true) {
        check_locked(new.immutable == Some(true), "immutable", errors);
        check_locked(new.data == old.data, "data", errors);
    }
}
