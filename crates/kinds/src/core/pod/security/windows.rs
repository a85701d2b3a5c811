//! Options of Windows containers.

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};

use super::super::visit::visit_containers;
use crate::core::internal::{Field, Form};
use crate::views::core_v1::{PodSpec, WindowsSecurityContextOptions};

const MAX_CREDENTIAL_SPEC_KIB: usize = 64;
/// The bytes that are too many for a domain.
const DOMAIN_LIMIT: usize = 256;
const MAX_USER: usize = 104;
const MAX_NETBIOS_NAME: usize = 15;
const MAX_DNS_LABEL: usize = 63;

/// `core.WindowsSecurityContextOptions`.
pub(super) const WINDOWS_FIELDS: &[Field] = &[
    ("GMSACredentialSpecName", "gmsaCredentialSpecName", Form::Plain),
    ("GMSACredentialSpec", "gmsaCredentialSpec", Form::Plain),
    ("RunAsUserName", "runAsUserName", Form::Plain),
    ("HostProcess", "hostProcess", Form::Plain),
];

/// As upstream's `validation.validateWindowsSecurityContextOptions`.
pub(super) fn validate_windows_options(options: WindowsSecurityContextOptions<'_>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(name) = options.gmsa_credential_spec_name() {
        dns_subdomain(name, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(&at.child("gmsaCredentialSpecName"), BadValue::json_str(name), detail));
        });
    }
    if let Some(spec) = options.gmsa_credential_spec() {
        let at = at.child("gmsaCredentialSpec");
        if spec.is_empty() {
            errors.push(Error::invalid(&at, BadValue::json_str(spec), "gmsaCredentialSpec cannot be an empty string"));
        } else if spec.len() > MAX_CREDENTIAL_SPEC_KIB * 1024 {
            let detail = format!("gmsaCredentialSpec size must be under {MAX_CREDENTIAL_SPEC_KIB} KiB");
            errors.push(Error::invalid(&at, BadValue::json_str(spec), detail));
        }
    }
    if let Some(name) = options.run_as_user_name() {
        let at = at.child("runAsUserName");
        validate_user_name(name, &mut |detail| {
            errors.push(Error::invalid(&at, BadValue::json_str(name), detail));
        });
    }
}

/// Judges a user, perhaps with a domain and a backslash before it.
fn validate_user_name(name: &str, report: &mut dyn FnMut(String)) {
    if name.is_empty() {
        return report("runAsUserName cannot be an empty string".to_owned());
    }
    if name.bytes().any(|byte| byte.is_ascii_control()) {
        return report("runAsUserName cannot contain control characters".to_owned());
    }
    let (domain, user) = name.split_once('\\').map_or((None, name), |(domain, user)| (Some(domain), user));
    if user.contains('\\') {
        return report("runAsUserName cannot contain more than one backslash".to_owned());
    }
    if let Some(domain) = domain {
        validate_domain(domain, report);
    }
    validate_user(user, report);
}

fn validate_domain(domain: &str, report: &mut dyn FnMut(String)) {
    if domain.len() >= DOMAIN_LIMIT {
        report(format!("runAsUserName's Domain length must be under {DOMAIN_LIMIT} characters"));
    }
    if !is_netbios_name(domain) && !domain.split('.').all(is_dns_label) {
        report("runAsUserName's Domain doesn't match the NetBios nor the DNS format".to_owned());
    }
}

fn is_netbios_name(name: &str) -> bool {
    let is_excluded = |c: char| r#"\/:*?"<>|"#.contains(c);
    (1..=MAX_NETBIOS_NAME).contains(&name.chars().count()) && !name.starts_with('.') && !name.contains(is_excluded)
}

/// A label in any case, which [`dns_subdomain`] does not accept.
fn is_dns_label(label: &str) -> bool {
    let is_dash = |byte: &u8| *byte == b'-';
    let bytes = label.as_bytes();
    (1..=MAX_DNS_LABEL).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || is_dash(byte))
        && !bytes.first().is_some_and(is_dash)
        && !bytes.last().is_some_and(is_dash)
}

fn validate_user(user: &str, report: &mut dyn FnMut(String)) {
    if user.is_empty() {
        report("runAsUserName's User cannot be empty".to_owned());
    } else if user.len() > MAX_USER {
        report(format!("runAsUserName's User length must not be longer than {MAX_USER} characters"));
    }
    if !user.is_empty() && user.bytes().all(|byte| matches!(byte, b'.' | b' ')) {
        report("runAsUserName's User cannot contain only periods or spaces".to_owned());
    }
    if user.contains(|c: char| r#""/\:;|=,+*?<>@[]"#.contains(c)) {
        report(r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#.to_owned());
    }
}

/// As upstream's `validation.validateWindowsHostProcessPod`; `at` is the path of the spec. Host process containers are
/// allowed, as with the API server's `--allow-privileged`.
pub(crate) fn validate_windows_host_process(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let windows = spec.security_context().and_then(|context| context.windows_options());
    let of_pod = windows.and_then(WindowsSecurityContextOptions::host_process);
    let mut count = 0_usize;
    let mut host_processes = 0_usize;
    visit_containers(spec, at, &mut |container, at| {
        let windows = container.security_context().and_then(|context| context.windows_options());
        let own = windows.and_then(WindowsSecurityContextOptions::host_process);
        if let (Some(pod), Some(own)) = (of_pod, own)
            && pod != own
        {
            let context = at.child("securityContext");
            let options = context.child("windowsOptions");
            let detail = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            errors.push(Error::invalid(&options.child("hostProcess"), own, detail));
        }
        count += 1;
        host_processes += usize::from(own.or(of_pod) == Some(true));
    });
    if host_processes == 0 {
        return;
    }
    if host_processes != count {
        let detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.push(Error::invalid(at, "", detail));
    }
    if !spec.host_network() {
        let detail = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.push(Error::invalid(&at.child("hostNetwork"), false, detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &[&str]) {
        let mut details = Vec::new();
        validate_user_name(name, &mut |detail| details.push(detail));
        assert_eq!(details, expected, "{name}");
    }

    #[test]
    fn user_names_may_have_a_domain() {
        for name in ["Container User", "NT AUTHORITY\\SYSTEM", "Example.Com\\Foo", "a.b"] {
            check(name, &[]);
        }
        let no_domain = "runAsUserName's Domain doesn't match the NetBios nor the DNS format";
        for domain in ["", ".a", "a:b", "-longer-than-netbios", "longer than netbios"] {
            check(&format!("{domain}\\user"), &[no_domain]);
        }
        check(
            &format!("{}\\user", "a.".repeat(127) + "aa"),
            &["runAsUserName's Domain length must be under 256 characters"],
        );
    }

    #[test]
    fn user_names_have_no_special_characters() {
        let special = r#"runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]"#;
        check("a@b", &[special]);
        check("..", &["runAsUserName's User cannot contain only periods or spaces"]);
        check("a\\", &["runAsUserName's User cannot be empty"]);
        check("a\\b\\c", &["runAsUserName cannot contain more than one backslash"]);
        check("a\tb", &["runAsUserName cannot contain control characters"]);
        check(&"a".repeat(105), &["runAsUserName's User length must not be longer than 104 characters"]);
    }
}
