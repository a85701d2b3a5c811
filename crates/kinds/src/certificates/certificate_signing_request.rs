//! Requests for certificates.

mod prepare;
mod rules;
mod table;

use std::sync::Arc;

use sprag_rest::{Definition, Release, Selectable, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use self::prepare::{keep_approval, reset_request, set_condition_times, set_user};
use self::rules::{Access, validate, validate_update};
use super::GROUP;
use crate::program;
use crate::views::certificates_v1::CertificateSigningRequest;

/// The definition of `certificatesigningrequests`.
pub(super) fn certificate_signing_requests(release: Release) -> Definition {
    let status = SubresourceConfig::new()
        .metadata_as_new()
        .writes(["metadata", "status"])
        // As upstream's `csrStatusStrategy.GetResetFields`, which names more than the strategy resets.
        .resets(["spec", "status.conditions"])
        .prepare_for_update(|cx, new, old| {
            keep_approval(new, old);
            set_condition_times(new, old, cx.now);
        })
        .validate_update(|cx, new, old, errors| validate_update(new, old, Access::Status, &cx.root(), errors));
    let approval = SubresourceConfig::new()
        .metadata_as_new()
        .writes(["metadata", "status.conditions"])
        .resets(["spec", "status.certificate"])
        .prepare_for_update(|cx, new, old| set_condition_times(new, old, cx.now))
        .validate_update(|cx, new, old, errors| validate_update(new, old, Access::Approval, &cx.root(), errors));
    let strategy = StrategyConfig::new()
        .prepare_for_create(|cx, new| set_user(new, cx.user))
        .prepare_for_update(|_, new, old| reset_request(new, old))
        .validate(|cx, new, errors| validate(new, &cx.root(), errors))
        .validate_update(|cx, new, old, errors| validate_update(new, old, Access::Request, &cx.root(), errors))
        .resets(["spec", "status"])
        .status(status)
        .without_generation();
    let resource = program::resource(release, GROUP, "v1", "CertificateSigningRequest").part("approval", approval);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["csr".to_owned()];
    // As upstream's `ValidateCertificateRequestName`: any name will do that can be part of a path.
    definition.name_rule = Arc::new(|_, _, _| {});
    definition.versions[0].selectable = vec![Selectable::new("spec.signerName")];
    definition.versions[0].columns = table::columns();
    definition
}

fn request(object: &Value) -> CertificateSigningRequest<'_> {
    View::view(Some(object))
}
