//! Rules of changes.

use sprag_field::{BadValue, Error, Errors, Path};

use super::spec::texts;
use super::{EXTERNAL_NAME, LOAD_BALANCER, SINGLE_STACK, is_headless, needs_health_check};
use crate::core::pod::validate_qualified_name;
use crate::views::core_v1::{Service, ServiceSpec};

const MAY_NOT_CHANGE: &str = "may not change once set";

/// As upstream's `validation.ValidateServiceUpdate`, without metadata and the rules that new services have, too.
pub(super) fn validate_update(new: Service<'_>, old: Service<'_>, errors: &mut Errors) {
    let new = new.spec();
    let old = old.spec();
    if new.kind() != EXTERNAL_NAME && old.kind() != EXTERNAL_NAME {
        validate_changed_ips(new, old, errors);
        validate_changed_families(new, old, errors);
    }
    let at = Path::new("spec");
    if [new, old].iter().all(|spec| spec.kind() == LOAD_BALANCER)
        && new.load_balancer_class() != old.load_balancer_class()
    {
        let class = new.load_balancer_class().map_or(BadValue::Nil, BadValue::json_str);
        errors.push(Error::invalid(&at.child("loadBalancerClass"), class, MAY_NOT_CHANGE));
    }
    validate_load_balancer_class(new, errors);
    if needs_health_check(old)
        && needs_health_check(new)
        && new.health_check_node_port() != old.health_check_node_port()
    {
        errors.push(Error::forbidden(&at.child("healthCheckNodePort"), "field is immutable"));
    }
}

/// As upstream's `validation.validateLoadBalancerClassField` of a new service.
pub(super) fn validate_load_balancer_class(spec: ServiceSpec<'_>, errors: &mut Errors) {
    let (Some(class), at) = (spec.load_balancer_class(), Path::new("spec")) else { return };
    let at = at.child("loadBalancerClass");
    if spec.kind() == LOAD_BALANCER {
        validate_qualified_name(class, &at, errors);
    } else {
        errors.push(Error::forbidden(&at, "may only be used when `type` is 'LoadBalancer'"));
    }
}

/// As upstream's `validation.validateUpgradeDowngradeClusterIPs`.
fn validate_changed_ips(new: ServiceSpec<'_>, old: ServiceSpec<'_>, errors: &mut Errors) {
    if is_headless(old) && is_headless(new) {
        return;
    }
    let ips = new.cluster_ips();
    let old_ips = old.cluster_ips();
    let at = Path::new("spec");
    let at_ips = at.child("clusterIPs");
    let mut refuse = |index: usize, detail: &'static str| {
        errors.push(Error::invalid(&at_ips.index(index), texts(new, "clusterIPs"), detail));
    };
    if ips.len() == old_ips.len() {
        for (index, _) in ips.iter().zip(old_ips.iter()).enumerate().filter(|(_, (ip, old))| ip != old) {
            refuse(index, MAY_NOT_CHANGE);
        }
        return;
    }
    if ips.is_empty() {
        refuse(0, "primary clusterIP can not be unset");
    }
    if !ips.is_empty() && !old_ips.is_empty() && ips.get(0) != old_ips.get(0) {
        refuse(0, MAY_NOT_CHANGE);
    }
    if ips.len() == 1 && old_ips.len() > 1 && new.ip_family_policy() != Some(SINGLE_STACK) {
        refuse_policy(new, "must be set to 'SingleStack' when releasing the secondary clusterIP", errors);
    }
}

/// As upstream's `validation.validateUpgradeDowngradeIPFamilies`.
fn validate_changed_families(new: ServiceSpec<'_>, old: ServiceSpec<'_>, errors: &mut Errors) {
    if is_headless(new) || is_headless(old) {
        return;
    }
    let families = new.ip_families();
    let old_families = old.ip_families();
    let at = Path::new("spec");
    let at_families = at.child("ipFamilies");
    // Upstream names the first family, whichever it is about, and shows cluster IPs where one was added or released.
    let mut refuse = |member: &str, detail: &'static str| {
        errors.push(Error::invalid(&at_families.index(0), texts(new, member), detail));
    };
    if families.len() == old_families.len() {
        let changed = families.iter().zip(old_families.iter()).filter(|(family, old)| family != old);
        changed.for_each(|_| refuse("ipFamilies", MAY_NOT_CHANGE));
        return;
    }
    let is_released = families.len() < old_families.len();
    if is_released && new.cluster_ips().is_empty() {
        refuse("ipFamilies", "primary ipFamily can not be unset");
    }
    if !families.is_empty() && !old_families.is_empty() && families.get(0) != old_families.get(0) {
        refuse("clusterIPs", MAY_NOT_CHANGE);
    }
    if is_released && families.len() == 1 && new.ip_family_policy() != Some(SINGLE_STACK) {
        refuse_policy(new, "must be set to 'SingleStack' when releasing the secondary ipFamily", errors);
    }
}

fn refuse_policy(spec: ServiceSpec<'_>, detail: &'static str, errors: &mut Errors) {
    let at = Path::new("spec");
    let policy = spec.ip_family_policy().map_or(BadValue::Nil, BadValue::json_str);
    errors.push(Error::invalid(&at.child("ipFamilyPolicy"), policy, detail));
}
