//! Addresses and ports that services are given.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sprag_field::{Error, Errors, Path};
use sprag_rest::{Allocation, Allocator, ApiError, Claim, GroupResource, Holder, Record, Records, Result, meta};
use sprag_value::{Object, Value};

use super::spec::texts;
use super::{
    EXTERNAL_NAME, IPV4, IPV6, NONE, ServiceCidrs, families, node_ports, normalize, service, spec_view, strings,
};
use crate::core::ip::{Cidr, LegacyIps, is_ipv4, parse_ip};
use crate::networking;
use crate::views::core_v1::ServiceSpec;

/// The ports that nodes open for services.
pub(super) const NODE_PORTS: &str = "nodePort";

/// The longest prefix of a range of IPv6 addresses is not limited; the shortest is.
pub(super) const MIN_IPV6_BITS: u8 = 64;

/// The label of addresses that says who made them, and its value.
const MANAGED_BY: (&str, &str) = ("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");
/// The label of addresses that says their family.
const FAMILY_LABEL: &str = "ipaddress.kubernetes.io/ip-family";
/// The resource of what addresses are given to.
const SERVICES: &str = "services";
/// The range object of ports.
const NODE_PORT_RANGE: &str = "servicenodeports";

/// The values that services are given: addresses of one or two families, and ports of nodes.
///
/// ```
/// use sprag_kinds::ServiceRanges;
///
/// let ranges = ServiceRanges::new("10.96.0.0/16,fd00::/108", "30000-32767")?;
/// assert_eq!(ranges.to_string(), "10.96.0.0/16,fd00::/108 30000-32767");
/// assert!(ServiceRanges::new("10.0.0.0/16,10.1.0.0/16", "30000-32767").is_err());
/// # Ok::<(), sprag_kinds::ServiceRangesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceRanges {
    /// The range of the family that services have by default, then that of the other one if the cluster has it.
    cluster_ips: Vec<Cidr>,
    node_ports: (u16, u16),
    /// False if services may ask for any address.
    is_limited: bool,
}

/// Errors of service ranges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceRangesError {
    /// A range of addresses is malformed.
    #[error(
        "{0:?} is not a range of addresses: write it like 10.0.0.0/16, or with one more of the other family behind a comma"
    )]
    ClusterIps(String),
    /// A range of ports is malformed.
    #[error("{0:?} is not a range of ports: write it like 30000-32767")]
    NodePorts(String),
}

impl Default for ServiceRanges {
    /// `10.0.0.0/16` and `30000-32767`.
    fn default() -> Self {
        let cluster_ips = vec![Cidr { address: IpAddr::from([10, 0, 0, 0]), bits: 16 }];
        ServiceRanges { cluster_ips, node_ports: (30_000, 32_767), is_limited: true }
    }
}

impl std::fmt::Display for ServiceRanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cluster_ips: Vec<String> = self.cluster_ips.iter().map(Cidr::to_string).collect();
        write!(f, "{} {}", cluster_ips.join(","), self.node_port_range())
    }
}

impl ServiceRanges {
    /// Those of a cluster that is not known: services may have both families and ask for any address.
    ///
    /// ```
    /// use sprag_kinds::ServiceRanges;
    /// use sprag_release::Release;
    ///
    /// let kinds = sprag_kinds::definitions_with(Release::default(), ServiceRanges::unknown());
    /// assert!(kinds.iter().any(|kind| kind.kind == "Service"));
    /// ```
    pub fn unknown() -> ServiceRanges {
        let mut ranges = ServiceRanges { is_limited: false, ..ServiceRanges::default() };
        ranges.cluster_ips.push(Cidr { address: IpAddr::from([0xfd00, 0, 0, 0, 0, 0, 0, 0]), bits: 108 });
        ranges
    }

    /// Reads ranges as the flags `--service-cluster-ip-range` and `--service-node-port-range` of upstream's server have them.
    pub fn new(cluster_ips: &str, node_ports: &str) -> std::result::Result<ServiceRanges, ServiceRangesError> {
        let refused = || ServiceRangesError::ClusterIps(cluster_ips.to_owned());
        let ranges: Option<Vec<Cidr>> = cluster_ips.split(',').map(|range| Cidr::parse(range.trim())).collect();
        let ranges = ranges.ok_or_else(refused)?;
        let is_usable = |range: &Cidr| {
            let is_sized =
                if range.address.is_ipv4() { range.bits <= 30 } else { (MIN_IPV6_BITS..=126).contains(&range.bits) };
            is_sized && range.address == range.network()
        };
        let is_repeated = ranges.len() > 1 && ranges[0].address.is_ipv4() == ranges[1].address.is_ipv4();
        if ranges.len() > 2 || is_repeated || !ranges.iter().all(is_usable) {
            return Err(refused());
        }
        let ports = node_ports.split_once('-').map(|(first, last)| (first.trim().parse(), last.trim().parse()));
        match ports {
            Some((Ok(first), Ok(last))) if 0 < first && first <= last => {
                Ok(ServiceRanges { cluster_ips: ranges, node_ports: (first, last), is_limited: true })
            }
            _ => Err(ServiceRangesError::NodePorts(node_ports.to_owned())),
        }
    }

