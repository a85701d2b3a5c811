//! A schema made ready to be applied: tables in place of keywords, built once, read by every walk.

use std::cmp::Ordering;

use sprag_value::{Text, Value};

use crate::enumeration::Enumeration;
use crate::format::Format;
use crate::number::Number;
use crate::pattern::Pattern;

mod compile;

pub(crate) use self::compile::{compile, compile_for_defaults, size};

/// One schema of the tree.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// `type` as written.
    pub(crate) ty: Text,
    /// The types that a value may have; all when empty.
    pub(crate) types: Types,
    pub(crate) nullable: bool,
    pub(crate) preserve: bool,
    pub(crate) embedded: bool,
    pub(crate) format: Option<NamedFormat>,
    pub(crate) text: Option<Box<TextLimits>>,
    pub(crate) number: Option<Box<Number>>,
    pub(crate) enumeration: Option<Box<Enumeration>>,
    pub(crate) combinators: Option<Box<Combinators>>,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) item_count: Count,
    pub(crate) properties: Properties,
    pub(crate) additional: Additional,
    pub(crate) required: Box<[Text]>,
    pub(crate) property_count: Count,
    pub(crate) list: ListKind,
    /// The value of an absent member.
    pub(crate) default: Option<Box<Default>>,
    pub(crate) below: Below,
}

/// The value of `default`.
#[derive(Debug)]
pub(crate) struct Default {
    pub(crate) value: Value,
    /// The number of values it is made of.
    pub(crate) size: usize,
}

/// A format that is checked, with its name as written.
#[derive(Debug)]
pub(crate) struct NamedFormat {
    pub(crate) name: Text,
    /// The format of text; formats of numbers only matter to the type check.
    pub(crate) check: Option<Format>,
}

/// Limits of a text.
#[derive(Debug)]
pub(crate) struct TextLimits {
    pub(crate) max: Option<i64>,
    pub(crate) min: Option<i64>,
    pub(crate) pattern: Option<Pattern>,
}

/// The bounds on the number of elements or members.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    pub(crate) min: Option<i64>,
    pub(crate) max: Option<i64>,
}

/// Schemas that are combined.
#[derive(Debug)]
pub(crate) struct Combinators {
    pub(crate) any_of: Box<[Node]>,
    pub(crate) one_of: Box<[Node]>,
    pub(crate) all_of: Box<[Node]>,
    pub(crate) not: Option<Node>,
}

/// `additionalProperties`.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    /// Not said.
    #[default]
    Absent,
    /// `true`.
    Allowed,
    /// `false`.
    Forbidden,
    /// A schema for what no property describes.
    Schema(Box<Node>),
}

/// The list type: atomic, set or map.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// By position.
    #[default]
    Plain,
    /// By value.
    Set,
    /// By the values of these members.
    Map(Box<[Text]>),
}

/// The work to do in the values of a node or deeper; walks skip the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Below {
    pub(crate) defaults: bool,
    pub(crate) keyed_lists: bool,
    pub(crate) embedded: bool,
}

impl Below {
    fn join(&mut self, other: Below) {
        self.defaults |= other.defaults;
        self.keyed_lists |= other.keyed_lists;
        self.embedded |= other.embedded;
    }
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const INTEGER: Types = Types(4);
    pub(crate) const NUMBER: Types = Types(8);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const ARRAY: Types = Types(32);
    pub(crate) const OBJECT: Types = Types(64);
    /// A type that no value has.
    const UNKNOWN: Types = Types(128);

    /// The type with this name.
    fn named(name: &str) -> Types {
        match name {
            "" => Types::default(),
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => Types::UNKNOWN,
        }
    }

    /// The type of a value.
    pub(crate) fn of(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Int(_) => Types::INTEGER,
            Value::Float(_) => Types::NUMBER,
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub(crate) const fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }
}

/// Schemas by name, sorted.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    names: Box<[Text]>,
    /// The beginning of each name, which tells most of them apart.
    starts: Box<[u64]>,
    nodes: Box<[Node]>,
}

/// Names further apart than this are searched by halves.
const NEAR: usize = 8;

