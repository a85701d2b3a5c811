//! Following paths through objects.

use std::borrow::Cow;
use std::cmp::Ordering;

use sprag_value::{MAX_DEPTH as MAX_VALUE_DEPTH, Value};

use super::{Filter, MAX_RESULTS, Slice, Step};

/// A value is of another form than a step asks for, or there are too many of them.
pub(super) struct Stuck;

type Found<'v> = Vec<Cow<'v, Value>>;

/// The values that a path selects from each start value.
pub(super) fn steps<'v>(steps: &'v [Step], from: Found<'v>) -> Result<Found<'v>, Stuck> {
    steps.iter().try_fold(from, |values, step| {
        let found = self::step(step, values)?;
        if found.len() > MAX_RESULTS { Err(Stuck) } else { Ok(found) }
    })
}

fn step<'v>(step: &'v Step, from: Found<'v>) -> Result<Found<'v>, Stuck> {
    let mut found = Vec::new();
    match step {
        Step::Word => return Err(Stuck),
        Step::Literal(literal) => found.extend(from.iter().map(|_| Cow::Borrowed(literal))),
        Step::Union(paths) => {
            for path in paths {
                found.extend(steps(path, from.clone())?);
            }
        }
        Step::Member(name) => found.extend(from.into_iter().filter_map(|value| member(value, name))),
        Step::All => from.into_iter().for_each(|value| found.extend(children(&value))),
        Step::Descend => {
            for value in from {
                descend(value, &mut found, MAX_VALUE_DEPTH)?;
            }
        }
        Step::Slice(slice) => {
            for value in from.iter().filter(|value| !value.is_null()) {
                let elements = value.as_array().ok_or(Stuck)?;
                let (range, every) = range(slice, elements.len())?;
                found.extend(elements[range].iter().step_by(every).cloned().map(Cow::Owned));
            }
        }
        Step::Filter(filter) => {
            for value in from {
                for element in value.as_array().ok_or(Stuck)? {
                    if holds(filter, element)? {
                        found.push(Cow::Owned(element.clone()));
                    }
                }
            }
        }
    }
    Ok(found)
}

fn member<'v>(value: Cow<'v, Value>, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Cow::Borrowed(value) => value.get(name).map(Cow::Borrowed),
        Cow::Owned(value) => value.get(name).cloned().map(Cow::Owned),
    }
}

fn children<'v>(value: &Cow<'v, Value>) -> Found<'v> {
    match &**value {
        Value::Object(members) => members.iter().map(|(_, value)| Cow::Owned(value.clone())).collect(),
        Value::Array(elements) => elements.iter().cloned().map(Cow::Owned).collect(),
        _ => Vec::new(),
    }
}

fn descend<'v>(value: Cow<'v, Value>, found: &mut Found<'v>, depth: usize) -> Result<(), Stuck> {
    let depth = depth.checked_sub(1).ok_or(Stuck)?;
    let below = children(&value);
    if below.is_empty() {
        return Ok(());
    }
    if found.len() >= MAX_RESULTS {
        return Err(Stuck);
    }
    found.push(value);
    below.into_iter().try_for_each(|value| descend(value, found, depth))
}

/// The elements that a slice picks, and every how many of them.
fn range(slice: &Slice, len: usize) -> Result<(std::ops::Range<usize>, usize), Stuck> {
    let len = i64::try_from(len).map_err(|_| Stuck)?;
    let from_end = |at: i64, is_end: bool| if is_end { at.saturating_add(len) } else { at };
    let from = slice.from.map_or(0, |at| from_end(at, at < 0));
    let to = slice.to.map_or(len, |at| from_end(at, at < 0 || (at == 0 && slice.derived)));
    if from == to {
        return Ok((0..0, 1));
    }
    let every = slice.step.unwrap_or(1);
    if !(0..len).contains(&from) || !(from..=len).contains(&to) || every <= 0 {
        return Err(Stuck);
    }
    let index = |at: i64| usize::try_from(at).map_err(|_| Stuck);
    Ok((index(from)?..index(to)?, index(every)?))
}

fn holds(filter: &Filter, element: &Value) -> Result<bool, Stuck> {
    let left = steps(&filter.left, vec![Cow::Borrowed(element)]);
    let Some((operator, right)) = &filter.comparison else {
        return Ok(left.is_ok_and(|found| !found.is_empty()));
    };
    let Some(left) = only(left?)? else { return Ok(false) };
    let Some(right) = only(steps(right, vec![Cow::Borrowed(element)])?)? else { return Ok(false) };
    let ordering = compare(&left, &right).ok_or(Stuck);
    let ordered = || match (&*left, &ordering) {
        (Value::Bool(_), _) | (_, Err(Stuck)) => Err(Stuck),
        (_, Ok(ordering)) => Ok(*ordering),
    };
    Ok(match operator.as_str() {
        "==" => ordering?.is_eq(),
        "!=" => ordering?.is_ne(),
        "<" => ordered()?.is_lt(),
        "<=" => ordered()?.is_le(),
        ">" => ordered()?.is_gt(),
        ">=" => ordered()?.is_ge(),
        _ => return Err(Stuck),
    })
}

fn only(found: Found<'_>) -> Result<Option<Cow<'_, Value>>, Stuck> {
    if found.len() > 1 { Err(Stuck) } else { Ok(found.into_iter().next()) }
}

/// Scalars of one kind have an order; others do not.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::String(left), Value::String(right)) => Some(left.as_str().cmp(right.as_str())),
        _ => None,
    }
}
