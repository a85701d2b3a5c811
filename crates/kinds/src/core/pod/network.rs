//! Networking of pods: DNS, hosts, names, host networking, addresses in the status.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Value;
use sprag_value::view::List;

use super::PodOptions;
use crate::core::internal::{Field, Form, internal_value};
use crate::core::ip::{LegacyIps, is_ipv4, parse_ip, validate_ip};
use crate::views::core_v1::{HostAlias, PodDNSConfig, PodSpec, PodStatus};

const DNS_NONE: &str = "None";
const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCH_PATHS: usize = 32;
/// The bytes of all search paths with a space between each two.
const MAX_SEARCH_LIST: usize = 2048;
const MAX_SUBDOMAIN: usize = 253;
/// The bytes that a host name of the kernel can have.
const MAX_HOSTNAME_OVERRIDE: usize = 64;

/// `core.PodIP` and `core.HostIP`.
const IP_FIELDS: &[Field] = &[("IP", "ip", Form::Text)];

const NOT_A_SEARCH_PATH: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' \
    or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
    '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

/// As upstream's `validation.validatePodDNSConfig`; `at` is the path of the spec.
pub(crate) fn validate_dns(spec: PodSpec<'_>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    match spec.dns_config() {
        Some(config) => validate_dns_config(config, spec.dns_policy(), &at.child("dnsConfig"), options, errors),
        None if spec.dns_policy() == DNS_NONE => drop(spec.check_dns_config(at, errors)),
        None => {}
    }
}

fn validate_dns_config(
    config: PodDNSConfig<'_>,
    policy: &str,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    if policy == DNS_NONE && config.nameservers().is_empty() {
        let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        return errors.push(Error::required(&at.child("nameservers"), detail));
    }
    validate_nameservers(config.nameservers(), &at.child("nameservers"), options.ips, errors);
    validate_searches(config.searches(), &at.child("searches"), errors);
    let options = at.child("options");
    for (index, _) in config.options().iter().enumerate().filter(|(_, option)| option.name().is_empty()) {
        errors.push(Error::required(&options.index(index), "must not be empty"));
    }
}

fn validate_nameservers(servers: List<'_, &str>, at: &Path<'_>, rules: LegacyIps, errors: &mut Errors) {
    if servers.len() > MAX_NAMESERVERS {
        let detail = format!("must not have more than {MAX_NAMESERVERS} nameservers");
        errors.push(Error::invalid(at, texts(servers), detail));
    }
    for (index, server) in servers.iter().enumerate() {
        validate_ip(server, rules, &at.index(index), errors);
    }
}

fn validate_searches(searches: List<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    if searches.len() > MAX_SEARCH_PATHS {
        let detail = format!("must not have more than {MAX_SEARCH_PATHS} search paths");
        errors.push(Error::invalid(at, texts(searches), detail));
    }
    let bytes = searches.iter().map(|search| search.len() + 1).sum::<usize>().saturating_sub(1);
    if bytes > MAX_SEARCH_LIST {
        let detail =
            format!("must not have more than {MAX_SEARCH_LIST} characters (including spaces) in the search list");
        errors.push(Error::invalid(at, texts(searches), detail));
    }
    for (index, search) in searches.iter().enumerate().filter(|(_, search)| *search != ".") {
        validate_search_path(search.strip_suffix('.').unwrap_or(search), &at.index(index), errors);
    }
}

/// As upstream's `validation.ValidateDNS1123SubdomainWithUnderScore`.
fn validate_search_path(search: &str, at: &Path<'_>, errors: &mut Errors) {
    if search.len() > MAX_SUBDOMAIN {
        let detail = format!("must be no more than {MAX_SUBDOMAIN} characters");
        errors.push(Error::invalid(at, search, detail));
    }
    if !search.split('.').all(is_label_with_underscores) {
        errors.push(Error::invalid(at, search, NOT_A_SEARCH_PATH));
    }
}

fn is_label_with_underscores(label: &str) -> bool {
    let label = label.strip_prefix('_').unwrap_or(label).as_bytes();
    let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_inner = |byte: &u8| is_edge(Some(byte)) || matches!(byte, b'-' | b'_');
    is_edge(label.first()) && is_edge(label.last()) && label.iter().all(is_inner)
}

fn texts(list: List<'_, &str>) -> BadValue {
    let list: Value = list.values().iter().cloned().collect();
    internal_value(Some(&list), Form::Plain)
}

