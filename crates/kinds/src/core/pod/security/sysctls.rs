//! Kernel parameters of pods.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::List;

use super::super::PodOptions;
use super::super::seen::Seen;
use crate::views::core_v1::{PodSpec, Sysctl};

const MAX_NAME: usize = 253;
const NOT_A_NAME: &str = "must have at most 253 characters and match regex \
    ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

/// Parameters that belong to the namespace of inter-process communication, as upstream's `sysctl.nameToNamespace`.
const IPC_NAMES: &[&str] = &[
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.shm",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.msg",
];

/// As upstream's `validation.validateSysctls`.
pub(super) fn validate_sysctls(
    sysctls: List<'_, Sysctl<'_>>,
    spec: PodSpec<'_>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let mut names = Seen::new();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let item = at.index(index);
        let name = sysctl.name();
        let at = item.child("name");
        let is_new = names.insert(name);
        if sysctl.check_name(&item, errors) {
            // There is nothing else to say about it.
        } else if name.len() > MAX_NAME || !name.split(['.', '/']).all(is_segment) {
            errors.push(Error::invalid(&at, name, NOT_A_NAME));
        } else if !is_new {
            errors.push(Error::duplicate(&at, name));
        }
        if !options.allow_namespaced_sysctls_for_host_net_and_host_ipc {
            validate_host_sysctl(name, spec, &at, errors);
        }
    }
}

fn is_segment(text: &str) -> bool {
    let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let text = text.as_bytes();
    let is_inner = |byte: &u8| is_edge(Some(byte)) || matches!(byte, b'-' | b'_');
    is_edge(text.first()) && is_edge(text.last()) && text.iter().all(is_inner)
}

/// Tells if a sysctl of the pod belongs to a namespace that it shares with the host, for which upstream's
/// `validation.ValidateHostSysctl` fails.
pub(crate) fn has_host_sysctl(spec: PodSpec<'_>) -> bool {
    let is_host = |name: &str| spec.host_network() && has_prefix(name, "net.") || spec.host_ipc() && is_ipc(name);
    spec.security_context().is_some_and(|context| context.sysctls().iter().any(|sysctl| is_host(sysctl.name())))
}

/// As upstream's `validation.ValidateHostSysctl`.
fn validate_host_sysctl(name: &str, spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if spec.host_network() && has_prefix(name, "net.") {
        errors.push(Error::invalid(at, name, "may not be specified when 'hostNetwork' is true"));
    } else if spec.host_ipc() && is_ipc(name) {
        errors.push(Error::invalid(at, name, "may not be specified when 'hostIPC' is true"));
    }
}

fn is_ipc(name: &str) -> bool {
    IPC_NAMES.iter().any(|known| known.len() == plain_len(name) && has_prefix(name, known))
        || has_prefix(name, "fs.mqueue.")
}

/// The bytes before a `*`, at which upstream's `sysctl.GetNamespace` cuts.
fn plain_len(name: &str) -> usize {
    name.find('*').unwrap_or(name.len())
}

/// Tells how a name starts, read as upstream's `sysctl.NormalizeName` writes it: in one whose first separator is a slash,
/// slashes and dots change places.
fn has_prefix(name: &str, prefix: &str) -> bool {
    let is_swapped = name.bytes().find(|byte| matches!(byte, b'.' | b'/')) == Some(b'/');
    let plain = |byte: u8| match byte {
        b'.' if is_swapped => b'/',
        b'/' if is_swapped => b'.',
        byte => byte,
    };
    let name = &name.as_bytes()[..plain_len(name)];
    name.len() >= prefix.len() && name.iter().zip(prefix.bytes()).all(|(byte, wanted)| plain(*byte) == wanted)
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use sprag_checks::Request;

    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        let list = json::parse(format!(r#"[{{"name":"{name}"}}]"#).as_bytes()).unwrap();
        let spec = json::parse(br#"{"hostNetwork":true,"hostIPC":true}"#).unwrap();
        let options = PodOptions::default();
        let mut errors = Errors::new();
        validate_sysctls(
            View::view(Some(&list)),
            View::view(Some(&spec)),
            &At::root(&Request::create()).child("s"),
            &options,
            &mut errors,
        );
        let details: Vec<&str> = errors.iter().map(|error| error.detail.as_ref()).collect();
        assert_eq!(details.join(" + "), expected, "{name}");
    }

    #[test]
    fn namespaced_parameters_need_a_namespace_of_the_pod() {
        let (net, ipc) =
            ("may not be specified when 'hostNetwork' is true", "may not be specified when 'hostIPC' is true");
        check("net.ipv4.ip_forward", net);
        check("net/ipv4/conf/eno2.100/rp_filter", net);
        check("network.a", "");
        check("kernel.shm_rmid_forced", ipc);
        check("kernel/msgmax", ipc);
        check("fs.mqueue.msg_max", ipc);
        check("kernel.shmx", "");
        check("kernel.domainname", "");
        check("kernel.shm*", &format!("{NOT_A_NAME} + {ipc}"));
        check("net.*", &format!("{NOT_A_NAME} + {net}"));
    }

    #[test]
    fn names_have_segments_between_dots_or_slashes() {
        for name in ["a", "a/b.c", "a-_b.c0"] {
            check(name, "");
        }
        for name in [".a", "a..b", "a-", "A", "_a", "a b"] {
            check(name, NOT_A_NAME);
        }
    }
}
