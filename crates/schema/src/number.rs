//! Checks of numbers: the range of a type, `multipleOf`, `minimum` and `maximum`.

use sprag_field::BadValue;
use sprag_release::{Fact, Release};
use sprag_value::{Text, Value};

use crate::props::Props;

/// Integers up to this size are the same in a float, in either direction.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
/// The smallest power of two that no 64-bit integer reaches.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
/// The distance from a whole number that still counts as one, relative to its size.
const EPSILON: f64 = 1e-9;

/// The number constraints of a schema.
#[derive(Debug)]
pub(crate) struct Number {
    range: Option<Range>,
    multiple_of: Option<f64>,
    minimum: Option<Bound>,
    maximum: Option<Bound>,
}

#[derive(Debug)]
struct Bound {
    limit: f64,
    exclusive: bool,
}

/// The numbers that a type and format have room for.
#[derive(Debug)]
struct Range {
    /// The type and format as messages name them.
    ty: &'static str,
    format: Text,
    kind: RangeKind,
}

#[derive(Clone, Copy, Debug)]
enum RangeKind {
    Int32,
    Int64,
    Float32,
}

/// A violated number constraint.
#[derive(Debug, PartialEq)]
pub(crate) enum Flaw {
    /// The number, or the bound named first, is not within the range of the type: message without the place.
    Range(String),
    /// Text after the place, and the value to show.
    Value(String, BadValue),
    /// `multipleOf` is not positive.
    Factor(BadValue),
}

impl Number {
    /// Nothing when any number will do.
    pub(crate) fn compile(props: &Props, release: Release) -> Option<Box<Self>> {
        let has_range = !props.int_or_string && release.has(Fact::FormatsHaveTypes);
        let range = if has_range { Range::of(&props.ty, &props.format) } else { None };
        let bound = |limit: Option<f64>, exclusive| limit.map(|limit| Bound { limit, exclusive });
        let number = Self {
            range,
            multiple_of: props.multiple_of,
            minimum: bound(props.minimum, props.exclusive_minimum),
            maximum: bound(props.maximum, props.exclusive_maximum),
        };
        let is_free = number.range.is_none()
            && number.multiple_of.is_none()
            && number.minimum.is_none()
            && number.maximum.is_none();
        (!is_free).then(|| Box::new(number))
    }

    /// Reports what is wrong with a number; other values are not looked at.
    pub(crate) fn check(&self, value: &Value, mut report: impl FnMut(Flaw)) {
        let (number, float) = match value {
            Value::Int(number) => (Some(*number), as_float(*number)),
            Value::Float(float) => (None, *float),
            _ => return,
        };
        self.check_range(number, float, "Checked", &mut report);
        if let Some(factor) = self.multiple_of {
            let fits = self.check_range(None, factor, "MultipleOf", &mut report);
            check_multiple(number.filter(|_| fits), float, factor, &mut report);
        }
        if let Some(bound) = &self.minimum {
            let fits = self.check_range(None, bound.limit, "Minimum boundary", &mut report);
            bound.check(number.filter(|_| fits), float, Side::AtLeast, &mut report);
        }
        if let Some(bound) = &self.maximum {
            let fits = self.check_range(None, bound.limit, "Maximum boundary", &mut report);
            bound.check(number.filter(|_| fits), float, Side::AtMost, &mut report);
        }
    }

    fn check_range(&self, number: Option<i64>, float: f64, what: &str, report: &mut impl FnMut(Flaw)) -> bool {
        let Some(range) = &self.range else { return true };
        let fits = range.kind.holds(number, float);
        if !fits {
            report(Flaw::Range(range.message(what)));
        }
        fits
    }
}

impl Range {
    fn of(ty: &str, format: &Text) -> Option<Self> {
        let (ty, kind, format) = match (ty, format.as_str()) {
            ("integer", "int32") => ("integer", RangeKind::Int32, format.clone()),
            ("integer", "int64") => ("integer", RangeKind::Int64, format.clone()),
            ("integer", _) => ("integer", RangeKind::Int64, Text::new()),
            ("number", "float") => ("number", RangeKind::Float32, format.clone()),
            _ => return None,
        };
        Some(Self { ty, format, kind })
    }

    fn message(&self, what: &str) -> String {
        let Self { ty, format, .. } = self;
        if format.is_empty() {
            format!("{what} value must be of type {ty} (default format)")
        } else {
            format!("{what} value must be of type {ty} with format {format}")
        }
    }
}

