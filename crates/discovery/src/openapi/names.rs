//! Names of definitions, operations and tags.

/// The beginning of names of definitions of the machinery.
pub(super) const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// Types of the machinery that kinds of all groups use.
const META_TYPES: [&str; 15] = [
    "Condition",
    "Duration",
    "FieldSelectorRequirement",
    "FieldsV1",
    "GroupResource",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "MicroTime",
    "ObjectMeta",
    "OwnerReference",
    "ShardInfo",
    "Time",
    "TypeMeta",
];

/// The name of a definition after its group: the group backwards, the version, the kind.
pub(super) fn by_group(group: &str, version: &str, kind: &str) -> String {
    let mut labels: Vec<&str> = group.split('.').collect();
    labels.reverse();
    format!("{}.{version}.{kind}", labels.join("."))
}

/// The name of a definition after the Go package of its type, for groups that upstream has packages for.
pub(super) fn by_package(group: &str, version: &str, ty: &str) -> String {
    match group {
        "" => format!("io.k8s.api.core.{version}.{ty}"),
        "apiregistration.k8s.io" => format!("io.k8s.kube-aggregator.pkg.apis.apiregistration.{version}.{ty}"),
        "apiextensions.k8s.io" => format!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.{version}.{ty}"),
        _ if !group.contains('.') || group.ends_with(".k8s.io") => {
            let package = group.split('.').next().unwrap_or(group);
            format!("io.k8s.api.{package}.{version}.{ty}")
        }
        _ => by_group(group, version, ty),
    }
}

/// The name of the definition of a type of the machinery, by the name that Go prints.
pub(super) fn machinery(go_name: &str) -> Option<String> {
    match go_name {
        "resource.Quantity" => Some(QUANTITY.into()),
        "intstr.IntOrString" => Some(INT_OR_STRING.into()),
        "runtime.RawExtension" => Some(RAW_EXTENSION.into()),
        _ => {
            let ty = go_name.strip_prefix("v1.").filter(|ty| META_TYPES.contains(ty))?;
            Some(format!("{META}{ty}"))
        }
    }
}

/// The name of the definition of a type that kinds of other groups and versions use, by the name that Go prints.
pub(super) fn of_other_group(go_name: &str) -> Option<String> {
    if let Some(ty @ ("TopologySelectorLabelRequirement" | "TopologySelectorTerm")) = go_name.strip_prefix("v1.") {
        return Some(by_package("", "v1", ty));
    }
    let ty = go_name.strip_prefix("v1alpha3.")?;
    let is_scheduling = ty == "TopologyConstraint" || ty.starts_with("WorkloadPodGroup");
    is_scheduling.then(|| by_package("scheduling.k8s.io", "v1alpha3", ty))
}

/// The group as it stands in operation ids and tags.
fn short_group(group: &str) -> &str {
    if group.is_empty() { "core" } else { group.strip_suffix(".k8s.io").unwrap_or(group) }
}

/// The tag of all operations of a version of a group.
pub(super) fn tag(group: &str, version: &str) -> String {
    format!("{}_{}", identifier(short_group(group), false), identifier(version, false))
}

/// The id of an operation: the verb, the group, the version and the rest.
pub(super) fn operation_id(verb: &str, group: &str, version: &str, rest: &str) -> String {
    format!("{verb}{}{}{}", identifier(short_group(group), true), identifier(version, true), identifier(rest, true))
}

/// Letters and digits of a text in camel case.
fn identifier(text: &str, capitalized: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut capitalize = capitalized;
    for (at, char) in text.char_indices() {
        if !(char.is_alphabetic() || char == '_' || (at != 0 && char.is_numeric())) {
            capitalize = true;
        } else if std::mem::take(&mut capitalize) {
            out.extend(char.to_uppercase());
        } else {
            out.push(char);
        }
    }
    out
}

/// The first letter in upper case.
pub(super) fn title(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// A noun with its article, as far as upstream's grammar goes.
pub(super) fn with_article(noun: &str) -> String {
    if noun.ends_with('s') && !noun.ends_with("ss") {
        return noun.to_owned();
    }
    let vowel = noun.starts_with(|first: char| "aeiou".contains(first.to_ascii_lowercase()));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_named_as_upstream_names_them() {
        assert_eq!(by_group("tiny.example.com", "v1", "Tiny"), "com.example.tiny.v1.Tiny");
        assert_eq!(by_package("", "v1", "ConfigMap"), "io.k8s.api.core.v1.ConfigMap");
        assert_eq!(by_package("rbac.authorization.k8s.io", "v1", "Role"), "io.k8s.api.rbac.v1.Role");
        assert_eq!(by_package("apps", "v1", "Deployment"), "io.k8s.api.apps.v1.Deployment");
        let name = of_other_group("v1alpha3.TopologyConstraint");
        assert_eq!(name.as_deref(), Some("io.k8s.api.scheduling.v1alpha3.TopologyConstraint"));
        let name = of_other_group("v1.TopologySelectorTerm");
        assert_eq!(name.as_deref(), Some("io.k8s.api.core.v1.TopologySelectorTerm"));
        assert_eq!(of_other_group("v1.TopologyConstraint"), None);
        assert_eq!(by_package("example.com", "v1", "Widget"), "com.example.v1.Widget");
        assert_eq!(machinery("v1.ObjectMeta").as_deref(), Some("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));
        assert_eq!(machinery("v1.Pod"), None);
    }

    #[test]
    fn operations_are_named_as_upstream_names_them() {
        assert_eq!(
            operation_id("delete", "tiny-x.example.com", "v1", "collectionNamespacedTiny"),
            "deleteTinyXExampleComV1CollectionNamespacedTiny"
        );
        assert_eq!(operation_id("list", "", "v1", "NamespacedConfigMap"), "listCoreV1NamespacedConfigMap");
        assert_eq!(tag("rbac.authorization.k8s.io", "v1"), "rbacAuthorization_v1");
        assert_eq!(tag("", "v1"), "core_v1");
    }

    #[test]
    fn nouns_have_articles() {
        assert_eq!(
            ["Tiny", "Event", "Endpoints", "Class"].map(with_article),
            ["a Tiny", "an Event", "Endpoints", "a Class"]
        );
    }
}
