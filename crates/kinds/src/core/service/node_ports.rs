//! Ports of nodes that services are given.

use sprag_field::{Error, Path};
use sprag_rest::{ApiError, Claim, Result};
use sprag_value::Value;

use super::allocate::{Change, NODE_PORTS};
use super::{LOAD_BALANCER, NODE_PORT, needs_health_check, spec_view};
use crate::views::core_v1::ServiceSpec;

/// The first port of upstream's dry runs.
const DRY_RUN_PORT: i64 = 32_768;

/// A port as a value that one service holds; none for 0, which is not a port.
pub(super) fn claim(port: i64) -> Option<Claim> {
    let value = u128::try_from(port).ok().filter(|port| *port != 0)?;
    Some(Claim { pool: NODE_PORTS, value })
}

/// As upstream's `storage.shouldAllocateNodePorts`.
fn wants_node_ports(spec: ServiceSpec<'_>) -> bool {
    match spec.kind() {
        NODE_PORT => true,
        LOAD_BALANCER => spec.allocate_load_balancer_node_ports() == Some(true),
        _ => false,
    }
}

fn node_ports(spec: ServiceSpec<'_>) -> Vec<i64> {
    spec.ports().iter().map(|port| port.node_port()).collect()
}

impl Change<'_, '_> {
    /// As upstream's `storage.Allocators.txnAllocNodePorts`.
    pub(super) fn allocate_node_ports(&mut self) -> Result<()> {
        if matches!(spec_view(self.spec).kind(), NODE_PORT | LOAD_BALANCER) {
            self.init_node_ports()?;
        }
        if self.errors.is_empty() && needs_health_check(spec_view(self.spec)) {
            self.allocate_health_check_port()?;
        }
        Ok(())
    }

    /// As upstream's `storage.initNodePorts`: one port of nodes for all protocols of a port of the service.
    fn init_node_ports(&mut self) -> Result<()> {
        let spec = spec_view(self.spec);
        let wanted = wants_node_ports(spec);
        let mut node_ports = node_ports(spec);
        let ports: Vec<i64> = spec.ports().iter().map(|port| port.port()).collect();
        let requested = node_ports.clone();
        let mut given: Vec<(i64, i64)> = Vec::new();
        for (index, &port) in ports.iter().enumerate() {
            if node_ports[index] == 0 && !wanted {
                continue;
            }
            let known = given.iter().find(|(known, _)| *known == port).map(|(_, node_port)| *node_port);
            let of_port = ports.iter().zip(&requested).find(|(other, node_port)| **other == port && **node_port != 0);
            match (known, of_port.map(|(_, node_port)| *node_port)) {
                (Some(known), _) if node_ports[index] == 0 => node_ports[index] = known,
                (Some(known), _) if node_ports[index] == known => {}
                (Some(_), _) => {
                    if !self.claim_node_port(index, node_ports[index]) {
                        return Ok(());
                    }
                }
                (None, Some(node_port)) => {
                    if !self.claim_node_port(index, node_port) {
                        return Ok(());
                    }
                    node_ports[index] = node_port;
                    given.push((port, node_port));
                }
                (None, None) => {
                    node_ports[index] = self.any_node_port()?;
                    given.push((port, node_ports[index]));
                }
            }
        }
        self.set_node_ports(&node_ports);
        Ok(())
    }

    /// As upstream's `storage.Allocators.txnUpdateNodePorts`. What is released is free once the service is stored.
    pub(super) fn update_node_ports(&mut self, old: ServiceSpec<'_>) -> Result<()> {
        if matches!(spec_view(self.spec).kind(), NODE_PORT | LOAD_BALANCER) {
            self.update_ports(old)?;
        }
        if self.errors.is_empty() && !needs_health_check(old) && needs_health_check(spec_view(self.spec)) {
            self.allocate_health_check_port()?;
        }
        Ok(())
    }

