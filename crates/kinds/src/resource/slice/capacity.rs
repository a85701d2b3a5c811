//! Rules of the amounts of a capacity that can be requested.

use std::cmp::Ordering;

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{Fact, FeatureGates};
use sprag_value::view::List;
use sprag_value::{Format, Quantity};

use crate::core::pod::Seen;
use crate::resource::sets::too_many;
use crate::views::resource_v1::{CapacityRequestPolicy, CapacityRequestPolicyRange};

const MAX_VALUES: usize = 10;
/// The gate that lets amounts be fractions.
const FRACTIONS: &str = "DRAFractionalCapacityRange";

/// As upstream's `validation.validateRequestPolicy`.
pub(super) fn validate_request_policy(
    gates: &FeatureGates,
    capacity: &Quantity,
    policy: CapacityRequestPolicy<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let values = policy.valid_values();
    match (values.is_empty(), policy.valid_range(), policy.default()) {
        (false, Some(_), _) => {
            let detail = r#"exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time"#;
            errors.push(Error::forbidden(at, detail));
        }
        (false, None, None) => {
            errors.push(Error::required(&at.child("default"), "required when validValues is defined"));
        }
        (false, None, Some(default)) => {
            validate_values(gates, &default, capacity, values, &at.child("validValues"), errors);
        }
        (true, Some(_), None) => {
            errors.push(Error::required(&at.child("default"), "required when validRange is defined"));
        }
        (true, Some(range), Some(default)) => {
            validate_range(gates, &default, capacity, range, &at.child("validRange"), errors);
        }
        (true, None, _) => {}
    }
}

/// As upstream's `validation.validateRequestPolicyValidValues`.
fn validate_values(
    gates: &FeatureGates,
    default: &Quantity,
    capacity: &Quantity,
    values: List<'_, Quantity>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let values: Vec<Quantity> = values.iter().collect();
    for (index, pair) in values.windows(2).enumerate() {
        if pair[0] > pair[1] {
            let (at, detail) = (at.index(index + 1), "values must be sorted in ascending order");
            errors.push(Error::invalid(&at, pair[1].to_string(), detail));
        }
    }
    let mut has_default = false;
    if values.len() > MAX_VALUES {
        errors.push(too_many(values.len(), MAX_VALUES, at).with_origin("maxItems"));
    } else {
        for (index, value) in values.iter().enumerate() {
            if value > capacity {
                let detail = format!("option is larger than capacity value: {capacity}");
                errors.push(Error::invalid(&at.index(index), value.to_string(), detail));
            }
            has_default |= value == default || value.cmp(default) == Ordering::Equal;
        }
        let key = |value: &Quantity| {
            if gates.enabled(FRACTIONS) { value.to_string() } else { value.value().to_string() }
        };
        let keys: Vec<String> = values.iter().map(key).collect();
        let mut seen = Seen::new();
        for (index, key) in keys.iter().enumerate() {
            if !seen.insert(key) {
                errors.push(Error::duplicate(&at.index(index), key.as_str()));
            }
        }
    }
    if !has_default {
        let detail = "default value is not valid according to the requestPolicy";
        errors.push(Error::invalid(at, default.to_string(), detail));
    }
}

