//! JSON as it is written: members in order and repeated, numbers by their digits.

use std::borrow::Cow;
use std::collections::HashMap;

use sprag_value::json::{self, Event, JsonError, Scanner};
use sprag_value::{Object, Value};

#[derive(Debug)]
pub(super) enum Ordered<'a> {
    Null,
    Bool(bool),
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<Ordered<'a>>),
    Object(Vec<(Cow<'a, str>, Ordered<'a>)>),
}

impl<'a> Ordered<'a> {
    /// Reads a text that is UTF-8.
    pub(super) fn read(text: &'a [u8]) -> Result<Self, JsonError> {
        let mut scanner = Scanner::new(text)?.any_number();
        let first = scanner.next()?;
        let value = Self::of_event(&mut scanner, first)?;
        scanner.next()?;
        Ok(value)
    }

    /// Recurses once per level, which the scanner limits.
    fn of_event(scanner: &mut Scanner<'a>, event: Event<'a>) -> Result<Self, JsonError> {
        Ok(match event {
            Event::Bool(value) => Self::Bool(value),
            Event::Int(_) | Event::Float(_) => Self::Number(Cow::Borrowed(&scanner.text()[scanner.span()])),
            Event::String(text) => Self::String(text),
            Event::ArrayStart => {
                let mut elements = Vec::new();
                loop {
                    match scanner.next()? {
                        Event::ArrayEnd => break Self::Array(elements),
                        event => elements.push(Self::of_event(scanner, event)?),
                    }
                }
            }
            Event::ObjectStart => {
                let mut members = Vec::new();
                while let Event::Key(key) = scanner.next()? {
                    let event = scanner.next()?;
                    members.push((key, Self::of_event(scanner, event)?));
                }
                Self::Object(members)
            }
            Event::Null | Event::Key(_) | Event::ArrayEnd | Event::ObjectEnd | Event::End => Self::Null,
        })
    }

    /// A value in which floats have the digits of the integers that they were, by which upstream knows them.
    pub(super) fn with_integers(value: &'a Value, integers: Vec<u64>) -> Self {
        let printed = integers.into_iter().map(|integer| (json::to_string(&Value::from(integer)), integer));
        let mut ordered = Self::from(value);
        ordered.widen(&printed.collect());
        ordered
    }

    /// Recurses once per level of a value, which its reader limits.
    fn widen(&mut self, integers: &HashMap<String, u64>) {
        match self {
            Self::Number(digits) => {
                if let Some(integer) = integers.get(digits.as_ref()) {
                    *digits = integer.to_string().into();
                }
            }
            Self::Array(elements) => elements.iter_mut().for_each(|element| element.widen(integers)),
            Self::Object(members) => members.iter_mut().for_each(|(_, member)| member.widen(integers)),
            Self::Null | Self::Bool(_) | Self::String(_) => {}
        }
    }

    /// The kind in Go's error texts.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The value as it is read without a type: of repeated members the last one wins.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(digits) => json::parse(digits.as_bytes()).unwrap_or_default(),
            Self::String(text) => Value::from(text.as_ref()),
            Self::Array(elements) => elements.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                let members: Object = members.iter().map(|(key, value)| (key.as_ref(), value.to_value())).collect();
                Value::Object(members)
            }
        }
    }
}

/// The serialized form of the value before it is read into a type.
impl<'a> From<&'a Value> for Ordered<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(_) | Value::Float(_) => Self::Number(json::to_string(value).into()),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(elements) => Self::Array(elements.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), value.into())).collect())
            }
        }
    }
}
