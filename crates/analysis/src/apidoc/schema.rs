//! Trees of the schemas of custom resources.

use sprag_schema::Props;
use sprag_value::json;

use super::{Node, RuleNote};

/// Returns the tree of a schema.
pub fn of_schema(name: &str, props: &Props, required: bool) -> Node {
    let inner = props.item_schema().or(props.additional_schema()).unwrap_or(props);
    let ty = match (props.item_schema(), props.additional_schema()) {
        (Some(items), _) => format!("[]{}", shown(items)),
        (_, Some(values)) => format!("map[string]{}", shown(values)),
        _ => shown(props),
    };
    let is_required = |name: &str| inner.required.iter().any(|required| required.as_str() == name);
    let fields = inner.properties.iter().map(|(name, props)| of_schema(name, props, is_required(name)));
    Node {
        name: name.to_owned(),
        ty,
        doc: props.description.to_string(),
        required,
        default: props.default.as_ref().map(json::to_string),
        releases: None,
        values: values(inner),
        rules: rules(props),
        fields: fields.collect(),
    }
}

fn shown(props: &Props) -> String {
    match (props.ty.as_str(), props.format.as_str()) {
        ("", _) if props.int_or_string => "integer or string".to_owned(),
        ("", _) => "any".to_owned(),
        (ty, "") => ty.to_owned(),
        (ty, format) => format!("{ty} ({format})"),
    }
}

fn rules(props: &Props) -> Vec<RuleNote> {
    let mut rules = Vec::new();
    let mut add = |name: &str, value: Option<String>, words: &str| {
        if let Some(value) = value {
            rules.push(keyword(format!("{name}: {value}"), words.replace("{}", &value)));
        }
    };
    add("minimum", props.minimum.map(|limit| limit.to_string()), "at least {}");
    add("maximum", props.maximum.map(|limit| limit.to_string()), "at most {}");
    add("minLength", props.min_length.map(|limit| limit.to_string()), "at least {} characters");
    add("maxLength", props.max_length.map(|limit| limit.to_string()), "at most {} characters");
    add("minItems", props.min_items.map(|limit| limit.to_string()), "at least {} elements");
    add("maxItems", props.max_items.map(|limit| limit.to_string()), "at most {} elements");
    add("minProperties", props.min_properties.map(|limit| limit.to_string()), "at least {} entries");
    add("maxProperties", props.max_properties.map(|limit| limit.to_string()), "at most {} entries");
    add("pattern", (!props.pattern.is_empty()).then(|| props.pattern.to_string()), "matches {}");
    let values: Vec<String> = props.enumeration.iter().map(json::to_string).collect();
    add("enum", (!values.is_empty()).then(|| values.join(", ")), "one of {}");
    add("x-kubernetes-list-type", props.list_type.as_ref().map(ToString::to_string), "a list of type {}");
    for rule in &props.validations {
        let words = if rule.message.is_empty() { rule.rule.to_string() } else { rule.message.to_string() };
        rules.push(keyword(rule.rule.to_string(), words));
    }
    rules
}

/// The values of an enum.
fn values(props: &Props) -> Vec<String> {
    props.enumeration.iter().map(|value| value.as_str().map_or_else(|| json::to_string(value), str::to_owned)).collect()
}

/// A rule of a definition.
pub fn keyword(rule: String, words: String) -> RuleNote {
    RuleNote { rule, words, stage: "stable", origin: "schema".to_owned(), place: None, releases: None }
}
