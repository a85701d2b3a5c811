//! Custom resources: what the API server would say when the object is applied.

use sprag_field::Error;
use sprag_schema::{CustomResource, DecodeError, RULE_ORIGIN, Verdict};
use sprag_value::Value;

use super::catalog::Definition;
use super::stored::{keep, store};
use super::{Object, Policy};
use crate::report::{Finding, Origin, Severity};

/// What kubectl fills in for an object without a namespace.
const DEFAULT_NAMESPACE: &str = "default";

/// Stands for the letters that the API server adds to `generateName`.
const GENERATED_SUFFIX: &str = "xxxxx";

/// The longest prefix of a generated name.
const MAX_PREFIX: usize = 58;

/// What became of an object.
pub(crate) struct Judged {
    /// Paths that pruning drops.
    pub(crate) unknown_fields: Vec<String>,
    pub(crate) verdict: Verdict,
}

/// Judges an object by a version of its definition, as an update if there is an old one.
pub(super) fn findings(
    definition: &Definition,
    resource: &CustomResource,
    object: &Object<'_, '_>,
    old: Option<&Value>,
    policy: &Policy,
) -> Vec<Finding> {
    let judged = match judge(definition, resource, &object.value, old) {
        Ok(judged) => judged,
        Err(reason) => {
            return vec![Finding::new(Severity::Error, Origin::Decode, reason).at(object.place("metadata"))];
        }
    };
    let mut findings = Vec::new();
    for path in &judged.unknown_fields {
        let message = sprag_decode::Finding::PrunedField { path: path.clone() }.to_string();
        findings.push(Finding::new(policy.field_severity(), Origin::Decode, message).at(object.name_place(path)));
    }
    let Verdict { errors, forgiven, forgiven_rules, warnings, .. } = &judged.verdict;
    let of = |severity: Severity, error: &Error| {
        Finding::of_error(severity, origin(error), error).at(object.place(&error.field))
    };
    findings.extend(errors.iter().map(|error| of(Severity::Error, error)));
    findings.extend(forgiven.iter().chain(forgiven_rules).map(|error| of(Severity::Ratcheted, error)));
    let said: Vec<String> = forgiven_rules.iter().map(Error::to_string).collect();
    for warning in warnings.iter().filter(|warning| !said.contains(warning)) {
        let finding = Finding::new(Severity::Warning, Origin::Metadata, warning.as_str());
        findings.push(finding.at(object.place("metadata")));
    }
    findings
}

/// Takes an object through the steps of a create or update request.
pub(crate) fn judge(
    definition: &Definition,
    resource: &CustomResource,
    object: &Value,
    old: Option<&Value>,
) -> Result<Judged, String> {
    let text = |error: DecodeError| error.to_string();
    let mut new = object.clone();
    complete(definition, &mut new);
    let old = old.map(|old| stored(definition, resource, old)).transpose()?;
    if let Some(old) = &old {
        keep(&mut new, old);
    }
    let decoded = resource.decode(new).map_err(text)?;
    let mut new = decoded.object;
    resource.default(&mut new).map_err(|error| error.to_string())?;
    let verdict = match &old {
        Some(old) => resource.update(new, old),
        None => resource.create(new),
    };
    Ok(Judged { unknown_fields: decoded.unknown_fields, verdict })
}

/// The old object as the API server reads it from its storage.
fn stored(definition: &Definition, resource: &CustomResource, old: &Value) -> Result<Value, String> {
    let mut old = old.clone();
    complete(definition, &mut old);
    old.insert("apiVersion", resource.api_version());
    store(&mut old);
    let decoded = resource.decode_stored(old).map_err(|error| format!("old object: {error}"))?;
    let mut old = decoded.object;
    resource.default(&mut old).map_err(|error| format!("old object: {error}"))?;
    Ok(old)
}

/// Fills in what kubectl and the API server fill in before they look at an object.
fn complete(definition: &Definition, object: &mut Value) {
    let Some(metadata) = object.get_mut("metadata") else { return };
    let is_unset = |metadata: &Value, key: &str| metadata.get(key).is_none_or(|value| value.as_str() == Some(""));
    if definition.crd().namespaced() && is_unset(metadata, "namespace") {
        metadata.insert("namespace", DEFAULT_NAMESPACE);
    }
    if is_unset(metadata, "name")
        && let Some(prefix) = metadata.get("generateName").and_then(Value::as_str)
        && !prefix.is_empty()
    {
        let prefix: String = prefix.chars().take(MAX_PREFIX).collect();
        metadata.insert("name", format!("{prefix}{GENERATED_SUFFIX}"));
    }
}

fn origin(error: &Error) -> Origin {
    match error.field.as_str() {
        _ if error.origin == RULE_ORIGIN => Origin::Cel,
        field if field == "metadata" || field.starts_with("metadata.") => Origin::Metadata,
        _ => Origin::Schema,
    }
}
