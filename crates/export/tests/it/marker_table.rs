//! The table of markers in `docs/crd.md`: every row is what the export does, and every marker that the export reads has a row.

use std::collections::BTreeSet;

use sprag_export::{Marked, Settings, definitions};
use sprag_tags::kubebuilder::{SPECS, Target};
use sprag_value::json;

use crate::source::marked_parts;

/// The position of a marker.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Kind,
    Spec,
    /// Fields of all forms.
    Fields,
    /// A field that is a list.
    List,
    /// The declared type of a text.
    Named,
}

/// The definition of a kind with a marker; none if it is left out.
fn exported(place: Place, marker: &str) -> Option<String> {
    let at = |here: Place, indent: &str| {
        if here == place && !marker.is_empty() { format!("{indent}// +{marker}\n") } else { String::new() }
    };
    let kind = at(Place::Kind, "");
    let spec = at(Place::Spec, "");
    let named = at(Place::Named, "");
    let field = at(Place::Fields, "\t");
    let list = at(Place::List, "\t");
    let source = format!(
        "// +kubebuilder:object:root=true\n{kind}type Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec Spec `json:\"spec\"`\n\tStatus Spec `json:\"status,omitempty\"`\n}}\n\n\
         {spec}type Spec struct {{\n{field}\tSize int32 `json:\"size\"`\n\n{field}\tText string `json:\"text\"`\n\n{field}\tMaybe *string `json:\"maybe,omitempty\"`\n\n{field}{list}\tList []string `json:\"list\"`\n\n\tNamed Named `json:\"named\"`\n}}\n\n\
         {named}type Named string\n"
    );
    let (parts, universe) = marked_parts(&source);
    let settings = Settings { marked: Marked::read(&universe), ..Settings::default() };
    let exported = definitions(&parts, &settings);
    assert_eq!(exported.refused, [""; 0], "{marker}");
    exported.definitions.first().map(json::to_string)
}

/// Markers as an author writes them, where they show.
fn examples() -> Vec<(&'static str, (Place, &'static str))> {
    let kind = |text| (Place::Kind, text);
    let spec = |text| (Place::Spec, text);
    let field = |text| (Place::Fields, text);
    let named = |text| (Place::Named, text);
    vec![
        ("kubebuilder:default", named("kubebuilder:default=a")),
        ("kubebuilder:deprecatedversion", kind("kubebuilder:deprecatedversion:warning=\"use v2\"")),
        ("kubebuilder:example", named("kubebuilder:example=a")),
        ("kubebuilder:externalDocs", named("kubebuilder:externalDocs:url=\"https://example.com\"")),
        ("kubebuilder:metadata", kind("kubebuilder:metadata:annotations=\"a=b\"")),
        ("kubebuilder:printcolumn", kind("kubebuilder:printcolumn:name=Size,type=integer,JSONPath=`.spec.size`")),
        ("kubebuilder:pruning:PreserveUnknownFields", spec("kubebuilder:pruning:PreserveUnknownFields")),
        ("kubebuilder:resource", kind("kubebuilder:resource:scope=Cluster,shortName=w")),
        ("kubebuilder:selectablefield", kind("kubebuilder:selectablefield:JSONPath=`.spec.text`")),
        ("kubebuilder:skip", kind("kubebuilder:skip")),
        ("kubebuilder:skipversion", kind("kubebuilder:skipversion")),
        (
            "kubebuilder:subresource:scale",
            kind("kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size"),
        ),
        ("kubebuilder:subresource:status", kind("kubebuilder:subresource:status")),
        ("kubebuilder:title", named("kubebuilder:title=\"a title\"")),
        ("kubebuilder:unservedversion", kind("kubebuilder:unservedversion")),
        ("kubebuilder:validation:AtLeastOneOf", spec("kubebuilder:validation:AtLeastOneOf=text;maybe")),
        ("kubebuilder:validation:AtMostOneOf", spec("kubebuilder:validation:AtMostOneOf=text;maybe")),
        ("kubebuilder:validation:EmbeddedResource", spec("kubebuilder:validation:EmbeddedResource")),
        ("kubebuilder:validation:Enum", named("kubebuilder:validation:Enum=A;B")),
        ("kubebuilder:validation:ExactlyOneOf", spec("kubebuilder:validation:ExactlyOneOf=text;maybe")),
        ("kubebuilder:validation:ExclusiveMaximum", field("kubebuilder:validation:ExclusiveMaximum=true")),
        ("kubebuilder:validation:ExclusiveMinimum", field("kubebuilder:validation:ExclusiveMinimum=true")),
        ("kubebuilder:validation:Format", named("kubebuilder:validation:Format=uri")),
        ("kubebuilder:validation:MaxItems", field("kubebuilder:validation:MaxItems=3")),
        ("kubebuilder:validation:MaxLength", named("kubebuilder:validation:MaxLength=3")),
        ("kubebuilder:validation:MaxProperties", spec("kubebuilder:validation:MaxProperties=30")),
        ("kubebuilder:validation:Maximum", field("kubebuilder:validation:Maximum=3")),
        ("kubebuilder:validation:MinItems", field("kubebuilder:validation:MinItems=3")),
        ("kubebuilder:validation:MinLength", named("kubebuilder:validation:MinLength=3")),
        ("kubebuilder:validation:MinProperties", spec("kubebuilder:validation:MinProperties=1")),
        ("kubebuilder:validation:Minimum", field("kubebuilder:validation:Minimum=3")),
        ("kubebuilder:validation:MultipleOf", field("kubebuilder:validation:MultipleOf=3")),
        ("kubebuilder:validation:Optional", field("kubebuilder:validation:Optional")),
        ("kubebuilder:validation:Pattern", named("kubebuilder:validation:Pattern=`^a$`")),
        ("kubebuilder:validation:Required", field("kubebuilder:validation:Required")),
        (
            "kubebuilder:validation:Schemaless",
            field("kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields"),
        ),
        ("kubebuilder:validation:Type", named("kubebuilder:validation:Type=integer")),
        ("kubebuilder:validation:XEmbeddedResource", spec("kubebuilder:validation:XEmbeddedResource")),
        (
            "kubebuilder:validation:XIntOrString",
            field("kubebuilder:validation:Schemaless\n\t// +kubebuilder:validation:XIntOrString"),
        ),
        ("kubebuilder:validation:XPreserveUnknownFields", spec("kubebuilder:validation:XPreserveUnknownFields")),
        ("kubebuilder:validation:XValidation", spec("kubebuilder:validation:XValidation:rule=\"self.size > 1\"")),
    ]
}