    /// The first address of the first range, which is that of the `kubernetes` service.
    // As upstream's options.getServiceIPAndRanges.
    pub fn first_address(&self) -> IpAddr {
        let range = self.cluster_ips[0];
        let first = usable(range).0;
        match range.address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(first).unwrap_or(u32::MAX))),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from_bits(first)),
        }
    }

    /// The ranges of addresses, as the default ServiceCIDR has them.
    pub fn cidrs(&self) -> Vec<String> {
        self.cluster_ips.iter().map(Cidr::to_string).collect()
    }

    pub(super) fn has(&self, family: &str) -> bool {
        self.cluster_ips.iter().any(|range| family_of(range.address) == family)
    }

    pub(super) fn is_dual_stack(&self) -> bool {
        self.cluster_ips.len() > 1
    }

    /// The family that services have when they name none.
    pub(super) fn default_family(&self) -> &'static str {
        family_of(self.cluster_ips[0].address)
    }

    /// The first and the last port.
    pub(super) fn node_ports(&self) -> (u16, u16) {
        self.node_ports
    }

    pub(super) fn node_port_range(&self) -> String {
        format!("{}-{}", self.node_ports.0, self.node_ports.1)
    }
}

pub(super) fn family_of(address: IpAddr) -> &'static str {
    if is_ipv4(address) { IPV4 } else { IPV6 }
}

