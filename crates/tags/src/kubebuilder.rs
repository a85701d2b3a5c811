//! Markers of controller-gen: which there are, where they stand, what they take.
//!
//! Does not know: schemas, definitions, advice. [`find`] reads a tag line, [`MarkerSpec`] says what the marker is.

mod specs;
mod value;

use sprag_idl::model::TagLine;
use sprag_value::Value;

pub use self::specs::SPECS;
pub use self::value::{parse_args, parse_value};

/// The targets of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// On a package.
    Package,
    /// On a type.
    Type,
    /// On a field of a struct.
    Field,
}

impl Target {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Target::Package => "a package",
            Target::Type => "a type",
            Target::Field => "a field",
        }
    }
}

/// The value of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing, or `true` and `false`.
    Flag,
    /// An integer.
    Int,
    /// A number.
    Number,
    /// A text.
    Text,
    /// Any value.
    Any,
    /// Values, separated by semicolons or in braces.
    Values,
    /// Texts, separated by semicolons or in braces.
    Texts,
    /// Named arguments.
    Args(&'static [&'static str]),
    /// Whatever another tool reads.
    Other,
}

/// The values a marker of validation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// All values.
    Any,
    /// Numbers.
    Numbers,
    /// Texts.
    Texts,
    /// Lists.
    Lists,
    /// Maps and structs.
    Objects,
}

impl About {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            About::Any => "any value",
            About::Numbers => "numbers",
            About::Texts => "texts",
            About::Lists => "lists",
            About::Objects => "maps and structs",
        }
    }
}

/// A marker of controller-gen.
#[derive(Clone, Copy, Debug)]
pub struct MarkerSpec {
    /// The name, without the `+`.
    pub name: &'static str,
    /// The targets.
    pub targets: &'static [Target],
    /// Its value.
    pub takes: Takes,
    /// The values it is about.
    pub about: About,
    /// Its effect on a definition; empty without one.
    pub becomes: &'static str,
}

/// A marker in a comment.
#[derive(Clone, Copy, Debug)]
pub struct Marker<'l> {
    /// Its specification.
    pub spec: &'static MarkerSpec,
    /// True if it is about the elements of a list: `kubebuilder:validation:items:`.
    pub items: bool,
    /// The text after its name and the `=` or `:`.
    pub text: &'l str,
    /// True if there is such a text.
    pub has_text: bool,
    /// The line it stands on.
    pub line: &'l TagLine,
}

impl Marker<'_> {
    /// The value, as far as it is one of the kind that the marker takes.
    pub fn value(&self) -> Option<Value> {
        match self.spec.takes {
            Takes::Args(_) => None,
            _ if !self.has_text => matches!(self.spec.takes, Takes::Flag).then_some(Value::Bool(true)),
            takes => parse_value(self.text, takes),
        }
    }

    /// The named arguments; `None` when they cannot be read.
    pub fn args(&self) -> Option<Vec<(String, String)>> {
        if self.has_text { parse_args(self.text) } else { Some(Vec::new()) }
    }
}

/// A tag line as controller-gen reads it.
#[derive(Clone, Copy, Debug)]
pub enum Found<'l> {
    /// A marker that it knows.
    Known(Marker<'l>),
    /// A name in its namespace that it does not know.
    Unknown(&'l str),
    /// Another tool's.
    Other,
}

/// The prefix of all names that controller-gen keeps for itself.
pub const NAMESPACE: &str = "kubebuilder:";

/// The prefix of markers for the elements of a list.
const ITEMS: &str = "kubebuilder:validation:items:";

/// Looks a tag line up.
pub fn find(line: &TagLine) -> Found<'_> {
    let text = line.text.as_str();
    let (head, rest) = match text.split_once('=') {
        Some((head, rest)) => (head, Some(rest)),
        None => (text, None),
    };
    // `:=` is `=`, as controller-gen's own examples have it.
    let head = head.trim_end().trim_end_matches(':');
    let (items, name) = match head.strip_prefix(ITEMS) {
        Some(name) => (true, format!("kubebuilder:validation:{name}")),
        None => (false, head.to_owned()),
    };
    if let Some(spec) = spec(&name) {
        let has_text = rest.is_some();
        return Found::Known(Marker { spec, items, text: rest.unwrap_or_default(), has_text, line });
    }
    // `+kubebuilder:resource:scope=Cluster`: the last part of the name is the first argument.
    if let Some((shorter, _)) = name.rsplit_once(':')
        && let Some(spec) = spec(shorter).filter(|spec| matches!(spec.takes, Takes::Args(_) | Takes::Other))
    {
        let start = head.rfind(':').map_or(head.len(), |at| at + 1);
        return Found::Known(Marker { spec, items, text: &text[start..], has_text: true, line });
    }
    if OTHER_PARTS.iter().any(|part| head.starts_with(part)) {
        return Found::Other;
    }
    if head.to_ascii_lowercase().starts_with(NAMESPACE) { Found::Unknown(&text[..head.len()]) } else { Found::Other }
}

