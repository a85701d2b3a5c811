//! Limit ranges: what containers, pods and claims of a namespace may ask for.

use std::collections::BTreeSet;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig, meta};
use sprag_value::view::{List, Map, View};
use sprag_value::{Format as Notation, Quantity, Value};

use super::internal::shown_quantity;
use super::pod::{is_overcommit_allowed, round, validate_container_resource_name};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::core_v1::{LimitRange, LimitRangeItem};

/// The types that need no domain.
const TYPES: [&str; 3] = ["Pod", "Container", "PersistentVolumeClaim"];

/// Amounts in thousandths above this do not fit, as upstream's `resource.MaxMilliValue`.
const MAX_MILLI_VALUE: i64 = i64::MAX / 1000;

/// The definition of `limitranges`.
pub(crate) fn limit_ranges(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .no_metadata_as_changed()
        .prepare_for_create(|_, new| {
            // As upstream's limitrange.limitrangeStrategy.PrepareForCreate, which makes up a UUID; the object has one.
            if meta::name(new).is_empty() {
                let name = meta::uid(new).to_owned();
                meta::set(new, "name", name);
            }
        })
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(new, &cx.root(), errors);
        })
        .validate_update(|cx, new, _, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate(new, &cx.root(), errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    let resource = program::resource(release, "", "v1", "LimitRange").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["limits".to_owned()];
    definition.versions[0].columns = vec![Column::created_at()];
    definition
}

/// As upstream's `SetDefaults_LimitRangeItem` and `SetDefaults_ResourceList`.
fn complete(object: &mut Value) {
    let Some(Value::Array(limits)) = object.get_mut("spec").and_then(|spec| spec.get_mut("limits")) else { return };
    for limit in limits.as_mut_slice() {
        if limit.get("type").and_then(Value::as_str) == Some("Container") {
            fill(limit, "max", "default");
            fill(limit, "default", "defaultRequest");
            fill(limit, "min", "defaultRequest");
        }
        for list in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            round(limit, list);
        }
    }
}

/// Adds the amounts of one list to another that does not have them.
fn fill(limit: &mut Value, from: &str, to: &str) {
    let Some(Value::Object(amounts)) = limit.get(from).cloned() else { return };
    let mut filled = limit.remove(to).filter(|list| !list.is_null()).unwrap_or_else(Value::object);
    for (name, amount) in &amounts {
        if filled.get(name.as_str()).is_none() {
            filled.insert(name.as_str(), amount.clone());
        }
    }
    // An empty list is written as none.
    if filled.as_object().is_some_and(|list| !list.is_empty()) {
        limit.insert(to, filled);
    }
}

/// As upstream's `validation.ValidateLimitRange`, after the rules of metadata.
fn validate(new: &Value, root: &At<'_>, errors: &mut Errors) {
    let range: LimitRange<'_> = View::view(Some(new));
    let spec = root.child("spec");
    let limits = range.spec().limits();
    let at = spec.child("limits");
    for (index, limit) in limits.iter().enumerate() {
        let at = at.index(index);
        validate_type(limits, index, &at.child("type"), errors);
        validate_names(limit, &at, errors);
        let Amounts { max, min, default, default_request, ratio } = Amounts::of(limit);
        let lists = [max, min, default, default_request, ratio];
        let names: BTreeSet<&str> = lists.into_iter().flat_map(|list| list.keys()).collect();
        for name in names {
            validate_amounts(&Amounts::of(limit), name, &at, errors);
        }
    }
}

/// As upstream's `validation.validateLimitRangeTypeName`, and each type occurs once.
fn validate_type(limits: List<'_, LimitRangeItem<'_>>, index: usize, at: &Path<'_>, errors: &mut Errors) {
    let kind = limits.get(index).map_or("", |limit| limit.kind());
    let mark = errors.len();
    let invalid = |detail| Error::invalid(at, BadValue::json_str(kind), detail);
    Format::LabelKey.check(kind, &mut |flaw| errors.push(invalid(flaw.detail)));
    if errors.len() == mark && !kind.contains('/') && !TYPES.contains(&kind) {
        errors.push(invalid("must be a standard limit type or fully qualified".into()));
    }
    if limits.iter().take(index).any(|other| other.kind() == kind) {
        errors.push(Error::duplicate(at, BadValue::json_str(kind)));
    }
}