/// The value of an address, which sorts addresses of one family.
pub(super) fn bits(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The address of a value of a family.
fn address(family: &str, value: u128) -> IpAddr {
    match u32::try_from(value) {
        Ok(value) if family == IPV4 => IpAddr::V4(value.into()),
        _ => IpAddr::V6(value.into()),
    }
}

/// The addresses of a range that services can have: upstream leaves out the first one, and the last one of IPv4.
// As upstream's servicecidr.PrefixContainsIP. A range of one or two addresses may have none: then the last one is less than the first.
pub(super) fn usable(range: Cidr) -> (u128, u128) {
    let network = bits(range.network());
    let reserved = if range.address.is_ipv4() { 2 } else { 1 };
    (network + 1, (network + size(range)).saturating_sub(reserved))
}

/// The number of addresses of a range.
fn size(range: Cidr) -> u128 {
    let width = if range.address.is_ipv4() { 32 } else { 128 };
    1_u128.checked_shl(width - u32::from(range.bits)).unwrap_or(u128::MAX)
}

/// Gives services addresses and ports.
pub(super) struct ServiceAllocator {
    ranges: ServiceRanges,
    cidrs: ServiceCidrs,
    records: Records,
}

impl ServiceAllocator {
    pub(super) fn new(ranges: ServiceRanges, cidrs: ServiceCidrs) -> ServiceAllocator {
        let resource = GroupResource::new(networking::GROUP, "ipaddresses");
        let records = Records { resource, version: "v1", range: NODE_PORT_RANGE };
        ServiceAllocator { ranges, cidrs, records }
    }

    /// The ranges from which addresses of a family are given: those of ServiceCIDRs that are ready, and those of the flags where
    /// ServiceCIDRs are not followed.
    fn ready(&self, family: &str) -> Vec<Cidr> {
        self.cidrs.ready(family).unwrap_or_else(|| {
            self.ranges.cluster_ips.iter().copied().filter(|range| family_of(range.address) == family).collect()
        })
    }
}

impl Allocator for ServiceAllocator {
    fn held(&self, object: &Value) -> Vec<Claim> {
        let spec = service(object).spec();
        let addresses = spec.cluster_ips().iter().filter_map(parse_ip);
        let addresses = addresses.map(|address| Claim { pool: family_of(address), value: bits(address) });
        let ports = spec.ports().iter().map(|port| port.node_port()).chain([spec.health_check_node_port()]);
        addresses.chain(ports.filter_map(node_ports::claim)).collect()
    }

    fn records(&self) -> &Records {
        &self.records
    }

    // As upstream's ipallocator.Allocator.createIPAddress.
    fn record(&self, claim: Claim, holder: &Value) -> Record {
        if claim.pool == NODE_PORTS {
            return Record::Number(u32::try_from(claim.value).unwrap_or(u32::MAX));
        }
        let name = address(claim.pool, claim.value).to_string();
        let mut object = meta::bare("networking.k8s.io/v1", "IPAddress", &name);
        let labels = [(FAMILY_LABEL, Value::from(claim.pool)), (MANAGED_BY.0, Value::from(MANAGED_BY.1))];
        meta::set(&mut object, "labels", Object::from(labels));
        let parent = [
            ("name", Value::from(meta::name(holder))),
            ("namespace", Value::from(meta::namespace(holder))),
            ("resource", Value::from(SERVICES)),
        ];
        object.insert("spec", Object::from([("parentRef", Value::Object(Object::from(parent)))]));
        Record::Object(object)
    }

    fn numbered(&self, number: u32) -> Claim {
        Claim { pool: NODE_PORTS, value: number.into() }
    }

    fn named(&self, name: &str) -> Option<Claim> {
        let address = parse_ip(name)?;
        Some(Claim { pool: family_of(address), value: bits(address) })
    }

    // As upstream's controller.RepairIPAddress.isIPOutOfRange.
    fn is_allocatable(&self, claim: Claim) -> bool {
        if claim.pool == NODE_PORTS {
            let (first, last) = self.ranges.node_ports();
            return (u128::from(first)..=u128::from(last)).contains(&claim.value);
        }
        self.cidrs.all(claim.pool).unwrap_or_else(|| self.ready(claim.pool)).into_iter().any(|range| {
            let (first, last) = usable(range);
            (first..=last).contains(&claim.value)
        })
    }

    fn holder(&self, record: &Value) -> Option<Holder> {
        let parent = record.lookup(&["spec", "parentRef"])?;
        let text = |member: &str| parent.get(member).and_then(Value::as_str).unwrap_or_default();
        if !text("group").is_empty() || text("resource") != SERVICES {
            return None;
        }
        let label = record.lookup(&["metadata", "labels", MANAGED_BY.0]).and_then(Value::as_str);
        let is_managed = label == Some(MANAGED_BY.1);
        Some(Holder { namespace: text("namespace").to_owned(), name: text("name").to_owned(), is_managed })
    }

    fn may_allocate(&self, new: &Value, old: &Value) -> bool {
        new.get("spec") != old.get("spec")
    }

    fn allocate(
        &self,
        new: &mut Value,
        old: Option<&Value>,
        values: &mut Allocation<'_>,
        errors: &mut Errors,
    ) -> Result<()> {
        let name = meta::name(new).to_owned();
        let mut spec = new.remove("spec").unwrap_or_else(Value::object);
        let mut change = Change { allocator: self, ranges: &self.ranges, name: &name, spec: &mut spec, values, errors };
        let outcome = match old {
            None => change.create(),
            Some(old) => change.update(service(old).spec()),
        };
        new.insert("spec", spec);
        outcome
    }
}

/// A spec that is being completed.
pub(super) struct Change<'c, 'a> {
    allocator: &'c ServiceAllocator,
    pub(super) ranges: &'c ServiceRanges,
    pub(super) name: &'c str,
    pub(super) spec: &'c mut Value,
    pub(super) values: &'c mut Allocation<'a>,
    pub(super) errors: &'c mut Errors,
}

impl Change<'_, '_> {
    /// As upstream's `storage.REST.beginCreate`.
    fn create(&mut self) -> Result<()> {
        normalize::cluster_ips(self.spec, None);
        families::init(self.ranges, self.spec, None, LegacyIps::of(self.values.gates()), self.errors);
        if self.errors.is_empty() {
            self.allocate_cluster_ips()?;
        }
        if self.errors.is_empty() {
            self.allocate_node_ports()?;
        }
        Ok(())
    }

    /// As upstream's `storage.REST.beginUpdate`.
    fn update(&mut self, old: ServiceSpec<'_>) -> Result<()> {
        normalize::keep_allocated(self.spec, old);
        normalize::cluster_ips(self.spec, Some(old));
        families::init(self.ranges, self.spec, Some(old), LegacyIps::of(self.values.gates()), self.errors);
        if self.errors.is_empty() {
            self.update_cluster_ips(old)?;
        }
        if self.errors.is_empty() {
            self.update_node_ports(old)?;
        }
        Ok(())
    }

    /// As upstream's `storage.Allocators.allocClusterIPs`.
    fn allocate_cluster_ips(&mut self) -> Result<()> {
        let (ips, kind) = (strings(spec_view(self.spec).cluster_ips()), spec_view(self.spec).kind());
        if kind == EXTERNAL_NAME || ips.first().is_some_and(|ip| ip == NONE) {
            return Ok(());
        }
        self.claim_cluster_ips(ips, 0)
    }

    /// As upstream's `storage.Allocators.updateClusterIPs`. What is released is free once the service is stored.
    fn update_cluster_ips(&mut self, old: ServiceSpec<'_>) -> Result<()> {
        let spec = spec_view(self.spec);
        if families::stays_as_it_is(spec, Some(old)) {
            return Ok(());
        }
        if old.kind() == EXTERNAL_NAME && spec.kind() != EXTERNAL_NAME {
            return self.allocate_cluster_ips();
        }
        let is_headless = old.cluster_ips().get(0) == Some(NONE);
        let is_second_added = old.ip_families().len() == 1 && spec.ip_families().len() == 2;
        if is_headless || spec.kind() == EXTERNAL_NAME || !is_second_added {
            return Ok(());
        }
        let ips = strings(spec.cluster_ips());
        self.claim_cluster_ips(ips, 1)
    }

    /// Gives each family from one on its address: that which the service asks for, or any.
    fn claim_cluster_ips(&mut self, mut ips: Vec<String>, from: usize) -> Result<()> {
        let families = strings(spec_view(self.spec).ip_families());
        ips.resize(ips.len().max(families.len()), String::new());
        for (family, ip) in families.iter().zip(&mut ips).skip(from) {
            let asked = ip.clone();
            let outcome = if asked.is_empty() { self.any_ip(family)? } else { self.claim_ip(family, &asked)? };
            match outcome {
                Ok(given) => *ip = given,
                Err(why) => {
                    let of = if asked.is_empty() { asked } else { format!(" {asked}") };
                    let (at, shown) = (Path::new("spec"), texts(spec_view(self.spec), "clusterIPs"));
                    let detail = format!("failed to allocate IP{of}: {why}");
                    self.errors.push(Error::invalid(&at.child("clusterIPs"), shown, detail));
                    return Ok(());
                }
            }
        }
        if let Some(first) = ips.first().filter(|_| from == 0) {
            self.spec.insert("clusterIP", first.as_str());
        }
        self.spec.insert("clusterIPs", ips.iter().map(String::as_str).collect::<Value>());
        Ok(())
    }

    /// Takes any address; an error inside is why that cannot be. A dry run shows the first one of a range, as upstream's.
    // As upstream's ipallocator.MetaAllocator.AllocateNextService and Allocator.allocateNextService.
    fn any_ip(&mut self, family: &str) -> Result<std::result::Result<String, String>> {
        let ready = self.allocator.ready(family);
        if self.values.is_dry_run() {
            let first = ready.first().map(|range| range.network().to_string());
            return Ok(first.ok_or_else(|| NOT_READY.to_owned()));
        }
        for range in ready {
            let (first, last) = usable(range);
            let pool = family_of(range.address);
            let middle = first + static_addresses(range);
            let found = self.values.claim_any(pool, middle, last);
            let found = found.or_else(|| self.values.claim_any(pool, first, middle.saturating_sub(1)));
            if let Some(value) = found {
                return Ok(Ok(address(pool, value).to_string()));
            }
        }
        let name = sprag_field::quote::go(self.name);
        let why = format_args!("failed to allocate a serviceIP for Service {name}: range is full");
        Err(ApiError::internal(why))
    }

    /// Takes an address that the service asks for; an error inside is why that cannot be.
    // As upstream's ipallocator.MetaAllocator.AllocateService and Allocator.allocateService.
    fn claim_ip(&mut self, family: &str, ip: &str) -> Result<std::result::Result<String, String>> {
        let Some(address) = parse_ip(ip) else {
            let ip = sprag_field::quote::go(ip);
            return Err(ApiError::internal(format_args!("failed to parse service IP {ip}")));
        };
        let ready = self.allocator.ready(family);
        let has_it = |range: &Cidr| {
            let (first, last) = usable(*range);
            !self.ranges.is_limited || (first..=last).contains(&bits(address))
        };
        let is_inside = family_of(address) == family && ready.iter().any(has_it);
        Ok(match (is_inside, self.values.is_dry_run()) {
            (true, true) => Ok(ip.to_owned()),
            (false, true) => Err(ready.first().map_or_else(
                || NOT_READY.to_owned(),
                |range| {
                    let address = address.to_canonical();
                    format!("the provided IP ({address}) is not in the valid range. The range of valid IPs is {range}")
                },
            )),
            (false, false) => Err("the provided network does not match the current range".to_owned()),
            (true, false) => {
                let claim = Claim { pool: family_of(address), value: bits(address) };
                let is_free = self.values.claim(claim);
                if is_free { Ok(ip.to_owned()) } else { Err("provided IP is already allocated".to_owned()) }
            }
        })
    }
}

/// Upstream's text of a family without a ready ServiceCIDR in dry runs.
const NOT_READY: &str = "allocator not ready";

/// Returns the number of addresses at the beginning of a range that are allocated last, so that users can pick them, as
/// upstream's `ipallocator.calculateRangeOffset`.
fn static_addresses(range: Cidr) -> u128 {
    let size = size(range);
    if size <= 16 { 0 } else { (size / 16).clamp(16, 256) }
}
