//! Names that several groups use: signers of certificates and their trust bundles, as upstream's
//! `pkg/apis/core/validation/names.go`.

use std::borrow::Cow;

use sprag_checks::format::Format;
use sprag_checks::object_meta::{NameRule, Usage, dns_label, dns_subdomain};
use sprag_field::{Error, Errors, Path, quote};

/// The bytes of the longest domain of a signer.
const MAX_DOMAIN: i64 = 253;

/// The bytes of the longest name of a signer: a domain, a slash, a namespace, a dot and a name.
const MAX_SIGNER_NAME: i64 = 253 + 1 + 63 + 1 + 253;

/// Tells if a signer is one of Kubernetes' own, as upstream's `validation.IsKubernetesSignerName`.
pub(crate) fn is_kubernetes_signer_name(name: &str) -> bool {
    let domain = name.split_once('/').map_or(name, |(domain, _)| domain);
    domain.strip_suffix("kubernetes.io").is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// As upstream's `validation.ValidateSignerName`.
pub(crate) fn validate_signer_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    let Some((domain, path)) = name.split_once('/').filter(|(_, path)| !path.contains('/')) else {
        let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return errors.push(Error::invalid(at, name, detail));
    };
    if is_longer(domain, MAX_DOMAIN) {
        errors.push(Error::too_long(at, MAX_DOMAIN));
    }
    validate_segment(domain, &dns_label, at, errors);
    if !domain.contains('.') {
        errors.push(Error::invalid(at, domain, "should be a domain with at least two segments separated by dots"));
    }
    validate_segment(path, &dns_subdomain, at, errors);
    if is_longer(name, MAX_SIGNER_NAME) {
        errors.push(Error::too_long(at, MAX_SIGNER_NAME));
    }
}

/// As upstream's `validation.IsDomainPrefixedPath`.
pub(crate) fn validate_domain_prefixed_path(text: &str, at: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    let Some((host, path)) = text.split_once('/').filter(|(host, path)| !host.is_empty() && !path.is_empty()) else {
        let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        return errors.push(Error::invalid(at, text, detail));
    };
    Format::LongName.check(host, &mut |flaw| errors.push(Error::invalid(at, host, flaw.detail)));
    let is_path_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    if !path.bytes().all(is_path_byte) {
        let detail = r"Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')";
        errors.push(Error::invalid(at, path, detail));
    }
}

fn is_longer(text: &str, max: i64) -> bool {
    i64::try_from(text.len()).is_ok_and(|bytes| bytes > max)
}

/// Reports the first part between dots that breaks a rule.
fn validate_segment(segment: &str, rule: &NameRule<'_>, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    for part in segment.split('.') {
        rule(part, Usage::Name, &mut |detail| {
            let detail = format!("validating label {}: {detail}", quote::go(part));
            errors.push(Error::invalid(at, segment, detail));
        });
        if errors.len() > mark {
            return;
        }
    }
}

/// Reports what is wrong with the name of a trust bundle whose signer only its name tells, as upstream's
/// `validation.ValidateClusterTrustBundleName` and `extractSignerNameFromClusterTrustBundleName` together.
pub(crate) fn cluster_trust_bundle_name(name: &str, report: &mut dyn FnMut(Cow<'static, str>)) {
    let rest = match name.rsplit_once(':') {
        None => name,
        Some(("", _)) => {
            return report("ClusterTrustBundle without signer name must not have \":\" in its name".into());
        }
        Some((signer, _)) if signer.contains('/') => {
            let slashes = signer.replace(':', "/");
            let colons = signer.replace('/', ":");
            let detail = format!("ClusterTrustBundle for signerName {slashes} must be named with prefix {colons}:");
            return report(detail.into());
        }
        Some((_, rest)) => rest,
    };
    dns_subdomain(rest, Usage::Name, report);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        let mut errors = Errors::new();
        validate_signer_name(name, &Path::new("f"), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), expected.len(), "{name}: {texts:?}");
        for (text, expected) in texts.iter().zip(expected) {
            assert!(text.starts_with(expected), "{name}: {text}");
        }
    }

    #[test]
    fn signers_are_a_domain_and_a_path() {
        check("example.com/a.b", &[]);
        check("", &["f: Required value"]);
        check("a.b", &[r#"f: Invalid value: "a.b": must be a fully qualified"#]);
        check("a.b/c/d", &[r#"f: Invalid value: "a.b/c/d": must be a fully qualified"#]);
        check("local/a", &[r#"f: Invalid value: "local": should be a domain with at least two"#]);
        check(
            "A.B.c/_",
            &[
                r#"f: Invalid value: "A.B.c": validating label "A": a lowercase RFC 1123 label"#,
                r#"f: Invalid value: "_": validating label "_": a lowercase RFC 1123 subdomain"#,
            ],
        );
        let long = format!("{}com/{}", "a.".repeat(126), "b".repeat(330));
        check(
            &long,
            &[
                "f: Too long: may not be more than 253 bytes",
                &format!(
                    r#"f: Invalid value: "{0}": validating label "{0}": must be no more than 253"#,
                    "b".repeat(330)
                ),
                "f: Too long: may not be more than 571 bytes",
            ],
        );
    }

    #[test]
    fn paths_have_a_domain() {
        let check = |text: &str, expected: &[&str]| {
            let mut errors = Errors::new();
            validate_domain_prefixed_path(text, &Path::new("f"), &mut errors);
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(texts.len(), expected.len(), "{text}: {texts:?}");
            assert!(texts.iter().zip(expected).all(|(text, expected)| text.starts_with(expected)), "{texts:?}");
        };
        check("example.com/a/b~c", &[]);
        check("", &["f: Required value"]);
        check("example.com", &[r#"f: Invalid value: "example.com": must be a domain-prefixed path"#]);
        check("/a", &[r#"f: Invalid value: "/a": must be a domain-prefixed path"#]);
        check(
            "A/b c",
            &[
                r#"f: Invalid value: "A": a lowercase RFC 1123 subdomain"#,
                r#"f: Invalid value: "b c": Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')"#,
            ],
        );
    }

    #[test]
    fn own_signers_are_those_of_the_domain() {
        assert!(is_kubernetes_signer_name("kubernetes.io/x") && is_kubernetes_signer_name("a.kubernetes.io/x"));
        assert!(!is_kubernetes_signer_name("akubernetes.io/x") && !is_kubernetes_signer_name("a/kubernetes.io"));
    }

    #[test]
    fn trust_bundles_carry_the_name_of_their_signer() {
        let report = |name: &str| {
            let mut found = Vec::new();
            cluster_trust_bundle_name(name, &mut |detail| found.push(detail));
            found
        };
        assert!(report("a").is_empty() && report("example.com:signer:a").is_empty());
        assert_eq!(report(":a"), ["ClusterTrustBundle without signer name must not have \":\" in its name"]);
        assert_eq!(report("a/b:c"), ["ClusterTrustBundle for signerName a/b must be named with prefix a:b:"]);
        assert!(report("a:B")[0].starts_with("a lowercase RFC 1123 subdomain"));
    }
}
