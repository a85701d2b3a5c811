//! Rules in plain words.

use sprag_idl::Tag;
use sprag_tags::Registry;

/// A `+k8s:` tag in plain words.
pub(super) fn of_tag(tag: &Tag, text: &str, registry: &Registry) -> String {
    let value = text.split_once('=').map(|(_, value)| value.trim()).unwrap_or_default();
    let inner = || tag.inner().map(|inner| of_tag(inner, value.trim_start_matches('+'), registry)).unwrap_or_default();
    match tag.name.trim_start_matches("k8s:") {
        "minimum" => format!("at least {value}"),
        "maximum" => format!("at most {value}"),
        "minLength" => format!("at least {value} characters"),
        "maxLength" => format!("at most {value} characters"),
        "maxBytes" => format!("at most {value} bytes"),
        "minItems" => format!("at least {value} elements"),
        "maxItems" => format!("at most {value} elements"),
        "minProperties" => format!("at least {value} entries"),
        "maxProperties" => format!("at most {value} entries"),
        "format" => format!("has the form {value}"),
        "pattern" => format!("matches {value}"),
        "required" => "must be set".to_owned(),
        "optional" => "may be left out".to_owned(),
        "forbidden" => "must not be set".to_owned(),
        "immutable" => "cannot be changed".to_owned(),
        "enum" => "one of the listed values".to_owned(),
        "listType" => format!("a list of type {value}"),
        "listMapKey" => format!("elements are identified by {value}"),
        "alpha" | "beta" => inner(),
        "eachVal" => format!("each element: {}", inner()),
        "eachKey" => format!("each key: {}", inner()),
        _ => registry.find(&tag.name).map(|rule| rule.summary.to_string()).unwrap_or_default(),
    }
}

/// The stage that a tag's outermost name says.
pub(super) fn stage(tag: &Tag) -> &'static str {
    match tag.name.as_str() {
        "k8s:alpha" => "alpha",
        "k8s:beta" => "beta",
        _ => "stable",
    }
}
