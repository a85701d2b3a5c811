//! Admission policies: their verdict on objects, and where the policies are written.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use sprag_rest::{ApiError, Definition};
use sprag_value::Value;

use crate::batch::Batches;
use crate::document::{Documents, Object};
use crate::finding::{Finding, Origin, Place, RulePlace, Severity};
use crate::report::Identity;
use crate::snapshot::SnapshotError;
use crate::source::Source;

/// The group of policies.
const GROUP: &str = "admissionregistration.k8s.io";

/// Runs policies. It needs a registry to write objects to, which is more than a verdict on files needs otherwise, so that it is given.
pub trait PolicyEngine: Send + Sync {
    /// True if no policy is bound.
    fn is_empty(&self) -> bool;

    /// The verdict of policies on a create or update; `None` for unknown kinds.
    fn judge(&self, object: &Value, old: Option<&Value>) -> Option<PolicyVerdict>;
}

/// Makes an engine of policies and bindings, with the kinds that there are and the namespaces and parameters that policies look at.
/// Returned beside are the numbers of objects that a server would reject, with its errors.
pub type NewPolicyEngine = fn(Vec<Definition>, &[Value]) -> (Box<dyn PolicyEngine>, Vec<(usize, ApiError)>);

/// The verdict of policies on an object.
#[derive(Clone, Debug, Default)]
pub struct PolicyVerdict {
    /// The message of the rejection.
    pub error: Option<String>,
    /// Warnings that the client would receive.
    pub warnings: Vec<String>,
    /// The expressions that are behind errors and warnings, in order.
    pub checks: Vec<PolicyCheck>,
}

/// An expression of a policy that is behind an error or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyCheck {
    /// The policy.
    pub policy: String,
    /// The field of the policy: `spec.validations[0].expression`.
    pub field: String,
    /// `deny`, `warn`, `audit` or `allow`; empty for mutations.
    pub action: &'static str,
}

/// Policies with their bindings, and where they are written.
pub(crate) struct Policies {
    engine: Box<dyn PolicyEngine>,
    /// The expressions of policies, by policy and field.
    expressions: HashMap<(String, String), Expression>,
}

/// An expression of a policy.
struct Expression {
    text: String,
    file: Arc<str>,
    place: Option<Place>,
}

impl Policies {
    /// Reads policies and bindings, with the namespaces and parameters beside them and among the manifests. An error says which
    /// cannot be used.
    pub(crate) fn read(
        source: &dyn Source,
        manifests: &dyn Source,
        kinds: Vec<Definition>,
        engine: NewPolicyEngine,
    ) -> Result<Policies, SnapshotError> {
        let mut objects = Vec::new();
        let mut places = Vec::new();
        let mut expressions = HashMap::new();
        let mut problems = each_object(source, |object, file| {
            if is_policy(&Identity::of(&object.value)) {
                expressions.extend(expressions_of(object, file));
            }
            let line = object.place("metadata.name").map(|place| format!(":{}", place.line)).unwrap_or_default();
            places.push(format!("{file}{line}"));
            objects.push(object.value.clone());
        });
        let wanted = param_kinds(&objects);
        // Errors of manifests are reported when they are validated.
        each_object(manifests, |object, file| {
            let identity = Identity::of(&object.value);
            let is_namespace = identity.group().is_empty() && identity.kind == "Namespace";
            if is_namespace || wanted.contains(&(identity.group().to_owned(), identity.kind.clone())) {
                places.push(file.to_string());
                objects.push(object.value.clone());
            }
        });
        let (engine, refused) = engine(kinds, &objects);
        problems.extend(
            refused
                .into_iter()
                .filter(|(index, _)| is_policy(&Identity::of(&objects[*index])))
                .map(|(index, error)| format!("{}: the API server would refuse it: {error}", places[index])),
        );
        if !problems.is_empty() {
            return Err(SnapshotError::Policies(problems));
        }
        if engine.is_empty() {
            let has_policies = objects.iter().any(|object| is_policy(&Identity::of(object)));
            return Err(if has_policies { SnapshotError::NoBoundPolicy } else { SnapshotError::NoPolicies });
        }
        Ok(Policies { engine, expressions })
    }

    /// Returns the findings of the policies on an object.
    pub(crate) fn findings(&self, object: &Object<'_, '_>, old: Option<&Value>) -> Vec<Finding> {
        let Some(verdict) = self.engine.judge(&object.value, old) else { return Vec::new() };
        let mut findings = Vec::new();
        if let Some(error) = verdict.error {
            let check = verdict.checks.iter().find(|check| matches!(check.action, "deny" | ""));
            findings.push(self.finding(Severity::Error, &error, check, object));
        }
        let mut warned = verdict.checks.iter().filter(|check| check.action == "warn");
        for warning in &verdict.warnings {
            findings.push(self.finding(Severity::Warning, warning, warned.next(), object));
        }
        findings
    }

