//! Kinds without a schema: those that Kubernetes would not serve, and those that somebody else defines.

use sprag_removals::{is_converted, removal};

use crate::built_in::BuiltIn;
use crate::report::Identity;
use crate::standing::Passed;
use crate::suggest::nearest;

/// The groups that kube-apiserver serves or once served, beside the core group.
const OWNED: [&str; 24] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "auditregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Kinds of these groups that are served and not known here: they are answered, not stored.
const ANSWERED: [(&str, &str); 10] = [
    ("v1", "ComponentStatus"),
    ("authentication.k8s.io/v1", "SelfSubjectReview"),
    ("authentication.k8s.io/v1", "TokenRequest"),
    ("authentication.k8s.io/v1", "TokenReview"),
    ("authorization.k8s.io/v1", "LocalSubjectAccessReview"),
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview"),
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview"),
    ("authorization.k8s.io/v1", "SubjectAccessReview"),
    ("autoscaling/v1", "Scale"),
    ("policy/v1", "Eviction"),
];

/// Groups of files that programs of Kubernetes and its surroundings read, beside those that end in `.config.k8s.io`.
const PROGRAMS: [&str; 9] = [
    "audit.k8s.io",
    "client.authentication.k8s.io",
    "config.k8s.io",
    "imagepolicy.k8s.io",
    "kind.x-k8s.io",
    "kubeadm.k8s.io",
    "admission.k8s.io",
    "schema.plugin.fluxcd.io",
    "sprag.dev",
];

/// The reasons why there is no schema for a kind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A cluster would reject it.
    NotServed(String),
    /// It is nothing that can be said here.
    Passed(Passed),
}

/// Explains that there is no schema for an object.
pub(crate) fn missing(identity: &Identity, built_in: &BuiltIn) -> Missing {
    let group = identity.group();
    let kind = identity.kind.as_str();
    if ANSWERED.contains(&(identity.api_version.as_str(), kind)) {
        return Missing::Passed(Passed::Answered);
    }
    let is_known_kind = || built_in.all().any(|(_, known)| known == kind);
    let is_config = group.ends_with(".config.k8s.io") || PROGRAMS.contains(&group);
    let is_kubeconfig = identity.api_version == "v1" && kind == "Config";
    let is_core = group.is_empty() && is_version(identity.version());
    if is_config || is_kubeconfig {
        Missing::Passed(Passed::Program)
    } else if is_core || OWNED.contains(&group) || (!group.contains('.') && is_known_kind()) {
        Missing::NotServed(not_served(identity, built_in))
    } else if group.contains('.') {
        Missing::Passed(Passed::Unknown)
    } else {
        // The group of a definition has a dot.
        Missing::Passed(Passed::Program)
    }
}

/// The kind that differs from an unknown one by one letter.
pub(crate) fn slip<'k>(kind: &str, mut known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    known.find(|known| strsim::osa_distance(&kind.to_lowercase(), &known.to_lowercase()) <= 1)
}

/// The text for an object that is an error although somebody else may know its kind.
pub(crate) fn why(passed: Passed, identity: &Identity) -> String {
    let Identity { api_version, kind, .. } = identity;
    match passed {
        Passed::Unknown => {
            format!("could not find schema for {kind}; name its definition with --crds, or keep it with sprag crds add")
        }
        Passed::Answered => {
            format!("{kind} ({api_version}) is not validated here: the API server answers it and does not store it")
        }
        _ => format!("no matches for kind \"{kind}\" in version \"{api_version}\": a program reads it, not a cluster"),
    }
}

/// kubectl's words, and what to use instead.
pub(crate) fn not_served(identity: &Identity, built_in: &BuiltIn) -> String {
    let Identity { api_version, kind, .. } = identity;
    let group = identity.group();
    let release = built_in.release();
    let text = format!("no matches for kind \"{kind}\" in version \"{api_version}\"");
    if let Some(gone) = removal(group, identity.version(), kind) {
        return format!("{text}: {}", removed(gone, kind, built_in));
    }
    let served = built_in.served(group, kind);
    if !served.is_empty() {
        return format!("{text}: Kubernetes {release} serves {}", served.join(", "));
    }
    let declared = sprag_kinds::program().find(group, identity.version(), kind);
    if let Some(resource) = declared.filter(|resource| !resource.releases.contains(release)) {
        return format!("{text}: Kubernetes {release} does not serve it; releases that do: {}", resource.releases);
    }
    match near(group, kind, built_in) {
        Some((group, near)) if near == kind => {
            format!("{text}; did you mean apiVersion: {}?", built_in.served(group, near).join(" or "))
        }
        Some((group, near)) => {
            format!("{text}; did you mean {near} ({})?", built_in.served(group, near).join(", "))
        }
        None => format!("{text}: Kubernetes {release} does not serve it"),
    }
}