impl RangeKind {
    fn holds(self, number: Option<i64>, float: f64) -> bool {
        match (self, number) {
            (Self::Int32, Some(number)) => i32::try_from(number).is_ok(),
            (Self::Int32, None) => is_whole(float) && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&float),
            (Self::Int64 | Self::Float32, Some(_)) => true,
            // Go prints the float in full first, and what the lowest integer prints as is beyond it.
            (Self::Int64, None) => is_whole(float) && float.abs() < TWO_TO_63,
            #[expect(clippy::cast_possible_truncation, reason = "what does not fit becomes infinite")]
            (Self::Float32, None) => (float as f32).is_finite(),
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    AtLeast,
    AtMost,
}

impl Bound {
    fn check(&self, number: Option<i64>, float: f64, side: Side, report: &mut impl FnMut(Flaw)) {
        let (passes, limit, value) = match number {
            Some(number) => {
                let limit = go_int(self.limit);
                (self.allows(&number, &limit, side), BadValue::Int(limit), BadValue::Int(number))
            }
            None => (self.allows(&float, &self.limit, side), BadValue::Float(self.limit), BadValue::Float(float)),
        };
        if !passes {
            let phrase = match (side, self.exclusive) {
                (Side::AtLeast, false) => "greater than or equal to",
                (Side::AtLeast, true) => "greater than",
                (Side::AtMost, false) => "less than or equal to",
                (Side::AtMost, true) => "less than",
            };
            report(Flaw::Value(format!("should be {phrase} {limit}"), value));
        }
    }

    fn allows<T: PartialOrd>(&self, number: &T, limit: &T, side: Side) -> bool {
        match (side, self.exclusive) {
            (Side::AtLeast, false) => number >= limit,
            (Side::AtLeast, true) => number > limit,
            (Side::AtMost, false) => number <= limit,
            (Side::AtMost, true) => number < limit,
        }
    }
}

fn check_multiple(number: Option<i64>, float: f64, factor: f64, report: &mut impl FnMut(Flaw)) {
    let (is_positive, is_multiple, factor, value) = if let Some(number) = number {
        let factor = go_int(factor);
        let is_positive = factor > 0;
        (is_positive, is_positive && number % factor == 0, BadValue::Int(factor), BadValue::Int(number))
    } else {
        let multiple = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
        (factor > 0.0, is_json_integer(multiple), BadValue::Float(factor), BadValue::Float(float))
    };
    if !is_positive {
        report(Flaw::Factor(factor));
    } else if !is_multiple {
        report(Flaw::Value(format!("should be a multiple of {factor}"), value));
    }
}

/// True if a float counts as an integer: near enough to one that JavaScript can hold.
pub(crate) fn is_json_integer(float: f64) -> bool {
    if !(-MAX_SAFE..=MAX_SAFE).contains(&float) {
        return false;
    }
    let rounded = float.round();
    is_whole(float) || (rounded != 0.0 && (float - rounded).abs() < EPSILON * rounded.abs())
}

fn is_whole(float: f64) -> bool {
    float.fract() == 0.0
}

/// Go's conversion of a float to 64 bits: what does not fit is the lowest integer.
pub(crate) fn go_int(float: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is dropped")]
    if float.abs() < TWO_TO_63 { float as i64 } else { i64::MIN }
}

#[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
fn as_float(number: i64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, value: &str, expected: &[&str]) {
        let parse = |text: &str| sprag_value::json::parse(text.as_bytes()).unwrap();
        let number = Number::compile(&Props::read(&parse(schema)).unwrap(), Release::NEWEST).unwrap();
        let mut flaws = Vec::new();
        number.check(&parse(value), |flaw| {
            flaws.push(match flaw {
                Flaw::Range(text) => text,
                Flaw::Value(text, value) => format!("{value} {text}"),
                Flaw::Factor(factor) => format!("factor {factor}"),
            });
        });
        assert_eq!(flaws, expected, "{value} against {schema}");
    }

    #[test]
    fn integers_have_a_range() {
        check(r#"{"type": "integer"}"#, "1.0", &[]);
        check(r#"{"type": "integer"}"#, "1.5", &["Checked value must be of type integer (default format)"]);
        check(r#"{"type": "integer"}"#, "1e19", &["Checked value must be of type integer (default format)"]);
        let int32 = r#"{"type": "integer", "format": "int32"}"#;
        check(int32, "2147483648", &["Checked value must be of type integer with format int32"]);
        check(int32, "-2147483648", &[]);
        check(
            r#"{"type": "number", "format": "float"}"#,
            "1e39",
            &["Checked value must be of type number with format float"],
        );
    }

    #[test]
    fn bounds_lose_their_fraction_for_integers() {
        check(r#"{"maximum": 1.9}"#, "2", &["2 should be less than or equal to 1"]);
        check(r#"{"maximum": 1.9}"#, "1.95", &["1.95 should be less than or equal to 1.9"]);
        check(r#"{"minimum": 3, "exclusiveMinimum": true}"#, "3", &["3 should be greater than 3"]);
        check(
            r#"{"type": "integer", "maximum": 1.5}"#,
            "2",
            &[
                "Maximum boundary value must be of type integer (default format)",
                "2 should be less than or equal to 1.5",
            ],
        );
    }

    #[test]
    fn factors_lose_their_fraction_for_integers() {
        check(r#"{"multipleOf": 0.1}"#, "1", &["factor 0"]);
        check(r#"{"multipleOf": 0.1}"#, "0.3", &[]);
        check(r#"{"multipleOf": 2}"#, "3.0", &["3 should be a multiple of 2"]);
        check(r#"{"multipleOf": 3}"#, "-9", &[]);
        check(r#"{"multipleOf": -1}"#, "1.5", &["factor -1"]);
    }
}
