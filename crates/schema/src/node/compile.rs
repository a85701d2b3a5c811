//! Schemas as written into nodes.

use std::collections::HashMap;

use sprag_release::{Fact, Release};
use sprag_value::{Text, Value};

use super::{
    Additional, Below, Combinators, Count, Default, ListKind, NamedFormat, Node, Properties, TextLimits, Types,
};
use crate::enumeration::Enumeration;
use crate::format::Format;
use crate::number::Number;
use crate::pattern::Pattern;
use crate::props::{Props, PropsOrBool};

/// Makes a schema ready. [`Props`] are of limited depth, and so is what comes out.
pub(crate) fn compile(props: &Props, release: Release) -> Node {
    Compiler::new(release).node(props)
}

/// Makes a schema ready as the reference does for the defaults in it: formats that nobody knows still matter to the
/// type check, and integers or strings are of the type that is written.
pub(crate) fn compile_for_defaults(props: &Props, release: Release) -> Node {
    Compiler { verbatim: true, ..Compiler::new(release) }.node(props)
}

struct Compiler {
    release: Release,
    /// Equal patterns of one schema are one.
    patterns: HashMap<Text, Pattern>,
    /// Types and formats are taken as they are written.
    verbatim: bool,
}

impl Compiler {
    fn new(release: Release) -> Compiler {
        Compiler { release, patterns: HashMap::new(), verbatim: false }
    }

    fn node(&mut self, props: &Props) -> Node {
        let mut node = Node {
            ty: props.ty.clone(),
            types: self.types(props),
            nullable: props.nullable,
            preserve: props.preserve_unknown_fields == Some(true),
            embedded: props.embedded_resource,
            format: self.format(props),
            text: self.text_limits(props),
            number: Number::compile(props, self.release),
            enumeration: Enumeration::compile(&props.enumeration),
            combinators: self.combinators(props),
            items: props.item_schema().map(|items| Box::new(self.node(items))),
            item_count: Count { min: props.min_items, max: props.max_items },
            properties: self.properties(props),
            additional: self.additional(props),
            required: props.required.as_slice().into(),
            property_count: Count { min: props.min_properties, max: props.max_properties },
            list: list_kind(props),
            default: default(props),
            below: Below::default(),
        };
        node.below = below(&node);
        node
    }

    fn properties(&mut self, props: &Props) -> Properties {
        props.properties.iter().map(|(name, props)| (name.clone(), self.node(props))).collect()
    }

    fn additional(&mut self, props: &Props) -> Additional {
        match &props.additional_properties {
            None => Additional::Absent,
            Some(PropsOrBool::Bool(true)) => Additional::Allowed,
            Some(PropsOrBool::Bool(false)) => Additional::Forbidden,
            Some(PropsOrBool::Props(props)) => Additional::Schema(Box::new(self.node(props))),
        }
    }

    fn combinators(&mut self, props: &Props) -> Option<Box<Combinators>> {
        let is_plain =
            props.any_of.is_empty() && props.one_of.is_empty() && props.all_of.is_empty() && props.not.is_none();
        if is_plain {
            return None;
        }
        let mut branches = |schemas: &[Props]| schemas.iter().map(|schema| self.node(schema)).collect();
        let any_of = branches(&props.any_of);
        let one_of = branches(&props.one_of);
        let all_of = branches(&props.all_of);
        let not = props.not.as_ref().map(|not| self.node(not));
        Some(Box::new(Combinators { any_of, one_of, all_of, not }))
    }

    fn text_limits(&mut self, props: &Props) -> Option<Box<TextLimits>> {
        let pattern = self.pattern(&props.pattern);
        if props.max_length.is_none() && props.min_length.is_none() && pattern.is_none() {
            return None;
        }
        Some(Box::new(TextLimits { max: props.max_length, min: props.min_length, pattern }))
    }

    fn types(&self, props: &Props) -> Types {
        if props.int_or_string && !self.verbatim { Types::INTEGER.or(Types::STRING) } else { Types::named(&props.ty) }
    }

    /// The format, if it applies to this type; others are ignored.
    fn format(&self, props: &Props) -> Option<NamedFormat> {
        let ty = if props.int_or_string { "" } else { props.ty.as_str() };
        let named = |check| Some(NamedFormat { name: props.format.clone(), check });
        match (ty, props.format.as_str()) {
            (_, "") => None,
            (_, name) if self.verbatim => named(Format::named(name)),
            // As apiextensions' StripUnsupportedFormatsPostProcessorForVersion, which did not look at the type.
            (_, name) if !self.release.has(Fact::FormatsHaveTypes) => {
                self.known(name).and_then(|format| named(Some(format)))
            }
            ("" | "string", name) => self.known(name).and_then(|format| named(Some(format))),
            ("integer", "int32" | "int64") | ("number", "float" | "double") => named(None),
            _ => None,
        }
    }

    /// The format with this name, if the release has it.
    fn known(&self, name: &str) -> Option<Format> {
        Format::named(name).filter(|format| format.is_in(self.release))
    }

    fn pattern(&mut self, pattern: &Text) -> Option<Pattern> {
        if pattern.is_empty() {
            return None;
        }
        Some(self.patterns.entry(pattern.clone()).or_insert_with(|| Pattern::new(pattern.clone())).clone())
    }
}

fn list_kind(props: &Props) -> ListKind {
    match props.list_type.as_deref() {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Map(props.list_map_keys.as_slice().into()),
        _ => ListKind::Plain,
    }
}

fn default(props: &Props) -> Option<Box<Default>> {
    let value = props.default.clone()?;
    let size = size(&value);
    Some(Box::new(Default { value, size }))
}

/// Returns the number of values that a value is made of.
pub(crate) fn size(value: &Value) -> usize {
    match value {
        Value::Array(array) => 1 + array.iter().map(size).sum::<usize>(),
        Value::Object(object) => 1 + object.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// Returns the work to do at a node or below it, from that of its parts.
fn below(node: &Node) -> Below {
    let mut below = Below { defaults: false, keyed_lists: node.list != ListKind::Plain, embedded: node.embedded };
    for (_, child) in node.properties.iter() {
        below.join(child.below);
        below.defaults |= child.default.is_some();
    }
    for child in node.items.as_deref().into_iter().chain(node.additional.schema()) {
        below.join(child.below);
        below.defaults |= child.default.is_some();
    }
    below
}
