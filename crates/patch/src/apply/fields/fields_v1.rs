//! Sets as `fieldsV1` stores them: an object per level, members named `f:name`, `k:{keys}`, `v:value` or `i:index`,
//! and `.` for a node that is a member and has members below.

use ecow::EcoVec;
use sprag_value::json::{self, Escape, Event, Scanner, write_int, write_string, write_value};
use sprag_value::{Entry, Object, Text, Value};

use crate::apply::fields::path::PathElement;
use crate::apply::fields::set::{FieldSet, Node};

/// Room for one key, and for the entries of all levels above a field; there is more where that is not enough.
pub(in crate::apply) const KEY_ROOM: usize = 64;
pub(in crate::apply) const ENTRY_ROOM: usize = 16;

impl FieldSet {
    /// Reads a set from `fieldsV1`; elements of kinds that are not known are left out.
    pub fn from_fields_v1(fields: &Value) -> Result<Self, String> {
        read(fields).map(|(set, _)| set)
    }

    /// The set as `fieldsV1`.
    pub fn to_fields_v1(&self) -> Value {
        Value::Object(write(self, false, &mut String::with_capacity(KEY_ROOM), &mut Vec::with_capacity(ENTRY_ROOM)))
    }
}

/// The members below, and whether the node is itself a member.
fn read(fields: &Value) -> Result<(FieldSet, bool), String> {
    let fields = match fields {
        Value::Object(fields) => fields,
        Value::Null => return Ok((FieldSet::new(), true)),
        other => return Err(format!("readObjectStart: expect {{ or n, but found {}", other.kind())),
    };
    if fields.is_empty() {
        return Ok((FieldSet::new(), true));
    }
    let mut member = false;
    let mut nodes = EcoVec::with_capacity(fields.len());
    for (key, below) in fields {
        if *key == "." {
            member = true;
        } else if let Some(element) = read_element(key)? {
            let (children, member) = read(below)?;
            nodes.push(Node { element, member, children });
        }
    }
    let set = FieldSet::from_nodes(nodes);
    let member = member || set.is_empty();
    Ok((set, member))
}

/// The element that a key stands for; nothing when its kind is not known.
fn read_element(key: &str) -> Result<Option<PathElement>, String> {
    let (Some(kind), Some(colon)) = (key.as_bytes().first(), key.as_bytes().get(1)) else {
        return Err("key must be 2 characters long:".into());
    };
    if *colon != b':' {
        return Err(format!("missing colon: {key}"));
    }
    let content = &key[2..];
    Ok(Some(match kind {
        b'f' => PathElement::Field(Text::from(content)),
        b'v' => PathElement::Value(match quoted(content) {
            Some(text) => text.into(),
            None => json::parse(content.as_bytes()).map_err(|error| error.to_string())?,
        }),
        b'k' => PathElement::Key(match one_key(content) {
            Some((name, value)) => EcoVec::from_iter([(Text::from(name), value.into())]),
            None => read_keys(content)?,
        }),
        b'i' => PathElement::Index(content.parse().map_err(|_| format!("{content:?} is not an index"))?),
        _ => return Ok(None),
    }))
}

/// The text in a JSON string in which nothing is escaped; nothing for anything else.
fn quoted(content: &str) -> Option<&str> {
    let text = content.strip_prefix('"')?.strip_suffix('"')?;
    text.bytes().all(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\')).then_some(text)
}

/// The one key and its text in `{"name":"x"}`; nothing for anything else.
fn one_key(content: &str) -> Option<(&str, &str)> {
    let (name, value) = content.strip_prefix('{')?.strip_suffix('}')?.split_once(':')?;
    Some((quoted(name)?, quoted(value)?))
}

/// Reads `{"name":"x"}`. Keys are scalars but for odd types, so that most need no tree.
fn read_keys(content: &str) -> Result<EcoVec<(Text, Value)>, String> {
    let mut keys = EcoVec::new();
    let mut scanner = Scanner::new(content.as_bytes()).map_err(|error| error.to_string())?;
    let mut next = || scanner.next().map_err(|error| error.to_string());
    if next()? == Event::ObjectStart {
        while let Event::Key(name) = next()? {
            let value = match next()? {
                Event::String(text) => Value::String(Text::from(text)),
                Event::Int(number) => Value::Int(number),
                Event::Bool(value) => Value::Bool(value),
                _ => return read_any_keys(content),
            };
            keys.push((Text::from(name), value));
        }
        if next()? == Event::End && keys.is_sorted_by(|a: &(Text, Value), b| a.0 < b.0) {
            return Ok(keys);
        }
    }
    read_any_keys(content)
}

fn read_any_keys(content: &str) -> Result<EcoVec<(Text, Value)>, String> {
    match json::parse(content.as_bytes()).map_err(|error| error.to_string())? {
        Value::Object(keys) => Ok(keys.into_iter().collect()),
        Value::Null => Ok(EcoVec::new()),
        other => Err(format!("expected an object of keys, but found {}", other.kind())),
    }
}

/// True if fields can be read, and would be written as they are.
pub(in crate::apply) fn is_canonical(fields: &Value) -> bool {
    // There is no way to own the object itself.
    fields.get(".").is_none() && is_canonical_below(fields)
}

fn is_canonical_below(fields: &Value) -> bool {
    let Some(fields) = fields.as_object() else { return false };
    fields.iter().all(|(key, below)| match key.as_str() {
        "." => fields.len() > 1 && below.as_object().is_some_and(Object::is_empty),
        key => is_canonical_key(key) && is_canonical_below(below),
    })
}

fn is_canonical_key(key: &str) -> bool {
    let is_simple = match key.as_bytes() {
        [b'f', b':', ..] => true,
        [b'v', b':', b'"', text @ .., b'"'] => text.iter().copied().all(is_plain),
        [b'k', b':', b'{', b'"', names @ .., b'"', b'}'] => {
            let (name, value) = names.split_at(names.iter().position(|byte| !is_plain(*byte)).unwrap_or(0));
            !name.is_empty() && value.strip_prefix(b"\":\"").is_some_and(|value| value.iter().copied().all(is_plain))
        }
        _ => false,
    };
    is_simple || {
        let mut written = String::new();
        matches!(read_element(key), Ok(Some(element)) if { write_element(&mut written, &element); written == key })
    }
}

/// True if a byte of a string is written as it is.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&')
}

