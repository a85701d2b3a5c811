//! Rules of cluster IPs and their families.

use sprag_field::{BadValue, Error, Errors, Path};

use super::spec::texts;
use super::{EXTERNAL_NAME, IPV4, IPV6, NONE, PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK, is_headless};
use crate::core::ip::{LegacyIps, is_ipv4, parse_ip, validate_ip};
use crate::core::pod::Seen;
use crate::views::core_v1::ServiceSpec;

const FAMILIES: &[&str] = &[IPV4, IPV6];
const FAMILY_POLICIES: &[&str] = &[PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK];

/// As upstream's `validation.ValidateServiceClusterIPsRelatedFields`.
pub(super) fn validate_cluster_ips(
    spec: ServiceSpec<'_>,
    old: Option<ServiceSpec<'_>>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    if spec.kind() == EXTERNAL_NAME {
        return;
    }
    let at = Path::new("spec");
    let at_ips = at.child("clusterIPs");
    validate_singular(spec, &at_ips, errors);
    validate_families(spec, &at, errors);
    let has_bad = validate_addresses(spec, old, rules, &at_ips, errors);
    let ips = spec.cluster_ips();
    if ips.len() > 2 {
        errors.push(Error::invalid(&at_ips, texts(spec, "clusterIPs"), "may only hold up to 2 values"));
    }
    if has_bad {
        return;
    }
    let is_dual = ips.iter().any(is_ipv4_text) && ips.iter().any(|ip| !is_ipv4_text(ip));
    if ips.len() > 1 && !is_dual {
        let detail = "may specify no more than one IP for each IP family";
        errors.push(Error::invalid(&at_ips, texts(spec, "clusterIPs"), detail));
    }
    if is_headless(spec) {
        return;
    }
    for (index, (ip, family)) in ips.iter().zip(spec.ip_families().iter()).enumerate() {
        let is_expected = match family {
            IPV4 => !is_ipv6_text(ip),
            IPV6 => is_ipv6_text(ip),
            _ => true,
        };
        if !is_expected {
            let detail = format!("expected an {family} value as indicated by `ipFamilies[{index}]`");
            errors.push(Error::invalid(&at_ips.index(index), ip, detail));
        }
    }
}

/// As upstream's `netutils.IsIPv4String`.
pub(super) fn is_ipv4_text(ip: &str) -> bool {
    parse_ip(ip).is_some_and(is_ipv4)
}

/// As upstream's `netutils.IsIPv6String`.
pub(super) fn is_ipv6_text(ip: &str) -> bool {
    parse_ip(ip).is_some_and(|ip| !is_ipv4(ip))
}

/// The field for one address and that for several say the same.
fn validate_singular(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let ip = spec.cluster_ip();
    let ips = spec.cluster_ips();
    let invalid = |detail: &'static str| Error::invalid(at, texts(spec, "clusterIPs"), detail);
    match ips.get(0) {
        None if !ip.is_empty() => errors.push(Error::required(at, "")),
        Some(_) if ip.is_empty() => errors.push(invalid("must be empty when `clusterIP` is not specified")),
        Some(first) if first != ip => errors.push(invalid("first value must match `clusterIP`")),
        _ => {}
    }
}

fn validate_families(spec: ServiceSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let mut seen = Seen::new();
    let at_families = at.child("ipFamilies");
    for (index, family) in spec.ip_families().iter().enumerate() {
        let at = at_families.index(index);
        if !FAMILIES.contains(&family) {
            errors.push(Error::not_supported(&at, BadValue::json_str(family), FAMILIES));
        }
        if !seen.insert(family) {
            errors.push(Error::duplicate(&at, BadValue::json_str(family)));
        }
    }
    if let Some(policy) = spec.ip_family_policy().filter(|policy| !FAMILY_POLICIES.contains(policy)) {
        let bad = BadValue::json_str(policy);
        errors.push(Error::not_supported(&at.child("ipFamilyPolicy"), bad, FAMILY_POLICIES));
    }
}

/// Judges addresses one by one, but for those that the old service has. Tells if one is not an address.
fn validate_addresses(
    spec: ServiceSpec<'_>,
    old: Option<ServiceSpec<'_>>,
    rules: LegacyIps,
    at: &Path<'_>,
    errors: &mut Errors,
) -> bool {
    let ips = spec.cluster_ips();
    let mut has_bad = false;
    for (index, ip) in ips.iter().enumerate() {
        if index == 0 && ip == NONE {
            if ips.len() > 1 {
                has_bad = true;
                let detail = "'None' must be the first and only value";
                errors.push(Error::invalid(at, texts(spec, "clusterIPs"), detail));
            }
            continue;
        }
        let mark = errors.len();
        if old.is_none_or(|old| old.cluster_ips().iter().all(|known| known != ip)) {
            validate_ip(ip, rules, &at.index(index), errors);
        }
        has_bad |= errors.len() > mark;
    }
    has_bad
}