/// Markers that change nothing in a definition with one version whose types are kinds anyway.
const NOT_SEEN_HERE: [&str; 2] = ["kubebuilder:object:root", "kubebuilder:storageversion"];

#[test]
fn every_row_of_the_table_is_translated() {
    let plain = exported(Place::Kind, "").expect("the kind is exported");
    let examples = examples();
    for spec in SPECS {
        let example = examples.iter().find(|(name, _)| *name == spec.name);
        let is_silent = spec.becomes.is_empty() || NOT_SEEN_HERE.contains(&spec.name);
        let Some((_, (place, marker))) = example else {
            assert!(is_silent, "{} has no example", spec.name);
            continue;
        };
        assert!(!is_silent, "{} is translated, but its row says nothing", spec.name);
        let with = exported(*place, marker);
        if spec.becomes.ends_with("is left out") {
            assert_eq!(with, None, "{}", spec.name);
            continue;
        }
        let with = with.unwrap_or_else(|| panic!("{} leaves the kind out", spec.name));
        assert_ne!(with, plain, "{} changes nothing", spec.name);
        // Keywords are between backticks.
        let keywords = spec.becomes.split('`').skip(1).step_by(2).flat_map(|keyword| keyword.split(['.', ':']).take(1));
        for keyword in keywords.filter(|keyword| !matches!(*keyword, "required" | "names" | "scope" | "served")) {
            assert!(with.contains(&format!("{keyword:?}:")), "{}: no {keyword} in {with}", spec.name);
        }
        if spec.becomes == "a CEL rule" {
            assert!(with.contains("x-kubernetes-validations"), "{}", spec.name);
        }
    }
}

#[test]
fn markers_without_a_namespace_and_of_elements_are_translated() {
    let plain = exported(Place::Kind, "").expect("the kind is exported");
    for (marker, keyword) in [
        ("nullable", "\"nullable\":true"),
        ("kubebuilder:validation:items:MaxLength=9", "\"items\":{\"maxLength\":9"),
        ("listType:=atomic", "\"x-kubernetes-list-type\":\"atomic\""),
    ] {
        let with = exported(Place::List, marker).expect("the kind is exported");
        assert!(!plain.contains(keyword) && with.contains(keyword), "{marker}: {with}");
    }
}

#[test]
fn the_table_has_a_row_for_every_marker() {
    let page = include_str!("../../../../docs/crd.md");
    let rows: BTreeSet<String> = page.lines().filter(|line| line.starts_with("| `+")).map(str::to_owned).collect();
    let name = |target: &Target| target.name().trim_start_matches("a ").to_owned();
    let mut expected: BTreeSet<String> = SPECS
        .iter()
        .map(|spec| {
            let targets: Vec<String> = spec.targets.iter().map(name).collect();
            let becomes = if spec.becomes.is_empty() { "nothing" } else { spec.becomes };
            format!("| `+{}` | {} | {becomes} |", spec.name, targets.join(", "))
        })
        .collect();
    expected.insert("| `+kubebuilder:validation:items:…` | type, field | the keyword of the elements |".to_owned());
    expected.insert("| `+nullable` | type, field | `nullable` |".to_owned());
    assert_eq!(rows, expected);
}
