//! Ingresses: rules that let requests from outside reach services.

mod rules;
mod table;

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Definition, FeatureGates, Release, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use self::rules::{IngressOptions, validate_spec};
use super::GROUP;
use crate::core::ip::{LegacyIps, ip_warning, parse_ip, validate_ip};
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::networking_v1::{Ingress, IngressLoadBalancerIngress};

/// The annotation that named the class of an ingress before there was a field for it.
const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

/// The definition of `ingresses`.
pub(super) fn ingresses(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .writes(["status", "metadata"])
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_status(cx.gates, ingress(new), ingress(old), &cx.root(), errors);
        })
        .warnings_on_update(|_, new, _| status_warnings(ingress(new)));
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(ingress(new).spec(), IngressOptions::default(), &cx.root(), errors);
            validate_class_annotation(ingress(new), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            validate_spec(ingress(new).spec(), IngressOptions::of(ingress(old).spec(), &cx.root()), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| class_warning(ingress(new)).into_iter().collect())
        .status(status);
    let mut definition = program::resource(release, GROUP, "v1", "Ingress").strategy(strategy).define();
    definition.short_names = vec!["ing".to_owned()];
    // As upstream's kubeapiserver.SpecialDefaultResourcePrefixes.
    "ingress".clone_into(&mut definition.storage_prefix);
    definition.versions[0].columns = table::columns();
    definition
}

fn ingress(object: &Value) -> Ingress<'_> {
    View::view(Some(object))
}

/// The end of upstream's `validation.ValidateIngressCreate`.
fn validate_class_annotation(ingress: Ingress<'_>, errors: &mut Errors) {
    let annotation = ingress.metadata().annotations().get(CLASS_ANNOTATION);
    let (Some(annotation), Some(class)) = (annotation, ingress.spec().ingress_class_name()) else { return };
    if annotation != class {
        // As upstream, which leaves metadata out of the path.
        let at = Path::new("annotations");
        let detail = "must match `ingressClassName` when both are specified";
        errors.push(Error::invalid(&at.child(CLASS_ANNOTATION), annotation, detail));
    }
}

/// As upstream's `ingress.ingressStrategy.WarningsOnCreate`.
fn class_warning(ingress: Ingress<'_>) -> Option<String> {
    let is_annotated = ingress.metadata().annotations().contains_key(CLASS_ANNOTATION);
    (is_annotated && ingress.spec().ingress_class_name().is_none())
        .then(|| format!("annotation \"{CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"))
}

/// As upstream's `validation.ValidateIngressLoadBalancerStatus`.
fn validate_status(gates: &FeatureGates, new: Ingress<'_>, old: Ingress<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("status");
    let at = at.child("loadBalancer");
    let at = at.child("ingress");
    let known = |ip: &str| old.status().load_balancer().ingress().iter().any(|point| point.ip() == ip);
    for (index, point) in new.status().load_balancer().ingress().iter().enumerate() {
        let at = at.index(index);
        if !point.ip().is_empty() && !known(point.ip()) {
            validate_ip(point.ip(), LegacyIps::of(gates), &at.child("ip"), errors);
        }
        validate_hostname(point, &at, errors);
    }
}

fn validate_hostname(point: IngressLoadBalancerIngress<'_>, at: &At<'_>, errors: &mut Errors) {
    let hostname = point.hostname();
    if hostname.is_empty() {
        return;
    }
    point.check_hostname(at, errors);
    if parse_ip(hostname).is_some() {
        errors.push(Error::invalid(&at.child("hostname"), hostname, "must be a DNS name, not an IP address"));
    }
}

/// As upstream's `ingress.ingressStatusStrategy.WarningsOnUpdate`.
fn status_warnings(new: Ingress<'_>) -> Vec<String> {
    let points = new.status().load_balancer().ingress();
    let at = Path::new("status");
    let at = at.child("loadBalancer");
    let at = at.child("ingress");
    let points = points.iter().enumerate().filter(|(_, point)| !point.ip().is_empty());
    points.filter_map(|(index, point)| ip_warning(point.ip(), &at.index(index))).collect()
}