/// The facts about a version that was removed, in a sentence.
fn removed(gone: &sprag_removals::Removal, kind: &str, built_in: &BuiltIn) -> String {
    let until = gone.served_until();
    let release = built_in.release();
    let text = if release.version().minor < gone.removed {
        // Alpha and beta versions are off unless somebody switches them on.
        format!("Kubernetes {release} serves it only where it is switched on; 1.{} removes it", gone.removed)
    } else {
        format!("Kubernetes {release} does not serve it; it was served until 1.{until}")
    };
    let replacement = gone.replacement.filter(|replacement| {
        let group = replacement.split_once('/').map_or("", |(group, _)| group);
        built_in.served(group, kind).iter().any(|served| served == replacement)
    });
    let changes = gone.changes.join(", ");
    let Some(replacement) = replacement else {
        let joint = if changes.is_empty() { "" } else { ": " };
        return format!("{text}; nothing serves this kind any more{joint}{changes}");
    };
    let joint = if changes.is_empty() { "" } else { ", where " };
    let fix = if is_converted(gone.group, gone.version, kind) { "; --fix rewrites the file" } else { "" };
    format!("{text}; use {replacement}{joint}{changes}{fix}")
}

/// The kind that is meant, and its group: the same kind in another group, or one of a similar name, of the same group first.
fn near<'b>(group: &str, kind: &str, built_in: &'b BuiltIn) -> Option<(&'b str, &'b str)> {
    let all = || built_in.all().filter(|(group, _)| !is_events(group));
    if let Some(same) = all().find(|(_, known)| *known == kind) {
        return Some(same);
    }
    // Names begin alike more often than not, so that a letter more or less is what counts.
    let is_slip = |known: &&str| strsim::osa_distance(&kind.to_lowercase(), &known.to_lowercase()) <= MAX_SLIP;
    let own = all().filter(|(known, _)| *known == group).map(|(_, known)| known).filter(is_slip);
    let best = nearest(kind, own).or_else(|| nearest(kind, all().map(|(_, known)| known).filter(is_slip)))?;
    all().filter(|(known, _)| *known == group).chain(all()).find(|(_, known)| *known == best)
}

/// The most letters that a name may differ in from the one that is meant.
const MAX_SLIP: usize = 3;

/// Events are in the core group, too, where everybody writes them.
fn is_events(group: &str) -> bool {
    group == "events.k8s.io"
}

/// True for a version as Kubernetes names them: `v1`, `v2beta1`.
fn is_version(text: &str) -> bool {
    text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing_of(api_version: &str, kind: &str) -> Missing {
        let identity = Identity { api_version: api_version.to_owned(), kind: kind.to_owned(), ..Identity::default() };
        missing(&identity, &BuiltIn::default())
    }

    #[track_caller]
    fn not_served(api_version: &str, kind: &str, expected: &str) {
        let text = format!("no matches for kind \"{kind}\" in version \"{api_version}\"{expected}");
        assert_eq!(missing_of(api_version, kind), Missing::NotServed(text));
    }

    #[test]
    fn kinds_of_kubernetes_that_it_does_not_serve_are_errors() {
        not_served("apps/v1", "Deploymnt", "; did you mean Deployment (apps/v1)?");
        not_served("v1", "Deployment", "; did you mean apiVersion: apps/v1?");
        not_served("v1", "Deploymnt", "; did you mean Deployment (apps/v1)?");
        not_served("app/v1", "Deployment", "; did you mean apiVersion: apps/v1?");
        not_served("apps/v2", "Deployment", ": Kubernetes 1.37 serves apps/v1");
        not_served("batch/v1", "Xyz", ": Kubernetes 1.37 does not serve it");
        not_served(
            "batch/v1beta1",
            "CronJob",
            ": Kubernetes 1.37 does not serve it; it was served until 1.24; use batch/v1; --fix rewrites the file",
        );
        not_served(
            "resource.k8s.io/v1beta2",
            "ResourceClaim",
            ": Kubernetes 1.37 serves it only where it is switched on; 1.39 removes it; use resource.k8s.io/v1; --fix rewrites the file",
        );
        not_served(
            "apiextensions.k8s.io/v1beta1",
            "CustomResourceDefinition",
            ": Kubernetes 1.37 does not serve it; it was served until 1.21; use apiextensions.k8s.io/v1, where `spec.versions` and a \
             structural schema for each are required, `spec.version`, `validation`, `subresources` and `additionalPrinterColumns` move into \
             `spec.versions`, `JSONPath` of columns is `jsonPath`, `spec.preserveUnknownFields` must be false",
        );
        not_served(
            "policy/v1beta1",
            "PodSecurityPolicy",
            ": Kubernetes 1.37 does not serve it; it was served until 1.24; nothing serves this kind any more: \
             Pod Security Admission takes its place: labels of namespaces in place of objects",
        );
    }

    #[test]
    fn kinds_of_others_are_passed_over() {
        let check = |api_version: &str, kind: &str, expected: Passed| {
            assert_eq!(missing_of(api_version, kind), Missing::Passed(expected), "{api_version} {kind}");
        };
        check("example.com/v1", "Widget", Passed::Unknown);
        check("gateway.networking.k8s.io/v1", "Gateway", Passed::Unknown);
        check("authorization.k8s.io/v1", "SubjectAccessReview", Passed::Answered);
        check("v1", "ComponentStatus", Passed::Answered);
        check("kustomize.config.k8s.io/v1beta1", "Kustomization", Passed::Program);
        check("builtin", "LabelTransformer", Passed::Program);
        check("skaffold/v3", "Config", Passed::Program);
        check("v1", "Config", Passed::Program);
        check("kind.x-k8s.io/v1alpha4", "Cluster", Passed::Program);
    }
}
