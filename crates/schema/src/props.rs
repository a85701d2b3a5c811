//! The schema of a definition as it is written there: every keyword, allowed or not, nothing interpreted.

use std::collections::BTreeMap;

use sprag_value::{Text, Value};

mod read;

/// The deepest nesting of schemas in schemas that is read.
pub const MAX_SCHEMA_DEPTH: usize = 128;

/// A schema that nests deeper than [`MAX_SCHEMA_DEPTH`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schema nests deeper than {MAX_SCHEMA_DEPTH} levels")]
pub struct TooDeep;

/// A JSON schema with every keyword that Kubernetes reads, including those that it goes on to refuse.
///
/// An absent keyword is the empty text, list or map, `false` or `None`. A `default` or `example` of null counts as absent.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a keyword of its own")]
pub struct Props {
    /// `id`.
    pub id: Text,
    /// `$schema`.
    pub schema: Text,
    /// `$ref`.
    pub reference: Option<Text>,
    /// `description`.
    pub description: Text,
    /// `type`.
    pub ty: Text,
    /// `format`.
    pub format: Text,
    /// `title`.
    pub title: Text,
    /// `default`.
    pub default: Option<Value>,
    /// `maximum`.
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `minimum`.
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `maxLength`.
    pub max_length: Option<i64>,
    /// `minLength`.
    pub min_length: Option<i64>,
    /// `pattern`.
    pub pattern: Text,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `multipleOf`.
    pub multiple_of: Option<f64>,
    /// `enum`.
    pub enumeration: Vec<Value>,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `minProperties`.
    pub min_properties: Option<i64>,
    /// `required`.
    pub required: Vec<Text>,
    /// `items`.
    pub items: Option<Items>,
    /// `allOf`.
    pub all_of: Vec<Props>,
    /// `oneOf`.
    pub one_of: Vec<Props>,
    /// `anyOf`.
    pub any_of: Vec<Props>,
    /// `not`.
    pub not: Option<Box<Props>>,
    /// `properties`.
    pub properties: BTreeMap<Text, Props>,
    /// `additionalProperties`.
    pub additional_properties: Option<PropsOrBool>,
    /// `patternProperties`.
    pub pattern_properties: BTreeMap<Text, Props>,
    /// `dependencies`.
    pub dependencies: BTreeMap<Text, Dependency>,
    /// `additionalItems`.
    pub additional_items: Option<PropsOrBool>,
    /// `definitions`.
    pub definitions: BTreeMap<Text, Props>,
    /// `externalDocs`.
    pub external_docs: Option<ExternalDocs>,
    /// `example`.
    pub example: Option<Value>,
    /// `nullable`.
    pub nullable: bool,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<Text>,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<Text>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<Text>,
    /// `x-kubernetes-validations`.
    pub validations: Vec<Rule>,
    /// The lists and maps that are present but empty.
    pub empty: Empties,
}

/// Keywords that are there with an empty list or map. Go tells them from absent ones where it compares or prints, yet
/// schemas that differ in nothing else are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Empties(u16);

impl PartialEq for Empties {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Empties {
    /// Names that can be marked, each with its bit.
    const KEYWORDS: [&str; 11] = [
        "enum",
        "required",
        "allOf",
        "oneOf",
        "anyOf",
        "properties",
        "patternProperties",
        "dependencies",
        "definitions",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-validations",
    ];

    /// True if this keyword is there but empty.
    pub fn has(self, keyword: &str) -> bool {
        self.0 & Self::bit(keyword) != 0
    }

    /// True if any keyword is there but empty.
    pub fn any(self) -> bool {
        self.0 != 0
    }

    fn mark(&mut self, keyword: &str) {
        self.0 |= Self::bit(keyword);
    }

    fn bit(keyword: &str) -> u16 {
        Self::KEYWORDS.iter().position(|known| *known == keyword).map_or(0, |index| 1 << index)
    }
}

/// The value of `items`.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// One schema for all items.
    One(Box<Props>),
    /// One schema per position.
    Many(Vec<Props>),
}

/// The value of `additionalProperties` or `additionalItems`.
#[derive(Clone, Debug, PartialEq)]
pub enum PropsOrBool {
    /// Whatever comes is allowed, or nothing is.
    Bool(bool),
    /// A schema that the value must match.
    Props(Box<Props>),
}

/// An entry of `dependencies`.
#[derive(Clone, Debug, PartialEq)]
pub enum Dependency {
    /// Other properties that must be there.
    Names(Vec<Text>),
    /// A schema that the whole must match.
    Props(Box<Props>),
}

/// The value of `externalDocs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalDocs {
    /// `description`.
    pub description: Text,
    /// `url`.
    pub url: Text,
}

/// An entry of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rule {
    /// `rule`.
    pub rule: Text,
    /// `message`.
    pub message: Text,
    /// `messageExpression`.
    pub message_expression: Text,
    /// `reason`.
    pub reason: Option<Text>,
    /// `fieldPath`.
    pub field_path: Text,
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
}

impl Props {
    /// Reads a schema. A keyword whose value is of the wrong kind counts as absent: whether it is of the right kind is
    /// asked when the definition is decoded.
    pub fn read(value: &Value) -> Result<Self, TooDeep> {
        read::props(value, MAX_SCHEMA_DEPTH)
    }

    /// The schema of `additionalProperties`, when it is one.
    pub fn additional_schema(&self) -> Option<&Props> {
        match &self.additional_properties {
            Some(PropsOrBool::Props(props)) => Some(props),
            _ => None,
        }
    }

    /// The schema of `items`, when it is one for all items.
    pub fn item_schema(&self) -> Option<&Props> {
        match &self.items {
            Some(Items::One(props)) => Some(props),
            _ => None,
        }
    }
}