/// The fields of a set; `key` and `entries` are room for those that are not finished.
fn write(set: &FieldSet, member: bool, key: &mut String, entries: &mut Vec<Entry>) -> Object {
    if set.is_empty() {
        return Object::new();
    }
    let start = entries.len();
    if member {
        entries.push(Entry::new(".", Value::object()));
    }
    for node in set.nodes() {
        write_element(key, &node.element);
        let name = Text::from(key.as_str());
        let below = write(&node.children, node.member, key, entries);
        entries.push(Entry::new(name, below));
    }
    Object::from_scratch(entries, start)
}

/// The key of the field of a name.
pub(in crate::apply) fn write_field(key: &mut String, name: &str) {
    key.clear();
    key.push_str("f:");
    key.push_str(name);
}

pub(in crate::apply) fn write_element(key: &mut String, element: &PathElement) {
    key.clear();
    match element {
        PathElement::Field(name) => write_field(key, name),
        PathElement::Key(keys) => write_keys(key, keys.iter().map(|(name, value)| (name.as_str(), value))),
        PathElement::Value(value) => {
            key.push_str("v:");
            write_value(key, value, Escape::Html);
        }
        PathElement::Index(index) => {
            key.push_str("i:");
            write_int(key, *index);
        }
    }
}

/// The key of the element with these keys.
pub(in crate::apply) fn write_keys<'k>(key: &mut String, keys: impl IntoIterator<Item = (&'k str, &'k Value)>) {
    key.clear();
    key.push_str("k:{");
    for (at, (name, value)) in keys.into_iter().enumerate() {
        if at > 0 {
            key.push(',');
        }
        write_string(key, name, Escape::Html);
        key.push(':');
        write_value(key, value, Escape::Html);
    }
    key.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fields: &str, want: &str) {
        let fields = json::parse(fields.as_bytes()).unwrap();
        let got = match FieldSet::from_fields_v1(&fields) {
            Ok(set) => json::to_string(&set.to_fields_v1()),
            Err(error) => error,
        };
        assert_eq!(got, want);
    }

    #[test]
    fn fields_are_read_and_written_as_they_are() {
        let fields =
            r#"{"f:a":{".":{},"k:{\"name\":\"x\\u003c\",\"port\":80}":{"f:name":{}}},"f:s":{"i:1":{},"v:\"t\"":{}}}"#;
        check(fields, fields);
        check("{}", "{}");
        check("null", "{}");
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        check(r#"{"x:future":{},"f:a":{"z:":{}},"f:b":{".":{}},"f:c":null}"#, r#"{"f:a":{},"f:b":{},"f:c":{}}"#);
    }

    #[test]
    fn what_is_canonical_is_read_and_written_as_it_is() {
        let is_kept = |fields: &Value| {
            FieldSet::from_fields_v1(fields)
                .is_ok_and(|set| json::to_string(&set.to_fields_v1()) == json::to_string(fields))
        };
        let keys = [
            ".",
            "f:",
            "f:a",
            "f:<",
            "f",
            "fa",
            "x:a",
            "i:1",
            "i:01",
            "i:x",
            "v:",
            "v:1",
            "v:1.0",
            "v:1.5",
            "v:-0",
            "v:true",
            "v:null",
            "v:\"a\"",
            "v:\"a b\"",
            "v:\"<\"",
            "v:\"\\u003c\"",
            "v:\"é\"",
            "v:[1]",
            "v:\"",
            "v: 1",
            "k:",
            "k:{}",
            "k:null",
            "k:{\"a\":\"b\"}",
            "k:{\"a\":1}",
            "k:{\"a\": 1}",
            "k:{\"b\":1,\"a\":2}",
            "k:{\"a\":1,\"b\":\"x\"}",
            "k:{\"a\":\"&\"}",
            "k:{\"a\":\"\u{7f}\"}",
            "k:{\"a\":{}}",
            "k:1",
        ];
        let belows = ["{}", "null", "1", r#"{".":{}}"#, r#"{".":{},"f:x":{}}"#, r#"{".":1,"f:x":{}}"#, r#"{"f:x":{}}"#];
        let mut canonical = 0;
        for key in keys {
            for below in belows {
                let below = json::parse(below.as_bytes()).unwrap();
                let fields = Value::Object(Object::from([("f:other", Value::object()), (key, below)]));
                assert!(!is_canonical(&fields) || is_kept(&fields), "{fields:?}");
                canonical += usize::from(is_canonical(&fields));
            }
        }
        assert!(canonical > 30, "{canonical}");
    }

    #[test]
    fn malformed_fields_are_refused() {
        check(r#"{"f":{}}"#, "key must be 2 characters long:");
        check(r#"{"fa":{}}"#, "missing colon: fa");
        check(r#"{"f:a":1}"#, "readObjectStart: expect { or n, but found integer");
        check(r#"{"k:1":{}}"#, "expected an object of keys, but found integer");
        check(r#"{"v:[":{}}"#, "unexpected end of JSON input");
        check(r#"{"i:x":{}}"#, "\"x\" is not an index");
        check(r#"{"é":{}}"#, "missing colon: é");
    }
}
