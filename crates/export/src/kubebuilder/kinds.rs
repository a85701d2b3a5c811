//! Markers about kinds: names, scope, columns, subresources, versions.

use sprag_idl::model::TagLine;
use sprag_tags::kubebuilder::{Found, Marker, find};
use sprag_value::Value;

use super::values::texts;

/// The markers of a kind.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a marker of its own")]
pub(crate) struct KindMarks {
    pub(crate) plural: Option<String>,
    pub(crate) singular: Option<String>,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) scope: Option<String>,
    pub(crate) columns: Vec<Value>,
    pub(crate) selectable: Vec<String>,
    pub(crate) has_status: bool,
    pub(crate) scale: Option<Value>,
    pub(crate) is_storage: bool,
    pub(crate) is_unserved: bool,
    /// The warning for clients of a deprecated version; empty where it has none of its own.
    pub(crate) deprecated: Option<String>,
    pub(crate) is_skipped: bool,
    pub(crate) annotations: Vec<(String, String)>,
    pub(crate) labels: Vec<(String, String)>,
}

pub(super) fn kind_marks<'l>(lines: impl IntoIterator<Item = &'l TagLine>) -> KindMarks {
    let mut marks = KindMarks::default();
    for line in lines {
        if let Found::Known(marker) = find(line) {
            add(&mut marks, &marker);
        }
    }
    marks
}

fn add(marks: &mut KindMarks, marker: &Marker<'_>) {
    let args = || marker.args().unwrap_or_default();
    match marker.spec.name {
        "kubebuilder:resource" => {
            for (name, text) in args() {
                match name.as_str() {
                    "path" => marks.plural = Some(text),
                    "singular" => marks.singular = Some(text),
                    "shortName" => marks.short_names.extend(texts(&text)),
                    "categories" => marks.categories.extend(texts(&text)),
                    "scope" => marks.scope = Some(text),
                    _ => {}
                }
            }
        }
        "kubebuilder:printcolumn" => marks.columns.push(column(&args())),
        "kubebuilder:selectablefield" => {
            marks.selectable.extend(args().into_iter().filter(|(name, _)| name == "JSONPath").map(|(_, path)| path));
        }
        "kubebuilder:subresource:status" => marks.has_status = true,
        "kubebuilder:subresource:scale" => {
            let mut scale = Value::object();
            for (name, path) in args() {
                let member = match name.as_str() {
                    "specpath" => "specReplicasPath",
                    "statuspath" => "statusReplicasPath",
                    "selectorpath" => "labelSelectorPath",
                    _ => continue,
                };
                scale.insert(member, path);
            }
            marks.scale = Some(scale);
        }
        "kubebuilder:storageversion" => marks.is_storage = true,
        "kubebuilder:unservedversion" => marks.is_unserved = true,
        "kubebuilder:deprecatedversion" => {
            let warning = args().into_iter().find(|(name, _)| name == "warning").map(|(_, warning)| warning);
            marks.deprecated = Some(warning.unwrap_or_default());
        }
        "kubebuilder:skip" | "kubebuilder:skipversion" => marks.is_skipped = true,
        "kubebuilder:metadata" => {
            for (name, text) in args() {
                let pairs = texts(&text);
                let pairs = pairs.iter().filter_map(|pair| pair.split_once('='));
                let pairs = pairs.map(|(key, value)| (key.to_owned(), value.trim_matches('"').to_owned()));
                if name == "annotations" { marks.annotations.extend(pairs) } else { marks.labels.extend(pairs) }
            }
        }
        _ => {}
    }
}

/// As controller-gen's `PrintColumn` has it.
fn column(args: &[(String, String)]) -> Value {
    let mut column = Value::object();
    for (name, text) in args {
        match name.as_str() {
            "JSONPath" => column.insert("jsonPath", text.as_str()),
            "priority" => match text.parse::<i64>() {
                Ok(priority) if priority != 0 => column.insert("priority", priority),
                _ => continue,
            },
            "name" | "type" | "format" | "description" if !text.is_empty() => {
                column.insert(name.as_str(), text.as_str())
            }
            _ => continue,
        };
    }
    column
}
