//! Checks an object against the quotas of its namespace.

use std::collections::{BTreeMap, BTreeSet};

use sprag_registry::{Attributes, Registry};
use sprag_rest::Result;
use sprag_value::{Quantity, Value};

use super::super::amounts::{Amounts, add};
use super::super::request::{forbidden, updates};
use super::devices::Devices;
use super::evaluator::Evaluator;
use super::quota::Quota;

/// The quotas that a request changes, with what is used after it; or why it does not fit.
// As upstream's resourcequota.CheckRequest without limited resources, which are configured by a file.
pub(super) fn check(
    quotas: &[Quota],
    attributes: &Attributes<'_>,
    evaluator: &Evaluator,
    devices: &Devices,
) -> Result<Vec<Quota>> {
    let object = attributes.new_object();
    let interesting = interesting(quotas, attributes, evaluator, devices)?;
    if interesting.is_empty() {
        return Ok(Vec::new());
    }
    let measure = |object: &Value| evaluator.usage(object, attributes.registry, attributes.now, devices);
    let usage = measure(object);
    let negative: Vec<&str> =
        usage.iter().filter(|(_, amount)| amount.sign().is_lt()).map(|(name, _)| name.as_str()).collect();
    if !negative.is_empty() {
        let why = format!("quota usage is negative for resource(s): {}", negative.join(","));
        return Err(forbidden(attributes, &why));
    }
    let old = attributes.old.filter(|_| updates(attributes));
    let delta = old.map(|old| subtract(&usage, &measure(old)));
    let mut charged = Vec::new();
    for quota in interesting {
        let was_counted = old.is_some_and(|old| matches(attributes.registry, quota, old, evaluator, devices));
        let added = delta.as_ref().filter(|_| was_counted).unwrap_or(&usage);
        let added: Amounts = added.iter().filter(|(_, amount)| !amount.is_zero()).map(clone).collect();
        if added.is_empty() {
            continue;
        }
        let requested = mask(&added, |name| quota.hard.contains_key(name));
        let mut used = quota.used.clone();
        add(&mut used, &requested);
        if attributes.request.subresource != "status" {
            check_fits(attributes, quota, &requested, &used)?;
        }
        if used != quota.used {
            charged.push(Quota { used, ..quota.clone() });
        }
    }
    Ok(charged)
}

/// The quotas that count an object.
fn interesting<'q>(
    quotas: &'q [Quota],
    attributes: &Attributes<'_>,
    evaluator: &Evaluator,
    devices: &Devices,
) -> Result<Vec<&'q Quota>> {
    let object = attributes.new_object();
    let mut interesting = Vec::new();
    for quota in quotas.iter().filter(|quota| matches(attributes.registry, quota, object, evaluator, devices)) {
        let restricted = evaluator.matching(&quota.hard, devices);
        if let Some(why) = evaluator.missing(object, &restricted, attributes.registry) {
            return Err(forbidden(attributes, &format!("failed quota: {}: {why}", quota.name())));
        }
        if !restricted.iter().all(|name| quota.used.contains_key(name)) {
            let why = format!("status unknown for quota: {}, resources: {}", quota.name(), joined(&restricted));
            return Err(forbidden(attributes, &why));
        }
        interesting.push(quota);
    }
    Ok(interesting)
}

fn matches(registry: &Registry, quota: &Quota, object: &Value, evaluator: &Evaluator, devices: &Devices) -> bool {
    !evaluator.matching(&quota.hard, devices).is_empty()
        && quota.scopes.iter().all(|scope| evaluator.is_in_scope(registry, object, scope))
}

fn check_fits(attributes: &Attributes<'_>, quota: &Quota, requested: &Amounts, used: &Amounts) -> Result<()> {
    let exceeds = |name: &str| {
        requested.contains_key(name)
            && quota.hard.get(name).is_some_and(|hard| used.get(name).is_some_and(|used| used > hard))
    };
    let requested = mask(requested, exceeds);
    if requested.is_empty() {
        return Ok(());
    }
    let why = format!(
        "exceeded quota: {}, requested: {}, used: {}, limited: {}",
        quota.name(),
        printed(&requested),
        printed(&mask(&quota.used, exceeds)),
        printed(&mask(&quota.hard, exceeds))
    );
    Err(forbidden(attributes, &why))
}

/// As upstream's `quota.SubtractWithNonNegativeResult`.
fn subtract(amounts: &Amounts, less: &Amounts) -> Amounts {
    let zero = Quantity::default();
    let rest = |name: &str| {
        let amount = amounts.get(name)?;
        let less = less.get(name).unwrap_or(&zero);
        amount.checked_sub(less).filter(|rest| rest.sign().is_gt())
    };
    let names: BTreeSet<&String> = amounts.keys().chain(less.keys()).collect();
    names.into_iter().map(|name| (name.clone(), rest(name).unwrap_or_default())).collect()
}

fn mask(amounts: &Amounts, keep: impl Fn(&str) -> bool) -> Amounts {
    amounts.iter().filter(|(name, _)| keep(name)).map(clone).collect()
}

fn clone((name, amount): (&String, &Quantity)) -> (String, Quantity) {
    (name.clone(), amount.clone())
}

/// As upstream's `prettyPrint`.
fn printed(amounts: &BTreeMap<String, Quantity>) -> String {
    let texts: Vec<String> = amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
    texts.join(",")
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}
