//! Ingress classes: the controllers that implement ingresses.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain, path_segment};
use sprag_field::{Error, Errors};
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use crate::columns::{name, text};
use crate::core::names::validate_domain_prefixed_path;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::networking_v1::{IngressClass, IngressClassParametersReference, IngressClassSpec};

/// The annotation of the class that ingresses have by default.
const IS_DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";

/// The bytes of the longest name of a controller.
const MAX_CONTROLLER: i64 = 250;

const CLUSTER: &str = "Cluster";
const NAMESPACE: &str = "Namespace";

/// The definition of `ingressclasses`.
pub(super) fn ingress_classes(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(class(new).spec(), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            class(new).spec().check_controller_update(class(old).spec(), &cx.root().child("spec"), errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate_spec(class(new).spec(), &cx.root(), errors);
        });
    let resource = program::resource(release, GROUP, "v1", "IngressClass");
    let mut definition = resource.strategy(strategy).define();
    definition.versions[0].columns = columns(release);
    definition
}

fn class(object: &Value) -> IngressClass<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateIngressClassSpec`.
fn validate_spec(spec: IngressClassSpec<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let (controller, at_controller) = (spec.controller(), at.child("controller"));
    if i64::try_from(controller.len()).is_ok_and(|bytes| bytes > MAX_CONTROLLER) {
        errors.push(Error::too_long(&at_controller, MAX_CONTROLLER));
    }
    validate_domain_prefixed_path(controller, &at_controller, errors);
    if let Some(parameters) = spec.parameters() {
        validate_parameters(parameters, &at.child("parameters"), errors);
    }
}

/// As upstream's `validation.validateIngressClassParametersReference`. The scope is never unset: it has a default.
fn validate_parameters(parameters: IngressClassParametersReference<'_>, at: &At<'_>, errors: &mut Errors) {
    parameters.check_api_group(at, errors);
    for (member, text) in [("kind", parameters.kind()), ("name", parameters.name())] {
        let at = at.child(member);
        if text.is_empty() {
            errors.push(Error::required(&at, "").with_covered_by_declarative());
        } else {
            path_segment(text, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, text, detail)));
        }
    }
    let at_namespace = at.child("namespace");
    match (parameters.scope().unwrap_or_default(), parameters.namespace()) {
        (NAMESPACE, None) => {
            errors.push(Error::required(&at_namespace, "`parameters.scope` is set to 'Namespace'"));
        }
        (NAMESPACE, Some(_)) => drop(parameters.check_namespace(at, errors)),
        (CLUSTER, Some(_)) => {
            errors.push(Error::forbidden(&at_namespace, "`parameters.scope` is set to 'Cluster'"));
        }
        (CLUSTER, None) => {}
        (other, _) => errors.push(Error::not_supported(&at.child("scope"), other, &[CLUSTER, NAMESPACE])),
    }
}

/// As upstream's `printers.printIngressClass`.
fn columns(release: Release) -> Vec<Column> {
    let marks_default = release.has(Fact::TablesMarkDefaultClass);
    let shown = move |object: &Value| {
        let annotations = class(object).metadata().annotations();
        let mark = if marks_default && annotations.get(IS_DEFAULT) == Some("true") { " (default)" } else { "" };
        format!("{}{mark}", meta::name(object))
    };
    vec![
        name(move |object| shown(object).into()),
        text("Controller", "Controller that implements the class.", |object| class(object).spec().controller().into()),
        text("Parameters", "Object with further configuration of the controller.", |object| {
            class(object).spec().parameters().map_or("<none>".to_owned(), parameters).into()
        }),
        Column::age(),
    ]
}

fn parameters(parameters: IngressClassParametersReference<'_>) -> String {
    let group = parameters.api_group().map(|group| format!(".{group}")).unwrap_or_default();
    format!("{}{group}/{}", parameters.kind(), parameters.name())
}
