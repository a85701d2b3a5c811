//! Service accounts: references to secrets are names, nothing else.

use sprag_rest::{Column, Definition, RestConfig, StrategyConfig};
use sprag_validate::object_meta::dns_subdomain;

use super::v1::{ObjectReference, ServiceAccount};
use crate::meta::{check_finalizers, check_generate_name};

/// An annotation that is on its way out.
const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

/// The definition of `serviceaccounts`.
pub(crate) fn service_accounts() -> Definition {
    let strategy = StrategyConfig::<ServiceAccount>::new()
        .validate(|_, new, errors| check_finalizers(&new.metadata, errors))
        .validate_update(|_, new, _, errors| {
            // Upstream checks metadata as that of a changed object and as that of a new one.
            check_finalizers(&new.metadata, errors);
            check_generate_name(&new.metadata, &dns_subdomain, errors);
            check_finalizers(&new.metadata, errors);
        })
        .prepare_for_create(|_, new| keep_names(new))
        .prepare_for_update(|_, new, _| keep_names(new))
        .warnings_on_create(|_, new| warnings(new))
        .warnings_on_update(|_, new, old| if is_annotated(old) { Vec::new() } else { warnings(new) })
        .without_generation();
    let definition = RestConfig::new("", "v1", "serviceaccounts")
        .short_names(["sa"])
        .columns([Column::age()])
        .strategy(strategy)
        .define();
    Definition { returns_deleted_object: true, ..definition }
}

fn keep_names(account: &mut ServiceAccount) {
    for secret in &mut account.secrets {
        *secret = ObjectReference { name: std::mem::take(&mut secret.name), ..ObjectReference::default() };
    }
}

fn is_annotated(account: &ServiceAccount) -> bool {
    account.metadata.annotations.contains_key(MOUNTABLE_SECRETS)
}

fn warnings(new: &ServiceAccount) -> Vec<String> {
    let warning = || {
        format!(
            "metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate \
             access to mounted secrets"
        )
    };
    is_annotated(new).then(warning).into_iter().collect()
}