/// As upstream's `validation.ValidateHostAliases`.
pub(crate) fn validate_host_aliases(
    aliases: List<'_, HostAlias<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    for (index, alias) in aliases.iter().enumerate() {
        let at = at.index(index);
        validate_ip(alias.ip(), options.ips, &at.child("ip"), errors);
        alias.check_hostnames(&at, errors);
    }
}

/// As upstream's `validation.validatePodHostName`, about `hostnameOverride`; `at` is the path of the spec.
pub(crate) fn validate_hostname_override(spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let Some(hostname) = spec.hostname_override() else { return };
    let parent = at;
    let at = at.child("hostnameOverride");
    if spec.set_hostname_as_fqdn() == Some(true) {
        errors.push(Error::forbidden(&at, "may not be specified when setHostnameAsFQDN is true"));
    }
    if spec.host_network() {
        errors.push(Error::forbidden(&at, "may not be specified when hostNetwork is true"));
    }
    if hostname.len() > MAX_HOSTNAME_OVERRIDE {
        errors.push(Error::too_long(&at, 64));
    }
    spec.check_hostname_override(parent, errors);
}

/// As upstream's `validation.validatePodHostNetworkDeps`; `at` is the path of the spec.
pub(crate) fn validate_host_network(spec: PodSpec<'_>, at: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    if !spec.host_network() {
        return;
    }
    let containers = at.child("containers");
    for (index, container) in spec.containers().iter().enumerate() {
        let container_path = containers.index(index);
        let ports = container_path.child("ports");
        for (index, port) in container.ports().iter().enumerate() {
            let host_port = port.host_port();
            // Templates may leave it out: it is set when a pod is made.
            let is_judged = options.resource_is_pod || host_port != 0;
            if is_judged && host_port != port.container_port() {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                errors.push(Error::invalid(&ports.index(index).child("hostPort"), host_port, detail));
            }
        }
    }
}

/// As upstream's `validation.validatePodIPs`; `at` is the path of the status, `old` the status before an update.
pub(crate) fn validate_pod_ips(
    new: PodStatus<'_>,
    old: Option<PodStatus<'_>>,
    at: &Path<'_>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    let at = at.child("podIPs");
    let ips = new.pod_ips();
    let old = old.map(PodStatus::pod_ips);
    let is_old = |ip: &str| old.is_some_and(|old| old.iter().any(|old| old.ip() == ip));
    validate_new_ips(ips.iter().map(|ip| ip.ip()), &is_old, &at, rules, errors);
    validate_families(ips.iter().map(|ip| ip.ip()), new.as_value().get("podIPs"), &at, errors);
    let first = ips.get(0).map(|ip| ip.ip());
    if new.pod_ip().is_empty() == first.is_some() {
        let detail = "podIP and podIPs must either both be set or both be unset";
        let value = internal_value(new.as_value().get("podIPs"), Form::Structs(IP_FIELDS));
        errors.push(Error::invalid(&at, value, detail));
    } else if let Some(first) = first.filter(|first| *first != new.pod_ip()) {
        errors.push(Error::invalid(&at.index(0).child("ip"), first, "must be equal to `podIP`"));
    }
}

/// As upstream's `validation.validateHostIPs`; `at` is the path of the status, `old` the status before an update.
pub(crate) fn validate_host_ips(
    new: PodStatus<'_>,
    old: Option<PodStatus<'_>>,
    at: &Path<'_>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    let at = at.child("hostIPs");
    let ips = new.host_ips();
    let Some(first) = ips.get(0).map(|ip| ip.ip()) else { return };
    if first != new.host_ip() {
        errors.push(Error::invalid(&at.index(0).child("ip"), first, "must be equal to `hostIP`"));
    }
    let old = old.map(PodStatus::host_ips);
    let is_old = |ip: &str| old.is_some_and(|old| old.iter().any(|old| old.ip() == ip));
    validate_new_ips(ips.iter().map(|ip| ip.ip()), &is_old, &at, rules, errors);
    validate_families(ips.iter().map(|ip| ip.ip()), new.as_value().get("hostIPs"), &at, errors);
}

/// Refuses addresses that cannot be read, unless the old object has them.
fn validate_new_ips<'v>(
    ips: impl Iterator<Item = &'v str>,
    is_old: &dyn Fn(&str) -> bool,
    at: &Path<'_>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    for (index, ip) in ips.enumerate().filter(|(_, ip)| !is_old(ip)) {
        validate_ip(ip, rules, &at.index(index), errors);
    }
}

