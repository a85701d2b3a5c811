//! The ranges of ServiceCIDRs, from which services are given addresses.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use sprag_rest::meta;
use sprag_value::Value;

use super::allocate::{MIN_IPV6_BITS, bits, family_of, usable};
use crate::core::ip::{Cidr, parse_ip};

/// The stored ServiceCIDRs. Clones share them. Before it follows a store, services get addresses of the ranges of the flags.
// As upstream's ipallocator.MetaAllocator.
#[derive(Clone, Debug, Default)]
pub struct ServiceCidrs(Arc<RwLock<Option<BTreeMap<String, Known>>>>);

/// A ServiceCIDR.
#[derive(Debug)]
struct Known {
    cidrs: Vec<Cidr>,
    is_ready: bool,
}

impl Known {
    fn new(object: &Value) -> Known {
        let cidrs = object.lookup(&["spec", "cidrs"]).and_then(Value::as_array).into_iter().flatten();
        let cidrs = cidrs.filter_map(Value::as_str).filter_map(Cidr::parse_sloppy);
        // As upstream's NewIPAllocator, which refuses larger ranges.
        let is_usable = |cidr: &Cidr| cidr.address.is_ipv4() || cidr.bits >= MIN_IPV6_BITS;
        Known { cidrs: cidrs.filter(is_usable).collect(), is_ready: is_ready(object) }
    }
}

impl ServiceCidrs {
    /// The ranges of a family that are ready; `None` if ServiceCIDRs are not known.
    pub(super) fn ready(&self, family: &str) -> Option<Vec<Cidr>> {
        self.cidrs(family, |known| known.is_ready)
    }

    /// All ranges of a family; `None` if ServiceCIDRs are not known.
    pub(super) fn all(&self, family: &str) -> Option<Vec<Cidr>> {
        self.cidrs(family, |_| true)
    }

    fn cidrs(&self, family: &str, picks: impl Fn(&Known) -> bool) -> Option<Vec<Cidr>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let picked = known.as_ref()?.values().filter(|known| picks(known));
        let cidrs = picked.flat_map(|known| known.cidrs.iter().copied());
        Some(cidrs.filter(|cidr| family_of(cidr.address) == family).collect())
    }

    /// True if others have all ranges of one of them, as ranges of theirs or parts of them.
    // As the first part of upstream's servicecidrs.Controller.canDeleteCIDR.
    pub fn is_within_others(&self, name: &str) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = known.as_ref() else { return false };
        let own = known.get(name).into_iter().flat_map(|it| &it.cidrs);
        let others = || known.iter().filter(|(other, _)| *other != name).flat_map(|(_, it)| &it.cidrs);
        own.into_iter().all(|own| others().any(|other| other.bits <= own.bits && other.contains(own.address)))
    }

    /// True if an address is one of this, and of no other.
    // As upstream's servicecidr.ContainsAddress, with one result.
    pub fn alone_has(&self, name: &str, address: &str) -> bool {
        let Some(address) = parse_ip(address) else { return false };
        let has = |range: &Cidr| {
            let (first, last) = usable(*range);
            family_of(range.address) == family_of(address) && (first..=last).contains(&bits(address))
        };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut having = known.iter().flatten().filter(|(_, it)| it.cidrs.iter().any(has)).map(|(name, _)| name);
        having.next().is_some_and(|it| it == name) && having.next().is_none()
    }

    /// Replaces all with the stored ones, by name.
    pub fn replace<'v>(&self, objects: impl IntoIterator<Item = (&'v str, &'v Value)>) {
        let known = objects.into_iter().map(|(name, object)| (name.to_owned(), Known::new(object))).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }

    /// Updates or removes one.
    pub fn set(&self, name: &str, object: Option<&Value>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        match object {
            Some(object) => drop(known.insert(name.to_owned(), Known::new(object))),
            None => drop(known.remove(name)),
        }
    }
}

/// As upstream's `ipallocator.isReady`: without a condition it is, as nobody may be there to set one.
fn is_ready(object: &Value) -> bool {
    let conditions = object.lookup(&["status", "conditions"]).and_then(Value::as_array).into_iter().flatten();
    let text = |condition: &Value, member: &str| condition.get(member).and_then(Value::as_str).map(str::to_owned);
    let mut ready = conditions.filter(|condition| text(condition, "type").as_deref() == Some("Ready"));
    !meta::is_deleting(object) && ready.next().is_none_or(|it| text(it, "status").as_deref() == Some("True"))
}
