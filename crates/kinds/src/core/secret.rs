//! Secrets: keys that their types ask for, text that becomes bytes, the lock.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_decode::json;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, Selectable, StrategyConfig};
use sprag_value::view::View;
use sprag_value::{Value, base64};

use super::keys::{check_locked, check_size};
use super::tls;
use crate::columns::{count, string, text};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::Secret;

/// Names the account of a token.
const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

/// The definition of `secrets`.
pub(crate) fn secrets(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| validate(secret(new), &cx.root(), errors))
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_change(secret(new), secret(old), &cx.root(), errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate(secret(new), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| tls::warnings(secret(new)))
        .warnings_on_update(|_, new, _| tls::warnings(secret(new)))
        .without_generation();
    let mut definition = program::resource(release, "", "v1", "Secret").complete(complete).strategy(strategy).define();
    definition.versions[0].selectable = vec![Selectable::new("type")];
    definition.versions[0].columns = vec![
        text("Type", "What the secret is for.", |object| string(object, &["type"]).into()),
        text("Data", "How many keys it has.", |object| count(object, "data").into()),
        Column::age(),
    ];
    definition
}

fn secret(object: &Value) -> Secret<'_> {
    View::view(Some(object))
}

/// Text becomes bytes.
fn complete(object: &mut Value) {
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

/// As upstream's `validation.ValidateSecret`.
fn validate(new: Secret<'_>, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new.as_value(), errors);
    let path = root.child("data");
    let data = new.data();
    new.check_data(root, errors);
    check_size(&path, data.iter().map(|(_, value)| base64::decoded_len(value)), errors);
    let missing = |key: &str| !data.contains_key(key);
    let mut require = |key: &str| errors.push(Error::required(&path.key(key), ""));
    match new.kind() {
        "kubernetes.io/service-account-token"
            if string(new.as_value(), &["metadata", "annotations", ACCOUNT_NAME]).is_empty() =>
        {
            let metadata = root.child("metadata");
            errors.push(Error::required(&metadata.child("annotations").key(ACCOUNT_NAME), ""));
        }
        "kubernetes.io/dockercfg" => validate_json(new, ".dockercfg", errors),
        "kubernetes.io/dockerconfigjson" => validate_json(new, ".dockerconfigjson", errors),
        "kubernetes.io/basic-auth" if missing("username") && missing("password") => {
            ["username", "password"].into_iter().for_each(require);
        }
        "kubernetes.io/ssh-auth" if data.get("ssh-privatekey").is_none_or(str::is_empty) => {
            require("ssh-privatekey");
        }
        "kubernetes.io/tls" => ["tls.crt", "tls.key"].into_iter().filter(|key| missing(key)).for_each(require),
        _ => {}
    }
}

/// Refuses a secret without a JSON object under a key.
fn validate_json(new: Secret<'_>, key: &str, errors: &mut Errors) {
    let path = Path::new("data");
    let Some(text) = new.data().get(key) else {
        errors.push(Error::required(&path.key(key), ""));
        return;
    };
    let detail = match json::decode(&base64::decode(text).unwrap_or_default()) {
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

/// As upstream's `validation.ValidateSecretUpdate`.
fn validate_change(new: Secret<'_>, old: Secret<'_>, root: &At<'_>, errors: &mut Errors) {
    new.check_kind_update(old, root, errors);
    if old.immutable() == Some(true) {
        check_locked(new.immutable() == Some(true), "immutable", errors);
        check_locked(new.data().same(old.data()), "data", errors);
    }
}
