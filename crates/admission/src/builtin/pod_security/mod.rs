//! The plug-in `PodSecurity`: the Pod Security Standards, by labels of namespaces.

mod checks;
mod containers;
mod level;
mod profiles;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use sprag_field::Error;
use sprag_field::status::aggregate;
use sprag_registry::{AdmissionPlugin, Admitted, Attributes};
use sprag_rest::{ApiError, Release, Result, meta};
use sprag_value::Value;

use self::checks::violations;
use self::level::{Level, LevelVersion, Levels, policy};
use super::members::spec;
use super::request::{creates, find, is, is_below, list_all};
use crate::audit::AuditSink;

/// The path of the pod template, by resource.
const TEMPLATES: [(&str, &str, &[&str]); 8] = [
    ("", "replicationcontrollers", &["spec", "template"]),
    ("", "podtemplates", &["template"]),
    ("apps", "replicasets", &["spec", "template"]),
    ("apps", "deployments", &["spec", "template"]),
    ("apps", "statefulsets", &["spec", "template"]),
    ("apps", "daemonsets", &["spec", "template"]),
    ("batch", "jobs", &["spec", "template"]),
    ("batch", "cronjobs", &["spec", "jobTemplate", "spec", "template"]),
];
/// Subresources of pods that do not change them.
const IGNORED: [&str; 8] = ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
/// Maximum number of pods checked when the level of a namespace changes.
const MAX_PODS: usize = 3000;

/// Enforces the Pod Security Standards.
// As upstream's plugin/pkg/admission/security/podsecurity and k8s.io/pod-security-admission.
#[derive(Clone, Default)]
pub struct PodSecurity {
    audit: Option<Arc<dyn AuditSink>>,
}

impl PodSecurity {
    /// The plug-in, with a receiver of audit annotations if there is an audit log.
    pub fn new(audit: Option<Arc<dyn AuditSink>>) -> PodSecurity {
        PodSecurity { audit }
    }

    fn annotate(&self, key: &str, value: &str) {
        if let Some(audit) = &self.audit {
            audit.annotate(&format!("pod-security.kubernetes.io/{key}"), value);
        }
    }

    /// Records errors of the labels of a namespace, and violations of its audit level.
    // As upstream's Admission.EvaluatePod.
    fn audit(&self, policy: Levels, errors: &[Error], pod: &Value, release: Release) {
        if self.audit.is_none() {
            return;
        }
        if !errors.is_empty() {
            self.annotate("error", &format!("Failed to parse policy: {}", aggregate(errors)));
        }
        let found = violations(policy.audit, pod, release);
        if !found.is_empty() {
            let why = format!("would violate PodSecurity \"{}\": {}", policy.audit, details(&found));
            self.annotate("audit-violations", &why);
        }
    }
}

impl AdmissionPlugin for PodSecurity {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.object.is_some()
            && (is(attributes, "", "namespaces") || is_pod(attributes) || template_path(attributes).is_some())
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            if is(&attributes, "", "namespaces") {
                return validate_namespace(&attributes).await;
            }
            if is_pod(&attributes) {
                return self.validate_pod(&attributes).await;
            }
            self.validate_template(&attributes).await
        })
    }
}

fn is_pod(attributes: &Attributes<'_>) -> bool {
    is_below(attributes, "", "pods") && !IGNORED.contains(&attributes.request.subresource)
}