/// Refuses more than one address of a family; `shown` is the list that the error shows.
fn validate_families<'v>(
    ips: impl ExactSizeIterator<Item = &'v str>,
    shown: Option<&Value>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let count = ips.len();
    if count < 2 {
        return;
    }
    let mut old_family = false;
    let mut new_family = false;
    for (index, ip) in ips.enumerate() {
        match parse_ip(ip).map(is_ipv4) {
            Some(true) => old_family = true,
            Some(false) => new_family = true,
            None => {
                let failure = format!("failed to check for dual stack with error:invalid IP[{index}]: {ip}");
                errors.push(Error::internal(at, failure));
                (old_family, new_family) = (false, false);
                break;
            }
        }
    }
    if count > 2 || !(old_family && new_family) {
        let value = internal_value(shown, Form::Structs(IP_FIELDS));
        errors.push(Error::invalid(at, value, "may specify no more than one IP for each IP family"));
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;
    use sprag_value::view::View;

    use super::*;

    #[track_caller]
    fn check(object: &str, judge: impl Fn(&Value, &mut Errors), expected: &[&str]) {
        let object = json::parse(object.as_bytes()).unwrap();
        let mut errors = Errors::new();
        judge(&object, &mut errors);
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
    }

    fn pod_ips(status: &Value, errors: &mut Errors) {
        validate_pod_ips(View::view(Some(status)), None, &Path::new("status"), LegacyIps::Strict, errors);
    }

    #[test]
    fn addresses_of_a_pod_are_one_of_each_family_and_start_with_the_single_one() {
        check(r#"{"podIP":"1.2.3.4","podIPs":[{"ip":"1.2.3.4"},{"ip":"::1"}]}"#, pod_ips, &[]);
        check(
            r#"{"podIP":"1.2.3.4"}"#,
            pod_ips,
            &["status.podIPs: Invalid value: null: podIP and podIPs must either both be set or both be unset"],
        );
        check(
            r#"{"podIP":"::1","podIPs":[{"ip":"::2"},{"ip":""}]}"#,
            pod_ips,
            &[
                "status.podIPs[1]: Invalid value: \"\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: ",
                "status.podIPs: Invalid value: [{\"IP\":\"::2\"},{\"IP\":\"\"}]: may specify no more than one IP for each IP family",
                "status.podIPs[0].ip: Invalid value: \"::2\": must be equal to `podIP`",
            ],
        );
    }

    #[test]
    fn addresses_that_were_there_are_kept() {
        let judge = |status: &Value, errors: &mut Errors| {
            let status: PodStatus<'_> = View::view(Some(status));
            validate_host_ips(status, Some(status), &Path::new("status"), LegacyIps::Strict, errors);
        };
        check(r#"{"hostIP":"01.2.3.4","hostIPs":[{"ip":"01.2.3.4"}]}"#, judge, &[]);
    }

    #[test]
    fn search_paths_may_have_underscores() {
        let judge = |config: &Value, errors: &mut Errors| {
            validate_dns_config(
                View::view(Some(config)),
                "ClusterFirst",
                &Path::new("c"),
                &PodOptions::default(),
                errors,
            );
        };
        check(r#"{"searches":[".","_sip._tcp.abc_d.example.com."]}"#, judge, &[]);
        for search in ["", "a..b", "__a", "a_", "-a", "A", "a.."] {
            let searches = format!(r#"{{"searches":["{search}"]}}"#);
            let shown = search.strip_suffix('.').unwrap_or(search);
            check(&searches, judge, &[&format!("c.searches[0]: Invalid value: \"{shown}\": {NOT_A_SEARCH_PATH}")]);
        }
    }

    #[test]
    fn templates_may_leave_host_ports_out() {
        let spec = r#"{"hostNetwork":true,"containers":[{"ports":[{"containerPort":1}]}]}"#;
        let judge = |resource_is_pod| {
            move |spec: &Value, errors: &mut Errors| {
                let options = PodOptions { resource_is_pod, ..PodOptions::default() };
                validate_host_network(View::view(Some(spec)), &Path::new("spec"), &options, errors);
            }
        };
        check(spec, judge(false), &[]);
        check(
            spec,
            judge(true),
            &[
                "spec.containers[0].ports[0].hostPort: Invalid value: 0: must match `containerPort` when `hostNetwork` is true",
            ],
        );
    }
}
