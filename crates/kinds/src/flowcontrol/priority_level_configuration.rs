//! Priority levels: how many requests are served at once.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{BadValue, Error, Errors};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, SubresourceConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::{GROUP, mandatory, validate_conditions};
use crate::columns::text;
use crate::core::internal::{internal_struct, same_struct};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::flowcontrol_v1::{
    ExemptPriorityLevelConfiguration, LimitResponse, LimitedPriorityLevelConfiguration, PriorityLevelConfiguration,
    PriorityLevelConfigurationSpec, QueuingConfiguration,
};

const EXEMPT: &str = "exempt";
const MAX_QUEUES: i64 = 10_000_000;
/// As upstream's `shufflesharding.MaxHashBits`.
const MAX_HASH_BITS: f64 = 60.0;
/// Means something in version v1beta3 only.
const ROUND_TRIP: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/// The definition of `prioritylevelconfigurations`.
pub(super) fn priority_level_configurations(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .no_metadata_as_changed()
        .prepare_for_update(|_, new, old| super::keep_metadata(new, old))
        .validate_update(|cx, new, _, errors| validate_status(level(new), &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .no_metadata_as_changed()
        .validate(|cx, new, errors| validate(new, &cx.root(), errors))
        .validate_update(|cx, new, _, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate(new, &cx.root(), errors);
        })
        .status(status);
    let resource = program::resource(release, GROUP, "v1", "PriorityLevelConfiguration").complete(set_defaults);
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn level(object: &Value) -> PriorityLevelConfiguration<'_> {
    View::view(Some(object))
}

/// As upstream's `SetObjectDefaults_PriorityLevelConfiguration`.
fn set_defaults(object: &mut Value) {
    let Some(spec) = object.get_mut("spec") else { return };
    let mut set = |part: &str, defaults: &[(&'static str, i32)]| {
        let Some(part) = spec.get_mut(part).filter(|part| !part.is_null()) else { return };
        for (name, value) in defaults {
            if part.get(name).is_none_or(Value::is_null) {
                part.insert(*name, *value);
            }
        }
    };
    set("limited", &[("nominalConcurrencyShares", 30), ("lendablePercent", 0)]);
    set("exempt", &[("nominalConcurrencyShares", 0), ("lendablePercent", 0)]);
    let response = spec.get_mut("limited").and_then(|limited| limited.get_mut("limitResponse"));
    let queuing = response.and_then(|response| response.get_mut("queuing")).filter(|queuing| !queuing.is_null());
    let Some(queuing) = queuing else { return };
    for (name, value) in [("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)] {
        if queuing.get(name).and_then(Value::as_i64).unwrap_or_default() == 0 {
            queuing.insert(name, value);
        }
    }
}

/// As upstream's `validation.ValidatePriorityLevelConfiguration`.
fn validate(new: &Value, root: &At<'_>, errors: &mut Errors) {
    validate_finalizers(new, errors);
    let level = level(new);
    let name = meta::name(new);
    if level.metadata().annotations().contains_key(ROUND_TRIP) {
        let detail = format!("annotation '{ROUND_TRIP}' is forbidden");
        errors.push(Error::forbidden(&root.child("metadata").child("annotations"), detail));
    }
    let at = root.child("spec");
    validate_spec(name, level.spec(), &at, errors);
    validate_mandatory(name, level.spec(), &at, errors);
    validate_status(level, root, errors);
}

fn validate_status(level: PriorityLevelConfiguration<'_>, root: &At<'_>, errors: &mut Errors) {
    let conditions = level.status().conditions();
    let check = |index, at: &At<'_>, errors: &mut Errors| {
        if let Some(condition) = conditions.get(index) {
            condition.check_kind(at, errors);
        }
    };
    validate_conditions(conditions.iter().map(|condition| condition.kind()), check, root, errors);
}

/// As upstream's `validation.ValidateIfMandatoryPriorityLevelConfigurationObject`.
fn validate_mandatory(name: &str, spec: PriorityLevelConfigurationSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    const TYPE: &str = "v1.PriorityLevelConfigurationSpec";
    let Some(mut fixed) = mandatory::priority_level_spec(name) else { return };
    let mut part = "";
    if name == EXEMPT {
        part = " except the 'spec.exempt' field";
        fixed.remove("exempt");
        if let Some(exempt) = spec.as_value().get("exempt") {
            fixed.insert("exempt", exempt.clone());
        }
    }
    if !same_struct(TYPE, spec.as_value(), &fixed) {
        let detail = format!("spec of '{name}'{part} must equal the fixed value");
        errors.push(Error::invalid(at, internal_struct(errors.release(), TYPE, Some(spec.as_value())), detail));
    }
}

/// As upstream's `validation.ValidatePriorityLevelConfigurationSpec`.
fn validate_spec(name: &str, spec: PriorityLevelConfigurationSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = spec.kind();
    let at_type = at.child("type");
    if (name == EXEMPT) != (kind == "Exempt") {
        let detail = "must be 'Exempt' if and only if `name` is 'exempt'";
        errors.push(Error::invalid(&at_type, BadValue::json_str(kind), detail));
    }
    let at_limited = at.child("limited");
    let at_exempt = at.child("exempt");
    match kind {
        "Exempt" => {
            if spec.limited().is_some() {
                let error = Error::forbidden(&at_limited, "must be nil if the type is not Limited");
                errors.push(error.with_covered_by_declarative());
            }
            if let Some(exempt) = spec.exempt() {
                validate_exempt(exempt, &at_exempt, errors);
            }
        }
        "Limited" => {
            if spec.exempt().is_some() {
                let error = Error::forbidden(&at_exempt, "must be nil if the type is Limited");
                errors.push(error.with_covered_by_declarative());
            }
            if let Some(limited) = spec.limited() {
                validate_limited(limited, &at_limited, errors);
            } else {
                let error = Error::required(&at_limited, "must not be empty when type is Limited");
                errors.push(error.with_covered_by_declarative());
            }
        }
        "" if !errors.release().has(Fact::PriorityTypesAreUnsupported) => {
            errors.push(Error::required(&at_type, "").with_covered_by_declarative());
        }
        _ => errors.push(Error::not_supported(&at_type, BadValue::json_str(kind), &["Exempt", "Limited"])),
    }
}

/// As upstream's `validation.ValidateExemptPriorityLevelConfiguration`.
fn validate_exempt(exempt: ExemptPriorityLevelConfiguration<'_>, at: &At<'_>, errors: &mut Errors) {
    exempt.check_nominal_concurrency_shares(at, errors);
    exempt.check_lendable_percent(at, errors);
}

/// As upstream's `validation.ValidateLimitedPriorityLevelConfiguration`.
fn validate_limited(limited: LimitedPriorityLevelConfiguration<'_>, at: &At<'_>, errors: &mut Errors) {
    limited.check_nominal_concurrency_shares(at, errors);
    validate_response(limited.limit_response(), &at.child("limitResponse"), errors);
    limited.check_lendable_percent(at, errors);
    limited.check_borrowing_limit_percent(at, errors);
}

/// As upstream's `validation.ValidateLimitResponse`.
fn validate_response(response: LimitResponse<'_>, at: &At<'_>, errors: &mut Errors) {
    let kind = response.kind();
    let at_type = at.child("type");
    let at_queuing = at.child("queuing");
    match (kind, response.queuing()) {
        ("Reject", None) => {}
        ("Reject", Some(_)) => {
            let detail = "must be nil if limited.limitResponse.type is not Limited";
            errors.push(Error::forbidden(&at_queuing, detail).with_covered_by_declarative());
        }
        ("Queue", None) => {
            let detail = "must not be empty if limited.limitResponse.type is Limited";
            errors.push(Error::required(&at_queuing, detail).with_covered_by_declarative());
        }
        ("Queue", Some(queuing)) => validate_queuing(queuing, &at_queuing, errors),
        ("", _) if !errors.release().has(Fact::PriorityTypesAreUnsupported) => {
            errors.push(Error::required(&at_type, "").with_covered_by_declarative());
        }
        _ => errors.push(Error::not_supported(&at_type, BadValue::json_str(kind), &["Queue", "Reject"])),
    }
}

/// As upstream's `validation.ValidatePriorityLevelQueuingConfiguration`.
fn validate_queuing(queuing: QueuingConfiguration<'_>, at: &At<'_>, errors: &mut Errors) {
    let queues = queuing.queues();
    let hand = queuing.hand_size();
    queuing.check_queue_length_limit(at, errors);
    queuing.check_queues(at, errors);
    if queues > MAX_QUEUES {
        let detail = format!("must not be greater than {MAX_QUEUES}");
        errors.push(Error::invalid(&at.child("queues"), queues, detail));
    }
    let is_refused = queuing.check_hand_size(at, errors);
    let at = at.child("handSize");
    if is_refused {
        return;
    }
    if hand > queues {
        errors.push(Error::invalid(&at, hand, format!("should not be greater than queues ({queues})")));
    } else if entropy_bits(queues, hand) > MAX_HASH_BITS {
        let detail = format!(
            "required entropy bits of deckSize {queues} and handSize {hand} should not be greater than {MAX_HASH_BITS}"
        );
        errors.push(Error::invalid(&at, hand, detail));
    }
}

/// As upstream's `shufflesharding.RequiredEntropyBits`.
fn entropy_bits(queues: i64, hand: i64) -> f64 {
    let number = |number: i64| f64::from(i32::try_from(number).unwrap_or(i32::MAX));
    (number(queues).log2() * number(hand)).ceil()
}

/// As upstream's `printers.printPriorityLevelConfiguration`.
fn columns() -> Vec<Column> {
    let number = |value: Option<i64>| value.map_or_else(|| "<none>".into(), Value::from);
    let queuing = move |field: fn(QueuingConfiguration<'_>) -> i64| {
        move |object: &Value| {
            let limited = level(object).spec().limited();
            number(limited.and_then(|limited| limited.limit_response().queuing()).map(field))
        }
    };
    vec![
        text("Type", "Whether requests are limited.", |object| level(object).spec().kind().into()),
        text("NominalConcurrencyShares", "Share of the server's seats.", move |object| {
            let limited = level(object).spec().limited();
            number(limited.map(|limited| limited.nominal_concurrency_shares().unwrap_or_default()))
        }),
        text("Queues", "Number of queues.", queuing(|queuing| queuing.queues())),
        text("HandSize", "Number of queues that one flow is spread over.", queuing(|queuing| queuing.hand_size())),
        text(
            "QueueLengthLimit",
            "Number of requests that may wait in one queue.",
            queuing(|queuing| queuing.queue_length_limit()),
        ),
        Column::age(),
    ]
}
