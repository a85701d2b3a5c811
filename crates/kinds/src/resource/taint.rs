//! Taints of devices, tolerations of them, and rules that add taints.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, SubresourceConfig, age};
use sprag_value::view::{List, View};
use sprag_value::{Time, Value};

use super::GROUP;
use super::sets::too_many;
use crate::columns::{string, text};
use crate::meta::{validate_conditions, validate_finalizers};
use crate::program;
use crate::views::resource_v1::{DeviceTaint, DeviceTaintRule, DeviceTaintSelector, DeviceToleration};

const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];
const MAX_CONDITIONS: usize = 8;

/// The definition of `devicetaintrules`.
pub(super) fn device_taint_rules(release: Release) -> Definition {
    let status = SubresourceConfig::new().validate_update(|cx, new, _, errors| {
        let conditions = rule(new).status().conditions();
        let root = cx.root();
        let status = root.child("status");
        let at = status.child("conditions");
        validate_conditions(conditions, &at, errors);
        if conditions.len() > MAX_CONDITIONS {
            errors.push(too_many(conditions.len(), MAX_CONDITIONS, &at));
        }
    });
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .prepare_for_update(|cx, new, old| stamp_changed_effect(new, old, cx.now))
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(rule(new), None, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate(rule(new), Some(rule(old)), &cx.root(), errors);
        })
        .allow_unconditional_update(false)
        .status(status);
    let resource = program::resource(release, GROUP, "v1", "DeviceTaintRule").stamp(|object, now| {
        if let Some(taint) = object.get_mut("spec").and_then(|spec| spec.get_mut("taint")) {
            stamp_taint(taint, now);
        }
    });
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns();
    definition
}

fn rule(object: &Value) -> DeviceTaintRule<'_> {
    View::view(Some(object))
}

/// As upstream's `SetDefaults_DeviceTaint`.
pub(super) fn stamp_taint(taint: &mut Value, now: Time) {
    if taint.get("timeAdded").is_none_or(Value::is_null) {
        taint.insert("timeAdded", now.to_string());
    }
}

/// Sets the time of a taint whose effect changed, unless the client did, as upstream's
/// `deviceTaintRuleStrategy.PrepareForUpdate`.
fn stamp_changed_effect(new: &mut Value, old: &Value, now: Time) {
    let taint = rule(new).spec().taint();
    let before = rule(old).spec().taint();
    if taint.effect() == before.effect() || taint.time_added() != before.time_added() {
        return;
    }
    if let Some(taint) = new.get_mut("spec").and_then(|spec| spec.get_mut("taint")) {
        taint.insert("timeAdded", now.to_string());
    }
}

/// As upstream's `validation.validateDeviceTaintRuleSpec`.
fn validate(rule: DeviceTaintRule<'_>, old: Option<DeviceTaintRule<'_>>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let spec = rule.spec();
    if let Some(selector) = spec.device_selector() {
        validate_selector(selector, &at.child("deviceSelector"), errors);
    }
    validate_taint(spec.taint(), old.map(|old| old.spec().taint()), &at.child("taint"), errors);
}

/// As upstream's `validation.validateDeviceTaintSelector`.
fn validate_selector(selector: DeviceTaintSelector<'_>, at: &At<'_>, errors: &mut Errors) {
    selector.check_driver(at, errors);
    selector.check_pool(at, errors);
    selector.check_device(at, errors);
}

/// As upstream's `validation.validateDeviceTaint`.
pub(super) fn validate_taint(taint: DeviceTaint<'_>, old: Option<DeviceTaint<'_>>, at: &At<'_>, errors: &mut Errors) {
    taint.check_key(at, errors);
    taint.check_value(at, errors);
    let effect = taint.effect();
    let at = at.child("effect");
    if old.is_some_and(|old| old.effect() == effect) {
        return;
    }
    if effect.is_empty() {
        errors.push(Error::required(&at, "").with_covered_by_declarative());
    } else {
        validate_effect(effect, &at, errors);
    }
}

fn validate_effect(effect: &str, at: &Path<'_>, errors: &mut Errors) {
    // The last one is newer than the others.
    let has_none = errors.release().has(Fact::TaintsMayHaveNoEffect);
    let effects = if has_none { &EFFECTS[..] } else { &EFFECTS[..EFFECTS.len() - 1] };
    if !effects.contains(&effect) {
        let error = Error::not_supported(at, BadValue::json_str(effect), effects);
        errors.push(error.with_covered_by_declarative());
    }
}

/// As upstream's `validation.validateDeviceToleration`, of each.
pub(super) fn validate_tolerations(tolerations: List<'_, DeviceToleration<'_>>, at: &At<'_>, errors: &mut Errors) {
    for (index, toleration) in tolerations.iter().enumerate() {
        validate_toleration(toleration, &at.index(index), errors);
    }
}

fn validate_toleration(toleration: DeviceToleration<'_>, at: &At<'_>, errors: &mut Errors) {
    let key = toleration.key();
    let at_key = at.child("key");
    if !key.is_empty() {
        Format::LabelKey.check(key, &mut |flaw| {
            let error = Error::invalid(&at_key, key, flaw.detail).with_origin("format=k8s-label-key");
            errors.push(error.with_covered_by_declarative());
        });
    }
    let at_operator = at.child("operator");
    match toleration.operator() {
        "Exists" if !toleration.value().is_empty() => {
            let detail = "must be empty for operator `Exists`";
            errors.push(Error::invalid(&at.child("value"), toleration.value(), detail));
        }
        "Exists" => {}
        "Equal" => {
            toleration.check_value(at, errors);
        }
        "" => errors.push(Error::required(&at_operator, "").with_covered_by_declarative()),
        operator => {
            let error = Error::not_supported(&at_operator, BadValue::json_str(operator), &["Equal", "Exists"]);
            errors.push(error.with_covered_by_declarative());
        }
    }
    if !toleration.effect().is_empty() {
        validate_effect(toleration.effect(), &at.child("effect"), errors);
    }
}

/// As upstream's `printers.printDeviceTaintRule`.
fn columns() -> Vec<Column> {
    let of_taint = |member: &'static str| move |object: &Value| string(object, &["spec", "taint", member]).into();
    vec![
        text("Key", "Key of the taint.", of_taint("key")),
        text("Value", "Value of the taint.", of_taint("value")),
        text("Effect", "Effect of the taint.", of_taint("effect")),
        Column {
            description: "Time since the taint was added.".into(),
            ..Column::computed("TimeAdded", |object: &Value, now: Time| {
                match rule(object).spec().taint().time_added() {
                    Some(time) => age(time, now).into(),
                    None => "".into(),
                }
            })
        },
        Column::age(),
    ]
}
