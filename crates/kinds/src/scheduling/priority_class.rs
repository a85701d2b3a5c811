//! Priority classes: names for the priorities of pods.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_rest::{Column, Definition, Release, StrategyConfig, meta};
use sprag_value::view::View;
use sprag_value::{Object, Value};

use crate::columns::{boolean, integer, text};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::scheduling_v1::PriorityClass;

/// The prefix of names that only Kubernetes itself may use.
const SYSTEM_PREFIX: &str = "system-";

/// The largest value of a class that is not one of Kubernetes' own.
const HIGHEST_USER_DEFINABLE: i64 = 1_000_000_000;

/// Kubernetes' own classes, with value and description, as upstream's `schedulingapiv1.SystemPriorityClasses`.
const SYSTEM_CLASSES: [(&str, i64, &str); 2] = [
    (
        "system-node-critical",
        2 * HIGHEST_USER_DEFINABLE + 1000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2 * HIGHEST_USER_DEFINABLE,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
];

/// The objects of Kubernetes' own classes, which a server creates when it starts.
pub fn system_priority_classes() -> Vec<Value> {
    let class = |(name, value, description): (&str, i64, &str)| {
        Value::Object(Object::from([
            ("apiVersion", Value::from("scheduling.k8s.io/v1")),
            ("kind", "PriorityClass".into()),
            ("metadata", Value::Object(Object::from([("name", Value::from(name))]))),
            ("value", value.into()),
            ("description", description.into()),
        ]))
    };
    SYSTEM_CLASSES.map(class).into()
}

/// The definition of `priorityclasses`.
pub(super) fn priority_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .prepare_for_create(|_, new| meta::set(new, "generation", 1))
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(class(new), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            class(new).check_value_update(class(old), &cx.root(), errors);
            class(new).check_preemption_policy_update(class(old), &cx.root(), errors);
        })
        .refuses_delete(|name| {
            let is_system = SYSTEM_CLASSES.iter().any(|(system, ..)| *system == name);
            is_system.then_some("this is a system priority class and cannot be deleted")
        })
        .without_generation();
    let resource = program::resource(release, "scheduling.k8s.io", "v1", "PriorityClass");
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["pc".to_owned()];
    definition.versions[0].columns = vec![
        integer("Value", "Priority of pods that name the class.", &["value"]),
        boolean("Global-Default", "Whether the class is that of pods that name none.", |object| {
            class(object).global_default()
        }),
        Column::age(),
        text("PreemptionPolicy", "Policy for preempting pods of lower priority.", |object| {
            class(object).preemption_policy().unwrap_or_default().into()
        }),
    ];
    definition
}

fn class(object: &Value) -> PriorityClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidatePriorityClass`.
fn validate(class: PriorityClass<'_>, root: &At<'_>, errors: &mut Errors) {
    let name = class.metadata().name();
    if name.starts_with(SYSTEM_PREFIX) {
        if let Some(flaw) = system_flaw(name, class) {
            let at = root.child("metadata");
            let detail = format!(
                "priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use only. error: {flaw}"
            );
            errors.push(Error::forbidden(&at.child("name"), detail));
        }
    } else if class.value() > HIGHEST_USER_DEFINABLE {
        let detail = format!("maximum allowed value of a user defined priority is {HIGHEST_USER_DEFINABLE}");
        errors.push(Error::forbidden(&root.child("value"), detail));
    }
    if class.preemption_policy() == Some("") {
        errors.push(Error::required(&root.child("preemptionPolicy"), ""));
    } else {
        class.check_preemption_policy(root, errors);
    }
}

/// As upstream's `schedulingapiv1.IsKnownSystemPriorityClass`.
fn system_flaw(name: &str, class: PriorityClass<'_>) -> Option<String> {
    let Some((_, value, _)) = SYSTEM_CLASSES.iter().find(|(known, ..)| *known == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if class.value() != *value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    class.global_default().then(|| format!("globalDefault of {name} PriorityClass must be false"))
}