/// Names of other tools in the same namespace.
const OTHER_PARTS: [&str; 4] =
    ["kubebuilder:scaffold", "kubebuilder:docs-gen", "kubebuilder:rbac", "kubebuilder:webhook"];

/// Returns the specification of a marker.
pub fn spec(name: &str) -> Option<&'static MarkerSpec> {
    SPECS.iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_idl::Span;

    fn line(text: &str) -> TagLine {
        TagLine { text: text.to_owned(), span: Span::NONE }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let line = line(text);
        let found = match find(&line) {
            Found::Known(marker) => {
                let value = marker.value().map(|value| sprag_value::json::to_string(&value));
                let args = matches!(marker.spec.takes, Takes::Args(_)).then(|| marker.args());
                format!("{}{} {value:?} {args:?}", marker.spec.name, if marker.items { " (items)" } else { "" })
            }
            Found::Unknown(name) => format!("unknown {name}"),
            Found::Other => "other".to_owned(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn names_are_sorted_and_found() {
        assert!(SPECS.is_sorted_by_key(|spec| spec.name));
        check("kubebuilder:validation:Minimum=1", "kubebuilder:validation:Minimum Some(\"1\") None");
        check("kubebuilder:validation:items:MaxLength=3", "kubebuilder:validation:MaxLength (items) Some(\"3\") None");
        check("kubebuilder:validation:Minimun=1", "unknown kubebuilder:validation:Minimun");
        check("kubebuilder:scaffold:imports", "other");
        check("genclient", "other");
    }

    #[test]
    fn arguments_are_read() {
        check(
            "kubebuilder:resource:path=widgets,scope=Cluster,shortName=w;wi",
            r#"kubebuilder:resource None Some(Some([("path", "widgets"), ("scope", "Cluster"), ("shortName", "w;wi")]))"#,
        );
        check(
            "kubebuilder:validation:XValidation:rule=\"self.a == 'x, y'\",message=`m`",
            r#"kubebuilder:validation:XValidation None Some(Some([("rule", "self.a == 'x, y'"), ("message", "m")]))"#,
        );
    }

    #[test]
    fn values_are_read() {
        check(
            "kubebuilder:validation:Enum=a;b;\"c d\"",
            r#"kubebuilder:validation:Enum Some("[\"a\",\"b\",\"c d\"]") None"#,
        );
        check("kubebuilder:validation:Enum={1,2}", r#"kubebuilder:validation:Enum Some("[1,2]") None"#);
        check(
            "kubebuilder:default={a: 1, b: {x, y}}",
            r#"kubebuilder:default Some("{\"a\":1,\"b\":[\"x\",\"y\"]}") None"#,
        );
        check("kubebuilder:default={{a: 1}}", r#"kubebuilder:default Some("[{\"a\":1}]") None"#);
        check("kubebuilder:default=\"5m\"", r#"kubebuilder:default Some("\"5m\"") None"#);
        check("kubebuilder:default:=false", r#"kubebuilder:default Some("false") None"#);
        check(
            "kubebuilder:validation:Pattern=`^a{1,2}$`",
            r#"kubebuilder:validation:Pattern Some("\"^a{1,2}$\"") None"#,
        );
        check("kubebuilder:validation:Minimum=x", "kubebuilder:validation:Minimum None None");
    }
}
