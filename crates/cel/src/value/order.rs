//! Order of values.

use std::cmp::Ordering;

use super::Val;

/// The order of two values that have one: numbers of any type, and values of one ordered type. Nothing for NaN.
#[inline]
#[expect(clippy::match_same_arms, reason = "one arm per type reads better")]
#[expect(clippy::cast_precision_loss, reason = "the reference compares in doubles")]
pub(crate) fn compare(a: Val<'_>, b: Val<'_>) -> Option<Ordering> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(&b)),
        (Val::Uint(a), Val::Uint(b)) => Some(a.cmp(&b)),
        (Val::Double(a), Val::Double(b)) => a.partial_cmp(&b),
        (Val::Int(a), Val::Uint(b)) => Some(int_uint(a, b)),
        (Val::Uint(a), Val::Int(b)) => Some(int_uint(b, a).reverse()),
        (Val::Double(a), Val::Int(b)) => {
            bounded(a, -9_223_372_036_854_775_808.0, 9_223_372_036_854_775_808.0, b as f64)
        }
        (Val::Int(a), Val::Double(b)) => compare(Val::Double(b), Val::Int(a)).map(Ordering::reverse),
        (Val::Double(a), Val::Uint(b)) => bounded(a, 0.0, 18_446_744_073_709_551_616.0, b as f64),
        (Val::Uint(a), Val::Double(b)) => compare(Val::Double(b), Val::Uint(a)).map(Ordering::reverse),
        (Val::String(a), Val::String(b)) => Some(a.cmp(b)),
        (Val::Bytes(a), Val::Bytes(b)) => Some(a.cmp(b)),
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(&b)),
        (Val::Timestamp(a), Val::Timestamp(b)) => Some(a.cmp(&b)),
        (Val::Duration(a), Val::Duration(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

fn int_uint(a: i64, b: u64) -> Ordering {
    u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))
}

fn bounded(a: f64, min: f64, max: f64, b: f64) -> Option<Ordering> {
    if a < min {
        Some(Ordering::Less)
    } else if a > max {
        Some(Ordering::Greater)
    } else {
        a.partial_cmp(&b)
    }
}