    /// As upstream's `storage.Allocators.updateNodePorts`.
    fn update_ports(&mut self, old: ServiceSpec<'_>) -> Result<()> {
        let wanted = wants_node_ports(spec_view(self.spec));
        let old = node_ports(old);
        let protocols: Vec<String> =
            spec_view(self.spec).ports().iter().map(|port| port.protocol().to_owned()).collect();
        let mut ports = node_ports(spec_view(self.spec));
        let mut seen: Vec<(&str, i64)> = Vec::new();
        for (index, protocol) in protocols.iter().enumerate() {
            let port = ports[index];
            if port == 0 && !wanted {
                continue;
            }
            if port == 0 {
                ports[index] = self.any_node_port()?;
            } else if !old.contains(&port)
                && seen.iter().all(|(_, known)| *known != port)
                && !self.claim_node_port(index, port)
            {
                return Ok(());
            }
            let taken = (protocol.as_str(), ports[index]);
            if seen.contains(&taken) {
                return Err(ApiError::unknown(format!("duplicate nodePort: {{{} {}}}", taken.0, taken.1)));
            }
            seen.push(taken);
        }
        self.set_node_ports(&ports);
        Ok(())
    }

    fn set_node_ports(&mut self, node_ports: &[i64]) {
        let Some(ports) = self.spec.get_mut("ports").and_then(Value::as_array_mut) else { return };
        for (port, node_port) in
            ports.as_mut_slice().iter_mut().zip(node_ports).filter(|(_, node_port)| **node_port != 0)
        {
            port.insert("nodePort", *node_port);
        }
    }

    /// As upstream's `storage.Allocators.allocHealthCheckNodePort`.
    fn allocate_health_check_port(&mut self) -> Result<()> {
        let port = spec_view(self.spec).health_check_node_port();
        if port == 0 {
            let port = self
                .any_port()
                .ok_or_else(|| ApiError::internal("failed to allocate a HealthCheck NodePort 0: range is full"))?;
            self.spec.insert("healthCheckNodePort", port);
            return Ok(());
        }
        match self.claim_port(port) {
            None => Ok(()),
            Some(why) => {
                let text = format!("failed to allocate requested HealthCheck NodePort {port}: {why}");
                Err(ApiError::internal(text))
            }
        }
    }

    /// Takes the port that a service asks for. If that cannot be, the reason is an error of the field.
    fn claim_node_port(&mut self, index: usize, port: i64) -> bool {
        let Some(why) = self.claim_port(port) else { return true };
        let at = Path::new("spec");
        let at = at.child("ports");
        self.errors.push(Error::invalid(&at.index(index).child("nodePort"), port, why));
        false
    }

    fn any_node_port(&mut self) -> Result<i64> {
        self.any_port().ok_or_else(|| ApiError::internal("failed to allocate a nodePort: range is full"))
    }

    /// Takes a port; returns why that cannot be. As upstream's `portallocator.PortAllocationOperation.Allocate`, whose dry runs
    /// take ports beyond the range.
    fn claim_port(&mut self, port: i64) -> Option<String> {
        let (first, last) = self.ranges.node_ports();
        if !self.values.is_dry_run() && !(i64::from(first)..=i64::from(last)).contains(&port) {
            let range = self.ranges.node_port_range();
            return Some(format!("provided port is not in the valid range. The range of valid ports is {range}"));
        }
        let claim = claim(port)?;
        (!self.values.claim(claim)).then(|| "provided port is already allocated".to_owned())
    }

    /// Takes any port: first of those that upstream's `portallocator.calculateRangeOffset` does not leave for users to pick.
    fn any_port(&mut self) -> Option<i64> {
        if self.values.is_dry_run() {
            return Some(self.dry_run_port());
        }
        let (first, last) = self.ranges.node_ports();
        let first = u128::from(first);
        let last = u128::from(last);
        let size = last - first + 1;
        let middle = first + if size <= 16 { 0 } else { (size / 32).clamp(16, 128) };
        let found = self.values.claim_any(NODE_PORTS, middle, last);
        let found = found.or_else(|| self.values.claim_any(NODE_PORTS, first, middle.saturating_sub(1)));
        found.and_then(|port| i64::try_from(port).ok())
    }

    /// As upstream's `portallocator.PortAllocationOperation.AllocateNext` of dry runs: one more than the last one.
    fn dry_run_port(&mut self) -> i64 {
        let taken = self.values.claimed().iter().filter(|claim| claim.pool == NODE_PORTS);
        let last = taken.filter_map(|claim| i64::try_from(claim.value).ok()).max().unwrap_or(DRY_RUN_PORT);
        let low = (last + 1..100).find(|port| claim(*port).is_some_and(|claim| self.values.claim(claim)));
        low.unwrap_or_else(|| {
            // Upstream does not check whether it is taken.
            let _ = claim(last + 1).is_some_and(|claim| self.values.claim(claim));
            last + 1
        })
    }
}