fn validate_names(limit: LimitRangeItem<'_>, at: &At<'_>, errors: &mut Errors) {
    let is_compute = matches!(limit.kind(), "Pod" | "Container");
    // As upstream's `validation.validateLimitRangeResourceName`, after the rules of all names of resources.
    let check = |list: Map<'_, Quantity>, field: &str, errors: &mut Errors| {
        let at = at.child(field);
        for name in list.keys().filter(|_| is_compute) {
            validate_container_resource_name(name, &at.key(name), errors);
        }
    };
    limit.check_max(at, errors);
    check(limit.max(), "max", errors);
    limit.check_min(at, errors);
    check(limit.min(), "min", errors);
    if limit.kind() == "Pod" {
        for (field, list) in [("default", limit.default()), ("defaultRequest", limit.default_request())] {
            if !list.is_empty() {
                errors.push(Error::forbidden(&at.child(field), "may not be specified when `type` is 'Pod'"));
            }
        }
    } else {
        limit.check_default(at, errors);
        check(limit.default(), "default", errors);
        limit.check_default_request(at, errors);
        check(limit.default_request(), "defaultRequest", errors);
    }
    let has_storage = limit.min().contains_key("storage") || limit.max().contains_key("storage");
    if limit.kind() == "PersistentVolumeClaim" && !has_storage {
        let detail = "either minimum or maximum storage value is required, but neither was provided";
        errors.push(Error::required(&at.child("limits"), detail));
    }
    limit.check_max_limit_request_ratio(at, errors);
    check(limit.max_limit_request_ratio(), "maxLimitRequestRatio", errors);
}

/// The lists of one limit.
struct Amounts<'v> {
    max: Map<'v, Quantity>,
    min: Map<'v, Quantity>,
    default: Map<'v, Quantity>,
    default_request: Map<'v, Quantity>,
    ratio: Map<'v, Quantity>,
}

impl<'v> Amounts<'v> {
    /// Defaults of pods are refused as a whole, so they are not compared.
    fn of(limit: LimitRangeItem<'v>) -> Amounts<'v> {
        let is_pod = limit.kind() == "Pod";
        let unless_pod = |list: Map<'v, Quantity>| if is_pod { View::view(None) } else { list };
        Amounts {
            max: limit.max(),
            min: limit.min(),
            default: unless_pod(limit.default()),
            default_request: unless_pod(limit.default_request()),
            ratio: limit.max_limit_request_ratio(),
        }
    }
}

/// The part of upstream's `validation.ValidateLimitRange` that compares the amounts of one resource.
fn validate_amounts(amounts: &Amounts<'_>, name: &str, at: &Path<'_>, errors: &mut Errors) {
    let release = errors.release();
    let [min, max] = [amounts.min, amounts.max].map(|list| list.get(name));
    let [default, request] = [amounts.default, amounts.default_request].map(|list| list.get(name));
    let mut check = |field: &str, low: (&str, &Option<Quantity>), high: (&str, &Option<Quantity>), shows_low: bool| {
        let ((low_name, Some(low)), (high_name, Some(high))) = (low, high) else { return };
        if low > high {
            let shown = if shows_low { low } else { high };
            let detail = format!("{low_name} value {low} is greater than {high_name} value {high}");
            errors.push(Error::invalid(&at.child(field).key(name), shown_quantity(release, shown, true), detail));
        }
    };
    check("min", ("min", &min), ("max", &max), true);
    check("defaultRequest", ("min", &min), ("default request", &request), false);
    check("defaultRequest", ("default request", &request), ("max", &max), true);
    check("defaultRequest", ("default request", &request), ("default limit", &default), true);
    check("default", ("min", &min), ("default", &default), true);
    check("default", ("default", &default), ("max", &max), false);
    if let Some(ratio) = amounts.ratio.get(name) {
        validate_ratio(&ratio, min.as_ref(), max.as_ref(), &at.child("maxLimitRequestRatio").key(name), errors);
    }
    if let (Some(default), Some(request)) = (&default, &request)
        && default != request
        && !is_overcommit_allowed(name)
    {
        let detail = format!("default value {default} must equal to defaultRequest value {request} in {name}");
        errors.push(Error::invalid(
            &at.child("defaultRequest").key(name),
            shown_quantity(release, request, true),
            detail,
        ));
    }
}

fn validate_ratio(
    ratio: &Quantity,
    min: Option<&Quantity>,
    max: Option<&Quantity>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    if *ratio < Quantity::new(1, Notation::default()) {
        errors.push(Error::invalid(
            at,
            shown_quantity(errors.release(), ratio, true),
            format!("ratio {ratio} is less than 1"),
        ));
    }
    let (Some(min), Some(max)) = (min, max) else { return };
    let fits = [ratio, min, max].iter().all(|amount| amount.value() < MAX_MILLI_VALUE);
    let (allowed, limit) = if fits {
        (float(ratio.milli_value()) / 1000.0, float(max.milli_value()) / float(min.milli_value()))
    } else {
        (float(ratio.value()), float(max.value()) / float(min.value()))
    };
    if allowed > limit {
        let detail = format!("ratio {ratio} is greater than max/min = {limit:.6}");
        errors.push(Error::invalid(at, shown_quantity(errors.release(), ratio, true), detail));
    }
}

#[expect(clippy::cast_precision_loss, reason = "as upstream: ratios are compared as floating-point numbers")]
fn float(number: i64) -> f64 {
    number as f64
}