fn template_path(attributes: &Attributes<'_>) -> Option<&'static [&'static str]> {
    TEMPLATES.iter().find(|(group, resource, _)| is(attributes, group, resource)).map(|(.., path)| *path)
}

/// As upstream's `Admission.ValidateNamespace`.
async fn validate_namespace(attributes: &Attributes<'_>) -> Result<Vec<String>> {
    let namespace = attributes.new_object();
    let (new, errors) = policy(namespace);
    let name = meta::name(namespace);
    let invalid = |errors| ApiError::invalid(&attributes.definition.kind, "", attributes.name(), errors);
    let Some(old) = attributes.old.filter(|_| !creates(attributes)) else {
        return if errors.is_empty() { Ok(Vec::new()) } else { Err(invalid(&errors)) };
    };
    let (old, old_errors) = policy(old);
    if !errors.is_empty() && errors != old_errors {
        return Err(invalid(&errors));
    }
    let is_relaxed = new.enforce.version == old.enforce.version && new.enforce.level <= old.enforce.level;
    if new.enforce == old.enforce || new.enforce.level == Level::Privileged || is_relaxed {
        return Ok(Vec::new());
    }
    let pods = list_all(attributes, ("", "v1", "pods"), name).await?;
    Ok(warn_of_pods(&pods, name, new.enforce, attributes.registry.gates().release()))
}

impl PodSecurity {
    /// As upstream's `Admission.ValidatePod`.
    async fn validate_pod(&self, attributes: &Attributes<'_>) -> Result<Vec<String>> {
        let name = attributes.request.namespace;
        let Some(namespace) = find(attributes, ("", "v1", "namespaces"), "", name).await? else {
            return Err(ApiError::internal(format!("failed to lookup namespace \"{name}\"")));
        };
        let (policy, errors) = policy(&namespace);
        if errors.is_empty() && policy.is_privileged() {
            self.annotate("enforce-policy", "privileged:latest");
            return Ok(Vec::new());
        }
        let pod = attributes.new_object();
        if attributes.old.is_some_and(|old| !creates(attributes) && !is_significant(pod, old)) {
            return Ok(Vec::new());
        }
        let release = attributes.registry.gates().release();
        self.audit(policy, &errors, pod, release);
        self.annotate("enforce-policy", &policy.enforce.to_string());
        let found = violations(policy.enforce, pod, release);
        if !found.is_empty() {
            let why = format!("violates PodSecurity \"{}\": {}", policy.enforce, details(&found));
            return Err(ApiError::forbidden(&attributes.definition.resource, attributes.name(), &why));
        }
        Ok(warnings(policy, pod, release))
    }

    /// As upstream's `Admission.ValidatePodController`.
    async fn validate_template(&self, attributes: &Attributes<'_>) -> Result<Vec<String>> {
        let template = template_path(attributes).and_then(|path| attributes.new_object().lookup(path));
        let namespace = find(attributes, ("", "v1", "namespaces"), "", attributes.request.namespace).await?;
        let (Some(template), Some(namespace)) = (template, namespace) else { return Ok(Vec::new()) };
        let (policy, errors) = policy(&namespace);
        let release = attributes.registry.gates().release();
        self.audit(policy, &errors, template, release);
        Ok(warnings(policy, template, release))
    }
}

fn warnings(policy: Levels, pod: &Value, release: Release) -> Vec<String> {
    let found = violations(policy.warn, pod, release);
    if found.is_empty() {
        return Vec::new();
    }
    vec![format!("would violate PodSecurity \"{}\": {}", policy.warn, details(&found))]
}

/// A violation of a check.
struct Violation {
    reason: &'static str,
    /// The offending containers, values and so on.
    detail: String,
}

/// As upstream's `AggregateCheckResult.ForbiddenDetail`.
fn details(found: &[Violation]) -> String {
    let texts: Vec<String> = found.iter().map(|found| format!("{} ({})", found.reason, found.detail)).collect();
    texts.join(", ")
}

/// True if an update changes something that a check looks at, as upstream's `isSignificantPodUpdate`.
fn is_significant(pod: &Value, old: &Value) -> bool {
    let differ = |new: &Value, old: &Value| new.text("image") != old.text("image");
    let lists = |member: &str| {
        let new = spec(pod).list(member);
        let old = spec(old).list(member);
        new.len() != old.len() || new.iter().zip(old).any(|(new, old)| differ(new, old))
    };
    let before = spec(old).list("ephemeralContainers");
    let is_new = |container: &Value| {
        let same = before.iter().find(|old| old.text("name") == container.text("name"));
        same.is_none_or(|old| differ(container, old))
    };
    lists("containers") || lists("initContainers") || spec(pod).list("ephemeralContainers").iter().any(is_new)
}

/// As upstream's `Admission.EvaluatePodsInNamespace`.
fn warn_of_pods(pods: &[Value], namespace: &str, enforce: LevelVersion, release: Release) -> Vec<String> {
    let mut warnings = Vec::new();
    if pods.len() > MAX_PODS {
        let total = pods.len();
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {MAX_PODS} of {total} existing pods"
        ));
    }
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for pod in prioritized(pods).into_iter().take(MAX_PODS) {
        let reasons: Vec<&str> = violations(enforce, pod, release).iter().map(|found| found.reason).collect();
        if !reasons.is_empty() {
            by_reason.entry(reasons.join(", ")).or_default().push(meta::name(pod));
        }
    }
    if !by_reason.is_empty() {
        warnings.push(format!(
            "existing pods in namespace \"{namespace}\" violate the new PodSecurity enforce level \"{enforce}\""
        ));
    }
    let mut of_pods: Vec<String> = by_reason.iter().map(|(reason, names)| of_reason(reason, names)).collect();
    of_pods.sort();
    warnings.extend(of_pods);
    warnings
}

/// As upstream's `decoratePodWarnings`.
fn of_reason(reason: &str, names: &[&str]) -> String {
    let first = names.iter().min().copied().unwrap_or_default();
    match names.len() {
        0 | 1 => format!("{first}: {reason}"),
        2 => format!("{first} (and 1 other pod): {reason}"),
        all => format!("{first} (and {} other pods): {reason}", all - 1),
    }
}

/// One pod of each controller before the others, as upstream's `Admission.prioritizePods`.
fn prioritized(pods: &[Value]) -> Vec<&Value> {
    let mut controllers = HashSet::new();
    let controller = |pod: &'_ Value| {
        let owners = meta::owner_references(pod).iter();
        let owner = owners.clone().find(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
        owner.map(|owner| owner.text("uid").to_owned())
    };
    let is_first = |pod: &&Value| controller(pod).is_none_or(|uid| controllers.insert(uid));
    let (mut first, more): (Vec<&Value>, Vec<&Value>) = pods.iter().partition(is_first);
    first.extend(more);
    first
}

#[cfg(test)]
mod tests;