    fn finding(
        &self,
        severity: Severity,
        message: &str,
        check: Option<&PolicyCheck>,
        object: &Object<'_, '_>,
    ) -> Finding {
        let expression = check.and_then(|check| self.expressions.get(&(check.policy.clone(), check.field.clone())));
        let field = expression.and_then(|expression| field_of(&expression.text)).unwrap_or_default();
        let field = if field.is_empty() { "metadata.name" } else { field.as_str() };
        let rule = expression
            .and_then(|expression| Some(RulePlace { file: expression.file.clone(), place: expression.place.clone()? }));
        Finding { rule, ..Finding::new(severity, Origin::Policy, message).at(object.place(field)) }
    }
}

/// Shows every object of a source; returns what cannot be read.
fn each_object(source: &dyn Source, mut show: impl FnMut(&Object<'_, '_>, &Arc<str>)) -> Vec<String> {
    let mut problems = Vec::new();
    for batch in Batches::of(source) {
        let bytes = match &batch.content {
            Ok(bytes) => bytes,
            Err(reason) => {
                problems.push(format!("{}: {reason}", batch.file));
                continue;
            }
        };
        for document in Documents::new(bytes, batch.line) {
            match document.objects() {
                Ok(objects) => objects.iter().for_each(|object| show(object, &batch.file)),
                Err(finding) => {
                    let line = finding.place.map(|place| format!(":{}", place.line)).unwrap_or_default();
                    problems.push(format!("{}{line}: {}", batch.file, finding.message));
                }
            }
        }
    }
    problems
}

fn is_policy(identity: &Identity) -> bool {
    let kind = identity.kind.strip_suffix("Binding").unwrap_or(&identity.kind);
    identity.group() == GROUP && matches!(kind, "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy")
}

/// The expressions of a policy, by its name and their fields.
fn expressions_of(object: &Object<'_, '_>, file: &Arc<str>) -> Vec<((String, String), Expression)> {
    let name = Identity::of(&object.value).name;
    let mut found = Vec::new();
    let list = |member: &str| object.value.lookup(&["spec", member]).and_then(Value::as_array).into_iter().flatten();
    for (index, validation) in list("validations").enumerate() {
        let field = format!("spec.validations[{index}].expression");
        let text = validation.get("expression").and_then(Value::as_str).unwrap_or_default();
        let place = object.place(&field);
        found.push(((name.clone(), field), Expression { text: text.to_owned(), file: file.clone(), place }));
    }
    for (index, _) in list("mutations").enumerate() {
        let field = format!("spec.mutations[{index}]");
        let place = object.place(&format!("{field}.patchType"));
        found.push(((name.clone(), field), Expression { text: String::new(), file: file.clone(), place }));
    }
    found
}

/// The groups and kinds of the parameters of policies.
fn param_kinds(objects: &[Value]) -> BTreeSet<(String, String)> {
    let kinds = objects.iter().filter_map(|object| object.lookup(&["spec", "paramKind"]));
    let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let of = |kind: &Value| {
        let api_version = text(kind, "apiVersion");
        (sprag_rest::split_api_version(&api_version).0.to_owned(), text(kind, "kind"))
    };
    kinds.map(of).collect()
}

/// The first field of the object that an expression names: `spec.replicas` in `object.spec.replicas <= 5`.
fn field_of(expression: &str) -> Option<String> {
    let mut rest = expression;
    loop {
        let at = rest.find("object.")?;
        let is_word =
            rest[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.');
        let path = &rest[at + "object.".len()..];
        if !is_word {
            let end = path.find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '_' | '.'));
            let (path, after) = path.split_at(end.unwrap_or(path.len()));
            // The last name is a function where a parenthesis follows.
            let path = if after.starts_with('(') { path.rsplit_once('.').map_or("", |(path, _)| path) } else { path };
            return Some(path.trim_end_matches('.').to_owned());
        }
        rest = path;
    }
}

#[cfg(test)]
mod tests {
    use super::field_of;

    #[test]
    fn expressions_name_fields() {
        let check = |expression: &str, expected: Option<&str>| assert_eq!(field_of(expression).as_deref(), expected);
        check("object.spec.replicas <= 5", Some("spec.replicas"));
        check("!has(oldObject.spec.x) || has(object.metadata.labels)", Some("metadata.labels"));
        check("object.spec.containers.all(c, c.image != '')", Some("spec.containers"));
        check("variables.count < 3", None);
    }
}
