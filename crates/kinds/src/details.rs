//! Details of errors as releases up to 1.33 have them: with the name of the field, or that it is required.

use sprag_field::{Error, ErrorKind};
use sprag_rest::{Fact, Release};
use sprag_shape::TypeId;

use crate::core::internal::show_values;
use crate::program;

/// A detail that later releases shortened.
struct Detail {
    /// The kind of object; any if empty.
    of: &'static str,
    kind: ErrorKind,
    /// The end of the path, with `[]` for each element.
    path: &'static str,
    now: &'static str,
    before: &'static str,
}

const fn of(of: &'static str, kind: ErrorKind, path: &'static str, now: &'static str, before: &'static str) -> Detail {
    Detail { of, kind, path, now, before }
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of";
const UNDERSCORES: &str = r"'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*'";
const NO_UNDERSCORES: &str = r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'";

const DETAILS: [Detail; 27] = [
    // As upstream's flowcontrol/validation.
    of("FlowSchema", ErrorKind::Required, "status.conditions[].type", "", "must not be empty"),
    of("PriorityLevelConfiguration", ErrorKind::Required, "status.conditions[].type", "", "must not be empty"),
    of(
        "PriorityLevelConfiguration",
        ErrorKind::Invalid,
        "spec.type",
        "must be 'Exempt' if and only if `name` is 'exempt'",
        "type must be 'Exempt' if and only if name is 'exempt'",
    ),
    // As upstream's admissionregistration/validation.
    of(
        "ValidatingAdmissionPolicy",
        ErrorKind::Invalid,
        "spec.variables[].name",
        "must be a valid CEL identifier",
        "name is not a valid CEL identifier",
    ),
    of(
        "ValidatingAdmissionPolicy",
        ErrorKind::Invalid,
        "spec.validations[].message",
        "must be non-empty if specified",
        "message must be non-empty if specified",
    ),
    of(
        "ValidatingAdmissionPolicy",
        ErrorKind::Invalid,
        "spec.validations[].message",
        "must not contain line breaks",
        "message must not contain line breaks",
    ),
    // As upstream's util/webhook.ValidateWebhookService.
    of("", ErrorKind::Required, "webhooks[].clientConfig.service.name", "", "service name is required"),
    of("", ErrorKind::Required, "webhooks[].clientConfig.service.namespace", "", "service namespace is required"),
    // As upstream's networking/validation.
    of("IngressClass", ErrorKind::Required, "spec.parameters.kind", "", "kind is required"),
    of("IngressClass", ErrorKind::Required, "spec.parameters.name", "", "name is required"),
    of("Ingress", ErrorKind::Required, ".resource.kind", "", "kind is required"),
    of("Ingress", ErrorKind::Required, ".resource.name", "", "name is required"),
    // As upstream's batch/validation.
    of(
        "Job",
        ErrorKind::Invalid,
        "status.completionTime",
        "must be equal to or after `startTime`",
        "completionTime cannot be set before startTime",
    ),
    of("Job", ErrorKind::Invalid, "status.completionTime", "field is immutable", "completionTime cannot be mutated"),
    of(
        "Job",
        ErrorKind::Invalid,
        "status.uncountedTerminatedPods",
        "must be empty for finished job",
        "uncountedTerminatedPods needs to be empty for finished job",
    ),
    // As upstream's apis/meta/v1/validation.ValidateCondition.
    of("", ErrorKind::Required, "status.conditions[].lastTransitionTime", "", "must be set"),
    of("", ErrorKind::Required, "status.conditions[].reason", "", "must be set"),
    // As upstream's core/validation of pods.
    of("", ErrorKind::Required, "spec.os.name", "", "cannot be empty"),
    of("", ErrorKind::Forbidden, "spec.hostNetwork", NO_HOST_USERS, NO_HOST_USERS_BEFORE),
    of("", ErrorKind::Forbidden, "spec.HostPID", NO_HOST_USERS, NO_HOST_USERS_BEFORE),
    of("", ErrorKind::Forbidden, "spec.HostIPC", NO_HOST_USERS, NO_HOST_USERS_BEFORE),
    of(
        "",
        ErrorKind::Forbidden,
        "spec.resources.claims",
        "claims may not be set for Resources at pod-level",
        "claims cannot be set for Resources at pod-level",
    ),
    // As upstream's core/validation.validateNodeConfigSource.
    of("Node", ErrorKind::Required, ".configMap.kubeletConfigKey", "", "kubeletConfigKey must be set"),
    of("Node", ErrorKind::Required, ".configMap.name", "", "name must be set"),
    of("Node", ErrorKind::Required, ".configMap.namespace", "", "namespace must be set"),
    of("Node", ErrorKind::Required, ".configMap.resourceVersion", "", "resourceVersion must be set in status"),
    of("Node", ErrorKind::Required, ".configMap.uid", "", "uid must be set in status"),
];

const NO_HOST_USERS: &str = "when `hostUsers` is false";
const NO_HOST_USERS_BEFORE: &str = "when `pod.Spec.HostUsers` is false";

/// Does so in releases that have those, for an object of a group, version and kind.
pub(crate) fn restore_in(release: Release, (group, version, kind): (&str, &str, &str), errors: &mut [Error]) {
    if !release.has(Fact::PrintsValuesAsJson)
        && let Some(resource) = program::of_release(release).find(group, version, kind)
    {
        restore(resource.shape, errors);
    }
}

/// Gives errors about an object of a type the details and values of 1.33.
pub(crate) fn restore(root: TypeId, errors: &mut [Error]) {
    let name = &program::of_release(Release::V1_33).shapes().get(root).name;
    let kind = name.rsplit('.').next().unwrap_or(name);
    for error in errors.iter_mut() {
        restore_detail(kind, error);
    }
    show_values(root, errors);
}

fn restore_detail(kind: &str, error: &mut Error) {
    // As upstream's validation.IsDNS1123SubdomainWithUnderscore, whose text is that of names without underscores.
    if error.detail.starts_with(SUBDOMAIN) && error.detail.contains(UNDERSCORES) {
        error.detail = error.detail.replacen(UNDERSCORES, NO_UNDERSCORES, 1).into();
        return;
    }
    let is_of = |detail: &&Detail| detail.kind == error.kind && detail.now == error.detail;
    let mut candidates =
        DETAILS.iter().filter(is_of).filter(|detail| detail.of.is_empty() || detail.of == kind).peekable();
    if candidates.peek().is_some() {
        let path = without_keys(&error.field);
        if let Some(detail) = candidates.find(|detail| path.ends_with(detail.path)) {
            error.detail = detail.before.into();
        }
    }
}

/// A path with `[]` in place of each index or key.
fn without_keys(path: &str) -> String {
    let mut parts = path.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("[]");
        out.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use sprag_field::Path;

    use super::*;

    #[track_caller]
    fn check(kind: &str, path: &str, error: fn(&Path<'_>) -> Error, detail: &str) {
        let mut error = error(&Path::new(path));
        restore_detail(kind, &mut error);
        assert_eq!(error.detail, detail);
    }

    #[test]
    fn details_name_the_field_where_they_did() {
        let required: fn(&Path<'_>) -> Error = |path| Error::required(path, "");
        check("IngressClass", "spec.parameters.name", required, "name is required");
        check("FlowSchema", "status.conditions[2].type", required, "must not be empty");
        check("CertificateSigningRequest", "status.conditions[2].type", required, "");
        check("Deployment", "spec.template.spec.os.name", required, "cannot be empty");
        check("Pod", "spec.containers[0].name", required, "");
    }
}
