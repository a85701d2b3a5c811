//! Value validation: what a schema says about a value, in the words of the reference's validator.
//!
//! One walk judges and, where it carries a [`Correlated`] chain, forgives. It runs in two modes. The loud one makes
//! errors. The quiet one only counts, and is used for the branches of `anyOf`, `oneOf` and `not`; the branch whose
//! errors a user shall see is then judged again, aloud. A valid value costs no allocation in either.

mod combinator;
mod findings;
mod sink;

use sprag_value::{Array, Object, Value};

use crate::enumeration::bad_value;
use crate::node::{Additional, Count, Node, TextLimits, Types};
use crate::number::{Flaw, is_json_integer};
use crate::ratchet::Correlated;
use crate::trail::{Step, Trail};

pub(crate) use self::findings::Findings;
use self::sink::{Failure, Sink};

/// Judges a value. With `old`, failures of unchanged parts are forgiven.
pub(crate) fn validate<'d>(
    node: &'d Node,
    value: &'d Value,
    old: Option<&Correlated<'_, 'd>>,
    findings: &mut Findings,
) {
    judge(node, value, &Trail::ROOT, old, findings);
    findings.drop_repeated();
}

/// Judges a part and says how well it did: the number of checks by which the reference tells branches apart.
fn judge<'d, S: Sink>(
    node: &'d Node,
    value: &'d Value,
    trail: &Trail<'_>,
    old: Option<&Correlated<'_, 'd>>,
    sink: &mut S,
) -> u32 {
    let mark = sink.mark();
    let count = checks(node, value, trail, old, sink);
    if let Some(old) = old
        && sink.has_failed_since(mark)
        && old.unchanged()
    {
        sink.forgive_since(mark, trail);
    }
    count
}

/// A part of a value.
struct Part<'d> {
    step: Step<'d>,
    /// Its position among its siblings.
    place: usize,
    node: &'d Node,
    value: &'d Value,
}

/// Judges a part one step further down. Only what has parts of its own carries the chain on.
///
/// The number of checks does not matter where there is an old object: branches are judged without it.
fn judge_part<'d, S: Sink>(
    Part { step, place, node, value }: Part<'d>,
    trail: &Trail<'_>,
    old: Option<&Correlated<'_, 'd>>,
    sink: &mut S,
) -> u32 {
    let trail = trail.step(step);
    if matches!(value, Value::Array(_) | Value::Object(_)) {
        let old = old.map(|old| old.child(step, place, node, value));
        if old.as_ref().is_some_and(Correlated::is_settled) && !sink.lists_forgiven() {
            return 0;
        }
        return judge(node, value, &trail, old.as_ref(), sink);
    }
    let mark = sink.mark();
    let count = checks(node, value, &trail, None, sink);
    if let Some(old) = old
        && sink.has_failed_since(mark)
        && old.has_unchanged(step, place, value)
    {
        sink.forgive_since(mark, &trail);
    }
    count
}

fn checks<'d, S: Sink>(
    node: &'d Node,
    value: &'d Value,
    trail: &Trail<'_>,
    old: Option<&Correlated<'_, 'd>>,
    sink: &mut S,
) -> u32 {
    if value.is_null() {
        let count = null_type(node, trail, sink);
        listed(node, value, trail, sink);
        return count;
    }
    // The whole, the check of combined schemas with itself, and that of `enum` always count.
    let mut count = 4;
    if !node.types.is_empty() || node.format.is_some() {
        count += 1 + u32::from(has_type(node, value, trail, sink));
    }
    if let Some(combinators) = &node.combinators {
        count += combinator::judge(combinators, value, trail, sink);
    }
    match value {
        Value::String(text) => count += 1 + self::text(node, text, trail, sink),
        Value::Int(_) | Value::Float(_) => {
            count += 2;
            number(node, value, trail, sink);
        }
        Value::Array(array) => count += 2 + elements(node, array, trail, old, sink),
        Value::Object(object) => count += 1 + members(node, object, trail, old, sink),
        Value::Null | Value::Bool(_) => {}
    }
    listed(node, value, trail, sink);
    count
}

fn null_type<S: Sink>(node: &Node, trail: &Trail<'_>, sink: &mut S) -> u32 {
    if node.types.is_empty() || node.nullable || node.types.has(Types::NULL) {
        return 1;
    }
    sink.fail(trail, || Failure::Type { expected: type_names(node), found: "null".into() });
    0
}

/// True if the value has a type that the schema allows. A format changes both what is allowed and what is said.
fn has_type<S: Sink>(node: &Node, value: &Value, trail: &Trail<'_>, sink: &mut S) -> bool {
    let found = Types::of(value);
    let fits = node.types.has(found)
        || match value {
            Value::Int(_) => node.types.has(Types::NUMBER),
            Value::Float(float) => node.types.has(Types::INTEGER) && is_json_integer(*float),
            _ => false,
        };
    if fits {
        return true;
    }
    if let Some(format) = &node.format {
        let is_judged_by_format = matches!(value, Value::String(_) | Value::Array(_));
        let data_format = match value {
            Value::Int(_) => "int64",
            Value::Float(_) => "float64",
            _ => "",
        };
        if !is_judged_by_format && format.name.as_str() != data_format {
            sink.fail(trail, || Failure::Type { expected: format.name.to_string(), found: data_format.into() });
            return false;
        }
        // Text of a format is judged by the format alone, and so are lists, of which it knows nothing.
        if is_judged_by_format && !node.types.has(Types::NUMBER.or(Types::INTEGER)) {
            return true;
        }
    }
    sink.fail(trail, || Failure::Type { expected: type_names(node), found: value.kind().into() });
    false
}