/// As upstream's `validation.validateRequestPolicyRange`.
fn validate_range(
    gates: &FeatureGates,
    default: &Quantity,
    capacity: &Quantity,
    range: CapacityRequestPolicyRange<'_>,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let Some(min) = range.min() else {
        return errors.push(Error::required(&at.child("min"), "required when validRange is defined"));
    };
    let (max, step) = (range.max(), range.step());
    let is_strict = errors.release().has(Fact::CapacityRangesBlameTheDefault);
    let blamed = |bound: &'static str| if is_strict { "default" } else { bound };
    let mut refuse = |member: &str, value: &Quantity, detail: String| {
        errors.push(Error::invalid(&at.child(member), value.to_string(), detail));
    };
    if min > *capacity {
        refuse("min", &min, format!("min is larger than capacity value: {capacity}"));
    }
    if *default < min {
        refuse(blamed("min"), default, format!("default is less than min: {min}"));
    }
    if let Some(max) = &max {
        if min > *max {
            refuse("max", &min, format!("min is larger than max: {max}"));
        }
        if max > capacity {
            refuse("max", max, format!("max is larger than capacity value: {capacity}"));
        }
        if default > max {
            refuse(blamed("max"), default, format!("default is more than max: {max}"));
        }
    }
    let amounts = [("default", Some(default)), ("min", Some(&min)), ("max", max.as_ref()), ("step", step.as_ref())];
    let amounts: Vec<(&str, &Quantity)> =
        amounts.into_iter().filter_map(|(name, amount)| Some((name, amount?))).collect();
    let in_thousandths = gates.enabled(FRACTIONS) && amounts.iter().any(|(_, amount)| is_fraction(amount));
    if in_thousandths && !are_thousandths(&amounts, at, errors) {
        return;
    }
    if let Some(step) = &step {
        let amounts = Amounts { default, min: &min, max: max.as_ref(), step, all: &amounts, in_thousandths, is_strict };
        validate_step(capacity, &amounts, at, errors);
    }
}

fn is_fraction(amount: &Quantity) -> bool {
    *amount != amount.rounded_up(0)
}

/// Refuses amounts that cannot be counted in thousandths.
fn are_thousandths(amounts: &[(&str, &Quantity)], at: &At<'_>, errors: &mut Errors) -> bool {
    let mark = errors.len();
    for (name, amount) in amounts {
        if Quantity::milli(amount.milli_value(), amount.format()).cmp(amount) != Ordering::Equal {
            let detail = "value cannot be represented as a milli value";
            errors.push(Error::invalid(&at.child(name), amount.to_string(), detail));
        }
    }
    errors.len() == mark
}

/// The amounts of a range that has steps.
struct Amounts<'a> {
    default: &'a Quantity,
    min: &'a Quantity,
    max: Option<&'a Quantity>,
    step: &'a Quantity,
    all: &'a [(&'a str, &'a Quantity)],
    in_thousandths: bool,
    /// Steps that are not positive and amounts that are too large to be counted are refused.
    is_strict: bool,
}

fn validate_step(capacity: &Quantity, amounts: &Amounts<'_>, at: &At<'_>, errors: &mut Errors) {
    let (min, step, at_step) = (amounts.min, amounts.step, at.child("step"));
    // Earlier servers divide by a step of zero, and give no answer.
    if step.sign() != Ordering::Greater && (amounts.is_strict || step.sign() == Ordering::Equal) {
        return errors.push(Error::invalid(&at_step, step.to_string(), "must be greater than zero"));
    }
    if let Some(first) = min.checked_add(step).filter(|first| first > capacity) {
        let detail = format!("one step {first} is larger than capacity value: {capacity}");
        errors.push(Error::invalid(&at_step, step.to_string(), detail));
    }
    if amounts.is_strict && !amounts.in_thousandths && !are_countable(amounts.all, at, errors) {
        return;
    }
    let count = |amount: &Quantity| if amounts.in_thousandths { amount.milli_value() } else { amount.value() };
    for amount in [Some(amounts.default), amounts.max].into_iter().flatten() {
        let rest = count(amount).wrapping_sub(count(min)).checked_rem(count(step));
        if rest.is_some_and(|rest| rest != 0) {
            let detail = format!("value is not a multiple of a given step ({step}) from ({min})");
            errors.push(Error::invalid(&at_step, amount.to_string(), detail));
        }
    }
}

/// As upstream's `validation.validateInt64Range`, of each.
fn are_countable(amounts: &[(&str, &Quantity)], at: &At<'_>, errors: &mut Errors) -> bool {
    let (mark, limit) = (errors.len(), Quantity::new(i64::MAX, Format::DecimalSi));
    for (name, amount) in amounts {
        let detail = if amount.sign() == Ordering::Less {
            "must be greater than or equal to 0"
        } else if **amount > limit {
            "must not be larger than 9223372036854775807"
        } else {
            continue;
        };
        errors.push(Error::invalid(&at.child(name), amount.to_string(), detail));
    }
    errors.len() == mark
}
