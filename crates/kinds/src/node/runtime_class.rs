//! Runtime classes: configurations of container runtimes that pods can choose.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use crate::columns::text;
use crate::core::internal::internal_struct;
use crate::core::pod::{PodOptions, Seen, deprecated_node_label, validate_overhead, validate_tolerations};
use crate::meta::validate_generate_name;
use crate::program;
use crate::views::core_v1::Toleration;
use crate::views::node_v1::{RuntimeClass, Scheduling};

/// The definition of `runtimeclasses`.
pub(super) fn runtime_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| validate(class(new), &cx.root(), errors))
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate(class(new), &cx.root(), errors);
            class(new).check_handler_update(class(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(class(new)))
        .warnings_on_update(|_, new, _| warnings(class(new)))
        .allow_create_on_update(true)
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, "node.k8s.io", "v1", "RuntimeClass").strategy(strategy).define();
    definition.versions[0].columns = vec![
        text("Handler", "Configuration of the container runtime.", |object| class(object).handler().into()),
        Column::age(),
    ];
    definition
}

fn class(object: &Value) -> RuntimeClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateRuntimeClass`.
fn validate(class: RuntimeClass<'_>, root: &At<'_>, errors: &mut Errors) {
    let (at, handler) = (Path::new("handler"), class.handler());
    if handler.is_empty() && errors.release().has(Fact::HandlerIsRequired) {
        errors.push(Error::required(&at, "").with_covered_by_declarative());
    } else {
        dns_label(handler, Usage::Name, &mut |detail| {
            let error = Error::invalid(&at, handler, detail).with_origin("format=k8s-short-name");
            errors.push(error.with_covered_by_declarative());
        });
    }
    let options = PodOptions::default();
    if let Some(overhead) = class.overhead() {
        validate_overhead(overhead.pod_fixed(), &Path::new("overhead"), &options, errors);
    }
    if let Some(scheduling) = class.scheduling() {
        validate_scheduling(scheduling, &options, root, errors);
    }
}

/// As upstream's `validation.validateScheduling`.
fn validate_scheduling(scheduling: Scheduling<'_>, options: &PodOptions, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("scheduling");
    scheduling.check_node_selector(&at, errors);
    let tolerations = scheduling.tolerations();
    let at = at.child("tolerations");
    let repeats = errors.release().has(Fact::RuntimeClassRepeatsField);
    let at_each = at.child("tolerations");
    validate_tolerations(tolerations, if repeats { &at_each } else { &at }, options, errors);
    validate_unique(tolerations, &at, errors);
}

/// The end of upstream's `validation.validateTolerations`: all but their time tells tolerations apart.
fn validate_unique(tolerations: List<'_, Toleration<'_>>, at: &Path<'_>, errors: &mut Errors) {
    let mut seen = Seen::new();
    for (index, toleration) in tolerations.iter().enumerate() {
        let key = (toleration.key(), toleration.operator(), toleration.value(), toleration.effect());
        if !seen.insert(key) {
            let value = internal_struct(errors.release(), "v1.Toleration", Some(toleration.as_value()));
            errors.push(Error::duplicate(&at.index(index), value));
        }
    }
}

/// As upstream's `node.GetWarningsForRuntimeClass`, which names the labels in no order.
fn warnings(class: RuntimeClass<'_>) -> Vec<String> {
    let Some(scheduling) = class.scheduling() else { return Vec::new() };
    let labels = scheduling.node_selector();
    labels.keys().filter_map(deprecated_node_label).map(|text| format!("scheduling.nodeSelector: {text}")).collect()
}
