//! Tags that are no rules: what they say is read by name.

use crate::dialect::DIALECT_TAG;

/// The name of the tag of defaults that documents do not show.
pub(crate) const HIDDEN_DEFAULT: &str = "sprag:default";

/// The name of the tag that says what form names of objects have.
pub(crate) const NAME_FORMAT: &str = "sprag:nameFormat";

/// The name of the tag that names the function with the rules that no tag says.
pub(crate) const VALIDATED_BY: &str = "sprag:validatedBy";

/// The name of the tag that silences a rule of the linter.
pub const ALLOW: &str = "sprag:allow";

/// The name of the tag of fields that are written though they are empty.
pub(crate) const WRITTEN: &str = "sprag:written";

/// The name of upstream's tag of fields that clients may leave out.
const OPTIONAL: &str = "optional";

/// A tag that is no rule.
#[derive(Clone, Copy, Debug)]
pub struct Marker {
    /// The full name, without the `+`.
    pub name: &'static str,
    /// The position where the marker may stand.
    pub place: &'static str,
    /// A summary in one sentence.
    pub summary: &'static str,
    /// A tag line that shows its use.
    pub example: &'static str,
}

/// All tags that are no rules and that this project reads, sorted by name.
pub const MARKERS: &[Marker] = &[
    marker("default", "field", "The JSON value an unset field gets; may stand beside `+k8s:optional`.", "+default=1"),
    marker("enum", "type", "The schema lists the constants of the type; rules need `+k8s:enum`.", "+enum"),
    marker("genclient", "type", "The type is a resource with a namespace.", "+genclient"),
    marker(
        "genclient:nonNamespaced",
        "type",
        "The type is a resource without a namespace.",
        "+genclient:nonNamespaced",
    ),
    marker("groupName", "package", "The API group of the package's resources.", "+groupName=example.com"),
    marker(
        "k8s:isSubresource",
        "type",
        "The type is what requests for this subresource carry.",
        "+k8s:isSubresource=\"/scale\"",
    ),
    marker(
        "k8s:supportsSubresource",
        "type",
        "The rules of the type also apply to requests for this subresource.",
        "+k8s:supportsSubresource=\"/status\"",
    ),
    marker(
        "k8s:validation-gen",
        "package, type",
        "On a package, the types that are validated as whole objects; on a type, whether it is one.",
        "+k8s:validation-gen=TypesWithField=ObjectMeta",
    ),
    marker(
        "k8s:validation-gen-input",
        "package",
        "The package whose types are meant.",
        "+k8s:validation-gen-input=k8s.io/api/core/v1",
    ),
    marker(
        "k8s:validation-gen-nolint",
        "package, type",
        "Turns off the linter for the package or type.",
        "+k8s:validation-gen-nolint",
    ),
    marker(
        "k8s:validation-gen-scheme-registry",
        "package",
        "Who registers the validators; `nil` for nobody.",
        "+k8s:validation-gen-scheme-registry=nil",
    ),
    marker("listMapKey", "field, type", "A key of the list, for patches and schemas.", "+listMapKey=name"),
    marker("listType", "field, type", "`atomic`, `set` or `map`, for patches and schemas.", "+listType=map"),
    marker("mapType", "field", "`atomic` where patches replace the whole map.", "+mapType=atomic"),
    marker("patchMergeKey", "field", "The key that strategic merge patches find elements by.", "+patchMergeKey=name"),
    marker("patchStrategy", "field", "The strategy of strategic merge patches.", "+patchStrategy=merge"),
    marker("required", "field", "The schema requires the field; rules need `+k8s:required`.", "+required"),
    marker(
        ALLOW,
        "package, type, field",
        "`sprag lint` keeps silent about this rule here, for this reason.",
        "+sprag:allow(rule: \"no-bools\", reason: \"older than the rule\")",
    ),
    marker(
        HIDDEN_DEFAULT,
        "field",
        "The JSON value an unset field gets, as `+default`; OpenAPI documents do not show it, and rules do not count on it.",
        "+sprag:default=1",
    ),
    marker(DIALECT_TAG, "package", "The dialect of the package's tags, `kep` or `kubernetes`.", "+sprag:dialect=kep"),
    marker(
        NAME_FORMAT,
        "type",
        "The form of names of objects: `dns-subdomain` (as without it), `dns-label` or `path-segment`.",
        "+sprag:nameFormat=dns-label",
    ),
    marker(
        VALIDATED_BY,
        "type",
        "The function of Kubernetes that judges values of the type, where it has rules that no tag says.",
        "+sprag:validatedBy=ValidatePodSpec",
    ),
    marker(
        WRITTEN,
        "field",
        "The field is written even if it is empty, as without `omitempty`; for releases that do so.",
        "+sprag:written",
    ),
    marker("structType", "field, type", "`atomic` where patches replace the whole struct.", "+structType=atomic"),
    marker("union", "type", "The schema says that of the fields one is used; rules need `+k8s:unionMember`.", "+union"),
    marker(
        "unionDiscriminator",
        "field",
        "The field of a `+union` that says which one is used.",
        "+unionDiscriminator",
    ),
];

/// True if a tag is no rule.
pub(crate) fn is_marker(name: &str) -> bool {
    name == OPTIONAL || MARKERS.iter().any(|marker| marker.name == name)
}

const fn marker(name: &'static str, place: &'static str, summary: &'static str, example: &'static str) -> Marker {
    Marker { name, place, summary, example }
}
