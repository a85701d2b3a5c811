//! Families of addresses: what a service gets that does not name them, and what the cluster cannot give.

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_value::Value;

use super::allocate::ServiceRanges;
use super::cluster_ips::{is_ipv4_text, is_ipv6_text, validate_cluster_ips};
use super::spec::texts;
use super::{
    CLUSTER_IP, EXTERNAL_NAME, IPV4, IPV6, LOAD_BALANCER, NODE_PORT, NONE, PREFER_DUAL_STACK, REQUIRE_DUAL_STACK,
    SINGLE_STACK, spec_view, strings,
};
use crate::core::ip::LegacyIps;
use crate::views::core_v1::ServiceSpec;

/// As upstream's `storage.Allocators.initIPFamilyFields`.
pub(super) fn init(
    ranges: &ServiceRanges,
    spec: &mut Value,
    old: Option<ServiceSpec<'_>>,
    rules: LegacyIps,
    errors: &mut Errors,
) {
    if spec_view(spec).kind() == EXTERNAL_NAME || stays_as_it_is(spec_view(spec), old) {
        return;
    }
    if spec_view(spec).ip_family_policy().is_none() {
        let policy = default_policy(spec_view(spec), old).to_owned();
        spec.insert("ipFamilyPolicy", policy);
    }
    validate_cluster_ips(spec_view(spec), old, rules, errors);
    if !errors.is_empty() {
        return;
    }
    if let Some(old) = old {
        release(spec, old, errors);
    }
    validate_single_stack(spec_view(spec), errors);
    infer(ranges, spec, errors);
    if !errors.is_empty() {
        return;
    }
    let is_selected = !spec_view(spec).selector().is_empty();
    if spec_view(spec).cluster_ip() == NONE && !is_selected {
        // A service without addresses and endpoints of its own may have families that the cluster has not.
        return complete(spec, ranges.default_family(), true);
    }
    validate_configured(ranges, spec_view(spec), errors);
    if errors.is_empty() {
        complete(spec, ranges.default_family(), ranges.is_dual_stack());
    }
}

/// As upstream's `storage.isMatchingPreferDualStackClusterIPFields`: a service that only prefers two families neither gains nor
/// loses one because the cluster did.
pub(super) fn stays_as_it_is(spec: ServiceSpec<'_>, old: Option<ServiceSpec<'_>>) -> bool {
    old.is_some_and(|old| {
        old.kind() == spec.kind()
            && matches!(spec.kind(), CLUSTER_IP | NODE_PORT | LOAD_BALANCER)
            && spec.ip_family_policy() == Some(PREFER_DUAL_STACK)
            && old.ip_family_policy().is_none_or(|policy| policy == PREFER_DUAL_STACK)
            && spec.cluster_ips().iter().eq(old.cluster_ips().iter())
            && spec.ip_families().iter().eq(old.ip_families().iter())
    })
}

fn default_policy<'v>(spec: ServiceSpec<'_>, old: Option<ServiceSpec<'v>>) -> &'v str {
    if let Some(policy) = old.and_then(|old| old.ip_family_policy()) {
        return policy;
    }
    let is_unselected = spec.cluster_ip() == NONE && spec.selector().is_empty();
    if is_unselected { REQUIRE_DUAL_STACK } else { SINGLE_STACK }
}

fn policy(spec: ServiceSpec<'_>) -> &str {
    spec.ip_family_policy().unwrap_or_default()
}

fn refuse_policy(spec: ServiceSpec<'_>, detail: &'static str, errors: &mut Errors) {
    let at = Path::new("spec");
    errors.push(Error::invalid(&at.child("ipFamilyPolicy"), BadValue::json_str(policy(spec)), detail));
}

/// Drops what a service with one family has no use for; one with two has to say that it wants one.
fn release(spec: &mut Value, old: ServiceSpec<'_>, errors: &mut Errors) {
    let ips = strings(spec_view(spec).cluster_ips());
    let families = strings(spec_view(spec).ip_families());
    let old_ips = strings(old.cluster_ips());
    let old_families = strings(old.ip_families());
    if policy(spec_view(spec)) == SINGLE_STACK {
        let lists = [("clusterIPs", ips, old_ips), ("ipFamilies", families, old_families)];
        for (member, new, old) in lists {
            if new == old && new.len() > 1 {
                spec.insert(member, new.iter().take(1).map(String::as_str).collect::<Value>());
            }
        }
        return;
    }
    let is_reduced = |new: &[String], old: &[String]| !new.is_empty() && new.len() < old.len();
    if is_reduced(&ips, &old_ips) {
        refuse_policy(spec_view(spec), "must be 'SingleStack' to release the secondary cluster IP", errors);
    }
    if is_reduced(&families, &old_families) {
        refuse_policy(spec_view(spec), "must be 'SingleStack' to release the secondary IP family", errors);
    }
}

fn validate_single_stack(spec: ServiceSpec<'_>, errors: &mut Errors) {
    if policy(spec) != SINGLE_STACK {
        return;
    }
    let detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified";
    if spec.cluster_ips().len() == 2 {
        refuse_policy(spec, detail, errors);
    }
    let detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
    if spec.ip_families().len() == 2 {
        refuse_policy(spec, detail, errors);
    }
}

/// Adds the families of addresses that have none beside them.
fn infer(ranges: &ServiceRanges, spec: &mut Value, errors: &mut Errors) {
    let ips = strings(spec_view(spec).cluster_ips());
    let mut families = strings(spec_view(spec).ip_families());
    let given = families.len();
    let at = Path::new("spec");
    let at = at.child("clusterIPs");
    for (index, ip) in ips.iter().enumerate().take_while(|(_, ip)| *ip != NONE) {
        let family = match ip.as_str() {
            ip if is_ipv4_text(ip) => IPV4,
            ip if is_ipv6_text(ip) => IPV6,
            _ => "unknown",
        };
        // Upstream looks at families that it has added so far.
        if index < families.len() {
            continue;
        }
        if ranges.has(family) {
            families.push(family.to_owned());
        } else {
            let detail = format!("{family} is not configured on this cluster");
            errors.push(Error::invalid(&at.index(index), texts(spec_view(spec), "clusterIPs"), detail));
        }
    }
    if families.len() > given {
        spec.insert("ipFamilies", families.iter().map(String::as_str).collect::<Value>());
    }
}

fn validate_configured(ranges: &ServiceRanges, spec: ServiceSpec<'_>, errors: &mut Errors) {
    if policy(spec) == REQUIRE_DUAL_STACK && !ranges.is_dual_stack() {
        refuse_policy(spec, "this cluster is not configured for dual-stack services", errors);
    }
    let at = Path::new("spec");
    let at = at.child("ipFamilies");
    for (index, family) in spec.ip_families().iter().enumerate().filter(|(_, family)| !ranges.has(family)) {
        let bad = BadValue::json_str(family);
        errors.push(Error::invalid(&at.index(index), bad, "not configured on this cluster"));
    }
}

/// Adds the default IP family if none is set, and the second one where two are wanted and possible.
fn complete(spec: &mut Value, default: &str, has_both: bool) {
    let mut families = strings(spec_view(spec).ip_families());
    if families.is_empty() {
        families.push(default.to_owned());
    }
    if families.len() == 1 && has_both && policy(spec_view(spec)) != SINGLE_STACK {
        let other = if families[0] == IPV4 { IPV6 } else { IPV4 };
        families.push(other.to_owned());
    }
    spec.insert("ipFamilies", families.iter().map(String::as_str).collect::<Value>());
}
