//! Requests of pods for certificates.

mod issue;
mod rules;

use sprag_rest::{Column, Definition, Release, Selectable, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use crate::columns::text;
use crate::program;
use crate::views::certificates_v1::PodCertificateRequest;

/// The definition of `podcertificaterequests`.
pub(super) fn pod_certificate_requests(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .validate_update(|cx, new, old, errors| rules::validate_status(new, old, cx.now, errors));
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| rules::validate(new, &cx.root(), errors))
        .validate_update(|_, new, old, errors| rules::validate_update(new, old, errors))
        .status(status)
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "PodCertificateRequest").strategy(strategy).define();
    definition.versions[0].selectable =
        ["spec.signerName", "spec.podName", "spec.nodeName"].map(Selectable::new).into();
    definition.versions[0].columns = columns();
    definition
}

fn request(object: &Value) -> PodCertificateRequest<'_> {
    View::view(Some(object))
}

/// As upstream's `printers.printPodCertificateRequest`.
fn columns() -> Vec<Column> {
    vec![
        text("PodName", "Name of the pod.", |object| request(object).spec().pod_name().into()),
        text("ServiceAccountName", "Name of the pod's service account.", |object| {
            request(object).spec().service_account_name().into()
        }),
        text("NodeName", "Name of the pod's node.", |object| request(object).spec().node_name().into()),
        text("SignerName", "Signer that is asked.", |object| request(object).spec().signer_name().into()),
        text("State", "State of the request.", |object| {
            let conditions = request(object).status().conditions();
            let known =
                conditions.iter().rev().map(|condition| condition.kind()).find(|kind| rules::FINAL.contains(kind));
            known.unwrap_or("Pending").into()
        }),
        text("UnverifiedUserAnnotations", "Wishes of the pod's author.", |object| {
            let annotations = request(object).spec().unverified_user_annotations();
            let mut pairs: Vec<String> = annotations.iter().map(|(key, value)| format!("{key}={value}")).collect();
            pairs.sort_unstable();
            if pairs.is_empty() { "<none>".into() } else { pairs.join(",").into() }
        }),
    ]
}

/// Tells if a request has a condition, and it holds.
fn has_condition(object: &Value, kind: &str) -> bool {
    let mut conditions = request(object).status().conditions().iter();
    conditions.any(|condition| condition.kind() == kind && condition.status() == "True")
}
