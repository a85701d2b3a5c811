//! The form of `-o json`.

use serde::Serialize;
use serde_json::{Value as Json, json};
use sprag_cel::cost::{Bounds, CostNode};
use sprag_cel::value::{List, Map};
use sprag_cel::{Cx, Trap, Val};
use sprag_value::ByteString;

use super::session::{self, Failure};

/// Values nested deeper than this have no JSON form here.
const MAX_DEPTH: u32 = 512;

/// Values with more parts than this have no JSON form here.
const MAX_PARTS: usize = 100_000;

/// The error for an expression with an unset variable.
const UNSET: &str = "a variable that it uses has no value";

/// The result of a rule of a definition.
#[derive(Serialize)]
pub(super) struct RuleAnswer<'a> {
    pub(super) rule: &'a str,
    #[serde(flatten)]
    pub(super) answer: Answer<'a>,
}

/// The result of an expression.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer<'a> {
    /// The value as JSON, unless it is too large for that; times, durations and quantities as text, bytes as base 64, an absent optional as null.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Json>,
    /// The value in the notation of the language.
    #[serde(skip_serializing_if = "Option::is_none")]
    literal: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated_cost: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compile_error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime_error: Option<&'a str>,
    /// The reason why types inferred from the values were not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    untyped: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Part<'a>>,
}

#[derive(Serialize)]
struct Range {
    min: u64,
    max: u64,
}

impl From<Bounds> for Range {
    fn from(bounds: Bounds) -> Range {
        Range { min: bounds.min, max: bounds.max }
    }
}

/// A part of the expression and what it is estimated to cost.
#[derive(Serialize)]
struct Part<'a> {
    label: &'a str,
    /// Its offset in characters.
    offset: u32,
    cost: Range,
    /// The number of iterations of a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Range>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
}

impl<'a> From<&'a CostNode> for Part<'a> {
    fn from(node: &'a CostNode) -> Part<'a> {
        Part {
            label: &node.label,
            offset: node.offset,
            cost: node.cost.into(),
            times: node.times.map(Range::from),
            parts: node.children.iter().map(Part::from).collect(),
        }
    }
}

impl<'a> Answer<'a> {
    pub(super) fn new(answer: &'a session::Evaluation, explain: bool) -> Answer<'a> {
        let facts = answer.facts.as_ref();
        let shown = answer.outcome.as_ref().ok();
        let (compile_error, runtime_error) = match &answer.outcome {
            Ok(_) => (None, None),
            Err(Failure::Compile(why)) => (Some(why.as_str()), None),
            Err(Failure::Run(why)) => (None, Some(why.as_str())),
            Err(Failure::Unset(_)) => (None, Some(UNSET)),
        };
        Answer {
            value: shown.and_then(|shown| shown.json.as_ref()),
            literal: shown.map(|shown| shown.literal.as_str()),
            ty: facts.map(|facts| facts.ty.to_string()),
            cost: facts.map(|facts| facts.cost),
            estimated_cost: facts.map(|facts| facts.estimate.cost.into()),
            compile_error,
            runtime_error,
            untyped: answer.untyped.as_deref(),
            explanation: facts.filter(|_| explain).map(|facts| Part::from(&facts.estimate)),
        }
    }
}

/// A value as JSON; nothing when it is too large for that. Parts of values are shared, so that a small value can be
/// exponentially large when it is written out.
pub(super) fn value<'a>(cx: &Cx<'a>, val: Val<'a>) -> Result<Option<Json>, Trap<'a>> {
    let mut parts = MAX_PARTS;
    nested(cx, val, MAX_DEPTH, &mut parts)
}

fn nested<'a>(cx: &Cx<'a>, val: Val<'a>, depth: u32, parts: &mut usize) -> Result<Option<Json>, Trap<'a>> {
    let (Some(depth), Some(left)) = (depth.checked_sub(1), parts.checked_sub(1)) else { return Ok(None) };
    *parts = left;
    Ok(Some(match val {
        Val::Null | Val::Optional(None) => Json::Null,
        Val::Bool(value) => json!(value),
        Val::Int(value) => json!(value),
        Val::Uint(value) => json!(value),
        Val::Double(value) if value.is_finite() => json!(value),
        Val::String(value) | Val::Type(value) => json!(value),
        Val::Bytes(value) => json!(ByteString(value.to_vec())),
        Val::Timestamp(value) => json!(value.to_rfc3339()),
        Val::Duration(value) => json!(sprag_value::Duration::from_nanos(value).to_string()),
        Val::Optional(Some(inner)) => return nested(cx, *inner, depth, parts),
        Val::Opaque(value) => json!(value.to_string()),
        _ => match (val.as_list(), val.as_map()) {
            (Some(list), _) => return array(cx, list, depth, parts),
            (_, Some(map)) => return object(cx, map, depth, parts),
            // Numbers that are none.
            _ => json!(val.literal(cx)),
        },
    }))
}

fn array<'a>(cx: &Cx<'a>, list: List<'a>, depth: u32, parts: &mut usize) -> Result<Option<Json>, Trap<'a>> {
    let mut elements = Vec::new();
    for element in list.iter(cx) {
        let Some(element) = nested(cx, element?, depth, parts)? else { return Ok(None) };
        elements.push(element);
    }
    Ok(Some(elements.into()))
}

fn object<'a>(cx: &Cx<'a>, map: Map<'a>, depth: u32, parts: &mut usize) -> Result<Option<Json>, Trap<'a>> {
    let mut members = serde_json::Map::new();
    for (key, value) in map.iter(cx) {
        let Some(value) = nested(cx, value?, depth, parts)? else { return Ok(None) };
        members.insert(key_text(cx, key), value);
    }
    Ok(Some(members.into()))
}

fn key_text<'a>(cx: &Cx<'a>, key: Val<'a>) -> String {
    if let Val::String(text) = key { text.to_owned() } else { key.literal(cx) }
}
