//! Markers about values: keywords and CEL rules.

use sprag_schema::cel_name;
use sprag_tags::kubebuilder::Marker;
use sprag_value::{Value, json};

use super::{Marks, leave};

/// Adds what a marker says.
pub(super) fn add(marks: &mut Marks, marker: &Marker<'_>) {
    let Some(name) = marker.spec.name.strip_prefix("kubebuilder:") else { return };
    let name = name.strip_prefix("validation:").unwrap_or(name);
    match name {
        "XValidation" => match rule(marker) {
            Some(rule) if marker.items => marks.item_rules.push(rule),
            Some(rule) => marks.rules.push(rule),
            None => leave(marks, marker),
        },
        "ExactlyOneOf" | "AtMostOneOf" | "AtLeastOneOf" => match one_of(name, marker) {
            Some(rule) => marks.rules.push(rule),
            None => leave(marks, marker),
        },
        "Schemaless" => marks.schemaless = true,
        "externalDocs" => {
            let args = marker.args().unwrap_or_default();
            let docs: Value = args.iter().map(|(name, text)| (name.as_str(), Value::from(text.as_str()))).collect();
            marks.keywords.push(("externalDocs", docs));
        }
        "UniqueItems" => leave(marks, marker),
        _ => {
            let Some(keyword) = keyword(name) else { return };
            match marker.value() {
                // A flag that is off says nothing.
                Some(Value::Bool(false)) if keyword != "default" && keyword != "example" => {}
                Some(value) if marker.items => marks.items.push((keyword, value)),
                Some(value) => marks.keywords.push((keyword, value)),
                None => leave(marks, marker),
            }
        }
    }
}

fn keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "default" => "default",
        "example" => "example",
        "title" => "title",
        "pruning:PreserveUnknownFields" | "XPreserveUnknownFields" => "x-kubernetes-preserve-unknown-fields",
        "EmbeddedResource" | "XEmbeddedResource" => "x-kubernetes-embedded-resource",
        "XIntOrString" => "x-kubernetes-int-or-string",
        "Enum" => "enum",
        "ExclusiveMaximum" => "exclusiveMaximum",
        "ExclusiveMinimum" => "exclusiveMinimum",
        "Format" => "format",
        "MaxItems" => "maxItems",
        "MaxLength" => "maxLength",
        "MaxProperties" => "maxProperties",
        "Maximum" => "maximum",
        "MinItems" => "minItems",
        "MinLength" => "minLength",
        "MinProperties" => "minProperties",
        "Minimum" => "minimum",
        "MultipleOf" => "multipleOf",
        "Pattern" => "pattern",
        "Type" => "type",
        _ => return None,
    })
}

fn rule(marker: &Marker<'_>) -> Option<Value> {
    let mut rule = Value::object();
    for (name, text) in marker.args()? {
        match name.as_str() {
            "optionalOldSelf" => rule.insert("optionalOldSelf", text.parse::<bool>().ok()?),
            "rule" | "message" | "messageExpression" | "reason" | "fieldPath" => rule.insert(name.as_str(), text),
            _ => return None,
        };
    }
    rule.get("rule").is_some().then_some(rule)
}

/// As controller-gen spells it: how many of the fields are there.
fn one_of(name: &str, marker: &Marker<'_>) -> Option<Value> {
    let value = marker.value()?;
    let fields: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    let has: Vec<String> =
        fields.iter().map(|field| Some(format!("has(self.{})", cel_name(field)?))).collect::<Option<_>>()?;
    let (operator, words) = match name {
        "ExactlyOneOf" => ("==", "exactly one"),
        "AtMostOneOf" => ("<=", "at most one"),
        _ => (">=", "at least one"),
    };
    let names = fields.join(" ");
    let mut rule = Value::object();
    rule.insert("rule", format!("[{}].filter(x,x==true).size() {operator} 1", has.join(",")));
    rule.insert(
        "message",
        format!("{words} of the fields in [{names}] {} be set", if name == "AtMostOneOf" { "may" } else { "must" }),
    );
    Some(rule)
}

/// The text of an argument as the list that it is.
pub(super) fn texts(text: &str) -> Vec<String> {
    let inside = text.trim().trim_start_matches('{').trim_end_matches('}');
    let parts = inside.split([';', ',']).map(|part| part.trim().trim_matches('"').to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Merges a keyword into what a schema has: of two limits the narrower one holds.
pub(crate) fn merge(old: Option<&Value>, keyword: &str, new: Value) -> Value {
    let Some((before, after)) = old.and_then(|old| Some((old.as_f64()?, new.as_f64()?))) else { return new };
    let keeps = match keyword {
        "maximum" | "maxLength" | "maxItems" | "maxProperties" => before < after,
        "minimum" | "minLength" | "minItems" | "minProperties" => before > after,
        _ => false,
    };
    if keeps { json::parse(json::to_string(old.unwrap_or(&new)).as_bytes()).unwrap_or(new) } else { new }
}