/// The first bytes of a name as a number; numbers are ordered as the names are that they begin.
#[inline]
fn start_of(name: &str) -> u64 {
    let bytes = name.as_bytes();
    if let Some(start) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*start);
    }
    let room = 8 * (8 - bytes.len());
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        // The two overlap: what the second has of the first is shifted out of its half.
        (Some(first), Some(last)) => {
            let rest = u64::from(u32::from_be_bytes(*last)) << room & u64::from(u32::MAX);
            u64::from(u32::from_be_bytes(*first)) << 32 | rest
        }
        _ => bytes.iter().rev().fold(0, |start, byte| start >> 8 | u64::from(*byte) << 56),
    }
}

impl Properties {
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.cursor().find(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Node)> {
        self.names.iter().zip(&self.nodes)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&Text, &mut Node)> {
        self.names.iter().zip(&mut self.nodes)
    }

    /// Finds names that come in ascending order.
    pub(crate) fn cursor(&self) -> Cursor<'_> {
        Cursor { properties: self, at: 0 }
    }
}

impl FromIterator<(Text, Node)> for Properties {
    /// Takes them in the order of their names.
    fn from_iter<I: IntoIterator<Item = (Text, Node)>>(properties: I) -> Self {
        let (names, nodes): (Vec<Text>, Vec<_>) = properties.into_iter().unzip();
        Self { starts: names.iter().map(|name| start_of(name)).collect(), names: names.into(), nodes: nodes.into() }
    }
}

/// Walks through [`Properties`] beside the sorted members of an object.
pub(crate) struct Cursor<'a> {
    properties: &'a Properties,
    /// All before come before what was asked for last.
    at: usize,
}

impl<'a> Cursor<'a> {
    /// The schema with this name, which must not come before one that was asked for earlier.
    #[inline]
    pub(crate) fn find(&mut self, name: &str) -> Option<&'a Node> {
        let Properties { names, starts, nodes } = self.properties;
        let start = start_of(name);
        // Most objects have most members, so the next name is the likely one.
        let near = starts.len().min(self.at + NEAR);
        while self.at < near && starts[self.at] < start {
            self.at += 1;
        }
        if self.at == near {
            self.at += starts[near..].partition_point(|known| *known < start);
        }
        while starts.get(self.at) == Some(&start) {
            let known = names[self.at].as_bytes();
            // Such a name is all in its start.
            if known.len() == name.len() && name.len() <= 8 {
                return Some(&nodes[self.at]);
            }
            match known.cmp(name.as_bytes()) {
                Ordering::Less => self.at += 1,
                Ordering::Equal => return Some(&nodes[self.at]),
                Ordering::Greater => break,
            }
        }
        None
    }
}

impl Node {
    /// The schema of a member, by name or else the one for all others.
    pub(crate) fn member(&self, name: &str) -> Option<&Node> {
        self.properties.get(name).or_else(|| self.additional.schema())
    }
}

impl Additional {
    pub(crate) fn schema(&self) -> Option<&Node> {
        if let Additional::Schema(node) = self { Some(node) } else { None }
    }

    pub(crate) fn schema_mut(&mut self) -> Option<&mut Node> {
        if let Additional::Schema(node) = self { Some(node) } else { None }
    }
}

impl ListKind {
    pub(crate) fn keys(&self) -> Option<&[Text]> {
        if let ListKind::Map(keys) = self { Some(keys) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_ascending_order() {
        let names = [
            "",
            "a",
            "a\0",
            "ab",
            "abc",
            "abcd",
            "abcde",
            "abcdef",
            "abcdefg",
            "abcdefgh",
            "abcdefgh1",
            "abcdefgh2",
            "b",
            "c",
            "d",
            "e",
            "f",
            "g",
            "h",
            "i",
            "é",
        ];
        let all: Properties = names.iter().map(|name| (Text::from(*name), Node::default())).collect();
        let finds = |asked: &[&str]| {
            let mut cursor = all.cursor();
            asked.iter().all(|name| std::ptr::eq(cursor.find(name).unwrap(), all.get(name).unwrap()))
        };
        for (at, name) in names.iter().enumerate() {
            assert!(std::ptr::eq(all.get(name).unwrap(), &raw const all.nodes[at]), "{name}");
        }
        assert!(finds(&names) && finds(&["a\0", "abcdefgh2", "i"]) && finds(&["a", "a", "é"]));
        let mut cursor = all.cursor();
        assert!(["a\0\0", "abcdefgh0", "abcdefgi", "bb", "zz"].iter().all(|name| cursor.find(name).is_none()));
        assert!(cursor.find("é").is_some());
    }
}
