//! Service accounts: references to secrets are names, nothing else.

mod token;

use std::sync::Arc;

use sprag_checks::object_meta::dns_subdomain;
use sprag_rest::{Column, Definition, Fact, Release, StrategyConfig, Subresource, SubresourceKind, TokenIssuer};
use sprag_value::{Object, Value};

use crate::columns::text;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;

/// An annotation that is on its way out.
const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

/// The definition of `serviceaccounts`.
pub(crate) fn service_accounts(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|_, new, errors| validate_finalizers(new, errors))
        .validate_update(|_, new, _, errors| {
            // Upstream checks metadata as that of a changed object and as that of a new one.
            validate_finalizers(new, errors);
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
        })
        .prepare_for_create(|_, new| keep_names(new))
        .prepare_for_update(|_, new, _| keep_names(new))
        .warnings_on_create(|_, new| warnings(new))
        .warnings_on_update(|_, new, old| if is_annotated(old) { Vec::new() } else { warnings(new) })
        .without_generation();
    let mut definition = program::resource(release, "", "v1", "ServiceAccount").strategy(strategy).define();
    definition.short_names = vec!["sa".to_owned()];
    definition.returns_deleted_object = true;
    definition.versions[0].columns = columns(release);
    definition
}

/// As upstream's `printers.printServiceAccount`.
fn columns(release: Release) -> Vec<Column> {
    let secrets = release.has(Fact::TablesCountSecrets).then(|| {
        let secrets = "Secrets that pods of the service account may use.";
        text("Secrets", secrets, |object| {
            let count = object.get("secrets").and_then(Value::as_array).map_or(0, |secrets| secrets.len());
            i64::try_from(count).unwrap_or(i64::MAX).into()
        })
    });
    secrets.into_iter().chain([Column::age()]).collect()
}

/// Adds `serviceaccounts/token`, with what issues tokens.
pub(crate) fn issue_tokens(definition: &mut Definition, issuer: Arc<dyn TokenIssuer>) {
    let kind = SubresourceKind::Create(Arc::new(token::Token(issuer)));
    definition.versions[0].subresources.push(Subresource { name: "token".to_owned(), kind });
}

/// As upstream's `serviceaccount.strategy.cleanSecretReferences`.
fn keep_names(account: &mut Value) {
    let has_more = |secret: &Value| secret.as_object().is_some_and(|secret| secret.keys().any(|key| key != "name"));
    let secrets = account.get("secrets").and_then(Value::as_array);
    if !secrets.is_some_and(|secrets| secrets.iter().any(has_more)) {
        return;
    }
    if let Some(Value::Array(secrets)) = account.get_mut("secrets") {
        for secret in secrets.as_mut_slice() {
            let name = secret.remove("name");
            *secret = Value::Object(name.into_iter().map(|name| ("name", name)).collect::<Object>());
        }
    }
}

fn is_annotated(account: &Value) -> bool {
    account.lookup(&["metadata", "annotations", MOUNTABLE_SECRETS]).is_some()
}

fn warnings(new: &Value) -> Vec<String> {
    let warning = || {
        format!(
            "metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; prefer separate namespaces to isolate \
             access to mounted secrets"
        )
    };
    is_annotated(new).then(warning).into_iter().collect()
}
