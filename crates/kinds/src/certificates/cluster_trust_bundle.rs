//! Trust bundles: root certificates for the whole cluster.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Definition, Release, Selectable, StrategyConfig, meta};
use sprag_value::Value;
use sprag_value::view::View;
use sprag_x509::{Certificate, blocks};

use super::GROUP;
use crate::columns::text;
use crate::core::names::validate_signer_name;
use crate::meta::{validate_finalizers, validate_names_first};
use crate::program;
use crate::views::certificates_v1::ClusterTrustBundle;

/// The bytes of the longest bundle.
const MAX_SIZE: i64 = 1024 * 1024;
const OMITTED: &str = "<value omitted>";

/// The definition of `clustertrustbundles`.
pub(super) fn cluster_trust_bundles(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|_, new, errors| {
            validate_names_first(errors, |errors| validate_names(new, errors));
            validate(new, true, errors);
        })
        .validate_update(|cx, new, old, errors| {
            let is_changed = bundle(new).spec().trust_bundle() != bundle(old).spec().trust_bundle();
            validate_names(new, errors);
            validate(new, is_changed, errors);
            bundle(new).spec().check_signer_name_update(bundle(old).spec(), &cx.root().child("spec"), errors);
        })
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "ClusterTrustBundle").strategy(strategy).define();
    // The rule depends on the signer, so a hook has it.
    definition.name_rule = Arc::new(|_, _, _| {});
    definition.versions[0].selectable = vec![Selectable::new("spec.signerName")];
    definition.versions[0].columns =
        vec![text("SignerName", "Signer of the bundle.", |object| match bundle(object).spec().signer_name() {
            "" => "<none>".into(),
            name => name.into(),
        })];
    definition
}

fn bundle(object: &Value) -> ClusterTrustBundle<'_> {
    View::view(Some(object))
}

/// Judges the name and the base of a generated one.
fn validate_names(new: &Value, errors: &mut Errors) {
    let at = Path::new("metadata");
    let signer = bundle(new).spec().signer_name();
    for (member, usage) in [("generateName", Usage::Prefix), ("name", Usage::Name)] {
        let at = at.child(member);
        let name = meta::text(new, member);
        if !name.is_empty() {
            name_flaws(signer, name, usage, &mut |flaw| errors.push(Error::invalid(&at, name, flaw)));
        }
    }
}

/// As upstream's `validation.ValidateClusterTrustBundle`, but for the names.
fn validate(new: &Value, reads_bundle: bool, errors: &mut Errors) {
    let signer = bundle(new).spec().signer_name();
    validate_finalizers(new, errors);
    let at = Path::new("spec");
    if !signer.is_empty() {
        validate_signer_name(signer, &at.child("signerName"), errors);
    }
    if reads_bundle {
        validate_bundle(bundle(new).spec().trust_bundle(), &at.child("trustBundle"), errors);
    }
}

type Report<'r> = &'r mut dyn FnMut(Cow<'static, str>);

/// As upstream's `validation.ValidateClusterTrustBundleName`.
fn name_flaws(signer: &str, name: &str, usage: Usage, report: Report<'_>) {
    if signer.is_empty() {
        if name.contains(':') {
            return report("ClusterTrustBundle without signer name must not have \":\" in its name".into());
        }
        return dns_subdomain(name, usage, report);
    }
    let prefix = format!("{}:", signer.replace('/', ":"));
    if let Some(rest) = name.strip_prefix(&prefix) {
        return dns_subdomain(rest, usage, report);
    }
    report(format!("ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}").into());
}

/// As upstream's `validation.validateTrustBundle`.
fn validate_bundle(text: &str, at: &Path<'_>, errors: &mut Errors) {
    if i64::try_from(text.len()).is_ok_and(|size| size > MAX_SIZE) {
        return errors.push(Error::too_long(at, MAX_SIZE));
    }
    let mark = errors.len();
    let mut anchors: Vec<(Vec<u8>, Vec<usize>)> = Vec::new();
    for (index, block) in blocks(text.as_bytes()).enumerate() {
        let flaw = if block.label != "CERTIFICATE" {
            Some(format!("has bad block type: {}", block.label))
        } else if block.has_headers {
            Some("has PEM block headers".to_owned())
        } else {
            certificate_flaw(&block.bytes).map(str::to_owned)
        };
        if let Some(flaw) = flaw {
            errors.push(Error::invalid(at, OMITTED, format!("entry {index} {flaw}")));
            continue;
        }
        match anchors.iter_mut().find(|(bytes, _)| *bytes == block.bytes) {
            Some((_, indices)) => indices.push(index),
            None => anchors.push((block.bytes, vec![index])),
        }
    }
    if errors.len() > mark {
        return;
    }
    if anchors.is_empty() {
        errors.push(Error::invalid(at, OMITTED, "at least one trust anchor must be provided"));
    }
    for (_, indices) in anchors.into_iter().filter(|(_, indices)| indices.len() > 1) {
        let indices = indices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        errors.push(Error::invalid(at, OMITTED, format!("duplicate trust anchor (indices [{indices}])")));
    }
}

fn certificate_flaw(bytes: &[u8]) -> Option<&'static str> {
    match Certificate::parse(bytes) {
        Err(_) => Some("does not parse as X.509"),
        Ok(certificate) if !certificate.is_ca => Some("does not have the CA bit set"),
        Ok(certificate) if !certificate.basic_constraints_valid => Some("has invalid basic constraints"),
        Ok(_) => None,
    }
}
