//! The list of markers.

use super::Target::{Field, Package, Type};
use super::{About, MarkerSpec, Takes, Target};

const VALUE: &[Target] = &[Type, Field];

const fn validation(name: &'static str, takes: Takes, about: About, becomes: &'static str) -> MarkerSpec {
    MarkerSpec { name, targets: VALUE, takes, about, becomes }
}

const fn on(name: &'static str, targets: &'static [Target], takes: Takes, becomes: &'static str) -> MarkerSpec {
    MarkerSpec { name, targets, takes, about: About::Any, becomes }
}

/// The arguments of columns.
const COLUMN: &[&str] = &["JSONPath", "description", "format", "name", "priority", "type"];

/// The arguments of CEL rules.
const RULE: &[&str] = &["fieldPath", "message", "messageExpression", "optionalOldSelf", "reason", "rule"];

/// All markers, sorted by name.
pub const SPECS: &[MarkerSpec] = &[
    on("kubebuilder:ac:generate", &[Package, Type], Takes::Flag, ""),
    on("kubebuilder:ac:output:package", &[Package], Takes::Text, ""),
    on("kubebuilder:default", VALUE, Takes::Any, "`default`"),
    on("kubebuilder:deprecatedversion", &[Type], Takes::Args(&["warning"]), "`deprecated`, `deprecationWarning`"),
    on("kubebuilder:example", VALUE, Takes::Any, "`example`"),
    on("kubebuilder:externalDocs", VALUE, Takes::Args(&["description", "url"]), "`externalDocs`"),
    on(
        "kubebuilder:metadata",
        &[Type],
        Takes::Args(&["annotations", "labels"]),
        "the definition's annotations and labels",
    ),
    on("kubebuilder:object:generate", &[Package, Type], Takes::Flag, ""),
    on("kubebuilder:object:root", &[Type], Takes::Flag, "the type is a kind"),
    on("kubebuilder:printcolumn", &[Type], Takes::Args(COLUMN), "an entry of `additionalPrinterColumns`"),
    on("kubebuilder:pruning:PreserveUnknownFields", VALUE, Takes::Flag, "`x-kubernetes-preserve-unknown-fields`"),
    on(
        "kubebuilder:resource",
        &[Type],
        Takes::Args(&["categories", "path", "scope", "shortName", "singular"]),
        "`names` and `scope`",
    ),
    on("kubebuilder:selectablefield", &[Type], Takes::Args(&["JSONPath"]), "an entry of `selectableFields`"),
    on("kubebuilder:skip", &[Package, Type], Takes::Flag, "the kind is left out"),
    on("kubebuilder:skipversion", &[Type], Takes::Flag, "the version is left out"),
    on("kubebuilder:storageversion", &[Type], Takes::Flag, "`storage`"),
    on(
        "kubebuilder:subresource:scale",
        &[Type],
        Takes::Args(&["selectorpath", "specpath", "statuspath"]),
        "`subresources.scale`",
    ),
    on("kubebuilder:subresource:status", &[Type], Takes::Flag, "`subresources.status`"),
    on("kubebuilder:title", VALUE, Takes::Text, "`title`"),
    on("kubebuilder:unservedversion", &[Type], Takes::Flag, "`served: false`"),
    validation("kubebuilder:validation:AtLeastOneOf", Takes::Texts, About::Objects, "a CEL rule"),
    validation("kubebuilder:validation:AtMostOneOf", Takes::Texts, About::Objects, "a CEL rule"),
    on("kubebuilder:validation:EmbeddedResource", VALUE, Takes::Flag, "`x-kubernetes-embedded-resource`"),
    validation("kubebuilder:validation:Enum", Takes::Values, About::Any, "`enum`"),
    validation("kubebuilder:validation:ExactlyOneOf", Takes::Texts, About::Objects, "a CEL rule"),
    validation("kubebuilder:validation:ExclusiveMaximum", Takes::Flag, About::Numbers, "`exclusiveMaximum`"),
    validation("kubebuilder:validation:ExclusiveMinimum", Takes::Flag, About::Numbers, "`exclusiveMinimum`"),
    validation("kubebuilder:validation:Format", Takes::Text, About::Any, "`format`"),
    validation("kubebuilder:validation:MaxItems", Takes::Int, About::Lists, "`maxItems`"),
    validation("kubebuilder:validation:MaxLength", Takes::Int, About::Texts, "`maxLength`"),
    validation("kubebuilder:validation:MaxProperties", Takes::Int, About::Objects, "`maxProperties`"),
    validation("kubebuilder:validation:Maximum", Takes::Number, About::Numbers, "`maximum`"),
    validation("kubebuilder:validation:MinItems", Takes::Int, About::Lists, "`minItems`"),
    validation("kubebuilder:validation:MinLength", Takes::Int, About::Texts, "`minLength`"),
    validation("kubebuilder:validation:MinProperties", Takes::Int, About::Objects, "`minProperties`"),
    validation("kubebuilder:validation:Minimum", Takes::Number, About::Numbers, "`minimum`"),
    validation("kubebuilder:validation:MultipleOf", Takes::Number, About::Numbers, "`multipleOf`"),
    on("kubebuilder:validation:Optional", &[Package, Type, Field], Takes::Flag, "not in `required`"),
    validation("kubebuilder:validation:Pattern", Takes::Text, About::Texts, "`pattern`"),
    on("kubebuilder:validation:Required", &[Package, Type, Field], Takes::Flag, "in `required`"),
    on("kubebuilder:validation:Schemaless", &[Field], Takes::Flag, "a schema without type and structure"),
    on("kubebuilder:validation:Type", VALUE, Takes::Text, "`type`"),
    validation("kubebuilder:validation:UniqueItems", Takes::Flag, About::Lists, ""),
    on("kubebuilder:validation:XEmbeddedResource", VALUE, Takes::Flag, "`x-kubernetes-embedded-resource`"),
    on("kubebuilder:validation:XIntOrString", VALUE, Takes::Flag, "`x-kubernetes-int-or-string`"),
    on("kubebuilder:validation:XPreserveUnknownFields", VALUE, Takes::Flag, "`x-kubernetes-preserve-unknown-fields`"),
    on("kubebuilder:validation:XValidation", VALUE, Takes::Args(RULE), "an entry of `x-kubernetes-validations`"),
];