fn type_names(node: &Node) -> String {
    if node.types == Types::INTEGER.or(Types::STRING) { "integer,string".into() } else { node.ty.to_string() }
}

fn text<S: Sink>(node: &Node, text: &str, trail: &Trail<'_>, sink: &mut S) -> u32 {
    if let Some(limits) = &node.text {
        text_limits(limits, text, trail, sink);
    }
    let Some((format, check)) = node.format.as_ref().and_then(|format| Some((format, format.check?))) else { return 0 };
    if !check.is_valid(text) {
        sink.fail(trail, || Failure::Type { expected: format.name.to_string(), found: text.to_owned() });
    }
    1
}

/// The first limit that a text misses.
fn text_limits<S: Sink>(limits: &TextLimits, text: &str, trail: &Trail<'_>, sink: &mut S) {
    if let Some(max) = limits.max
        && bytes(text) > max
        && chars(text) > max
    {
        return sink.fail(trail, || Failure::TooLong(max));
    }
    let flaw = |detail: String| Failure::Value { detail, value: text.into() };
    if let Some(min) = limits.min
        && bytes(text) / MAX_CHAR_LEN < min
        && chars(text) < min
    {
        return sink.fail(trail, || flaw(format!("should be at least {min} chars long")));
    }
    let Some(pattern) = &limits.pattern else { return };
    match pattern.is_match(text) {
        Ok(true) => {}
        Ok(false) => sink.fail(trail, || flaw(format!("should match '{}'", pattern.text()))),
        Err(error) => {
            sink.fail(trail, || flaw(format!("should match '{}, but pattern is invalid: {error}'", pattern.text())));
        }
    }
}

/// The bytes of the longest character.
const MAX_CHAR_LEN: i64 = 4;

fn bytes(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

fn chars(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn number<S: Sink>(node: &Node, value: &Value, trail: &Trail<'_>, sink: &mut S) {
    let Some(number) = &node.number else { return };
    number.check(value, |flaw| {
        sink.fail(trail, || match flaw {
            Flaw::Range(message) => Failure::Unplaced(format!("{message} in {}", trail.joined())),
            Flaw::Value(detail, value) => Failure::Value { detail, value },
            Flaw::Factor(factor) => Failure::Factor(factor),
        });
    });
}

fn listed<S: Sink>(node: &Node, value: &Value, trail: &Trail<'_>, sink: &mut S) {
    if let Some(enumeration) = &node.enumeration
        && !enumeration.contains(value)
    {
        sink.fail(trail, || Failure::NotListed { value: bad_value(value), listed: enumeration.listed().to_owned() });
    }
}

fn elements<'d, S: Sink>(
    node: &'d Node,
    array: &'d Array,
    trail: &Trail<'_>,
    old: Option<&Correlated<'_, 'd>>,
    sink: &mut S,
) -> u32 {
    let mut count = 0;
    if let Some(items) = &node.items {
        // Elements only correlate by keys; without them they are judged as new.
        let old = old.filter(|_| node.list.keys().is_some());
        for (place, value) in array.iter().enumerate() {
            let part = Part { step: Step::Index(place), place, node: items, value };
            count += judge_part(part, trail, old, sink);
        }
    }
    counted(&node.item_count, array.len(), "items", trail, sink);
    count
}

fn members<'d, S: Sink>(
    node: &'d Node,
    object: &'d Object,
    trail: &Trail<'_>,
    old: Option<&Correlated<'_, 'd>>,
    sink: &mut S,
) -> u32 {
    counted(&node.property_count, object.len(), "properties", trail, sink);
    let mut count = 0;
    let mut properties = node.properties.cursor();
    for (place, (name, value)) in object.iter().enumerate() {
        let (node, step) = match (properties.find(name), &node.additional) {
            (Some(child), _) => (child, Step::Property(name)),
            (None, Additional::Schema(child)) => (&**child, Step::Entry(name)),
            (None, Additional::Forbidden) => {
                sink.fail(trail, || Failure::Forbidden(name.to_string()));
                continue;
            }
            (None, Additional::Absent | Additional::Allowed) => continue,
        };
        // Old and new objects are converted to one version, so these two always look unchanged at the root.
        let is_converted = trail.is_root() && matches!(name.as_str(), "apiVersion" | "kind");
        let part = Part { step, place, node, value };
        count += judge_part(part, trail, old.filter(|_| !is_converted), sink);
    }
    for name in node.required.iter().filter(|name| !object.contains_key(name)) {
        sink.fail(&trail.entry(name), || Failure::Required);
    }
    count
}

fn counted<S: Sink>(count: &Count, len: usize, what: &str, trail: &Trail<'_>, sink: &mut S) {
    let len = i64::try_from(len).unwrap_or(i64::MAX);
    if let Some(min) = count.min
        && len < min
    {
        let detail = || format!("should have at least {min} {what}");
        sink.fail(trail, || Failure::Value { detail: detail(), value: len.into() });
    }
    if let Some(max) = count.max
        && len > max
    {
        sink.fail(trail, || Failure::TooMany { actual: len, max });
    }
}

#[cfg(test)]
mod tests;
