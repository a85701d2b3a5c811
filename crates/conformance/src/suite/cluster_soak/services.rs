//! Clients that create, change and delete services, whose addresses and ports are scarce.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::watches::Log;
use super::{NAMESPACE, Roamer, revision};

/// Maximum number of services of each client at once.
const AT_ONCE: usize = 16;
/// Servers repair records every minute, and erase what two passes found that nobody needs.
const REPAIR: Duration = Duration::from_mins(4);
/// Interval of looks at what is left over.
const LOOK: Duration = Duration::from_secs(5);
/// The path of addresses.
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";

/// The services that were acknowledged, by revision.
#[derive(Default)]
pub(super) struct Given(Mutex<BTreeMap<u64, Value>>);

impl Given {
    fn add(&self, service: Value) {
        if let Ok(revision) = revision(&service) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(revision, service);
        }
    }

    /// Checks that watches saw each service as it was acknowledged.
    pub(super) fn check(&self, log: Option<&Log>) -> Result<String, String> {
        let log = log.ok_or("nobody watched")?;
        let seen: BTreeMap<u64, &Value> = log.iter().map(|event| (event.revision, &event.object)).collect();
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (revision, service) in &*given {
            if seen.get(revision).is_none_or(|seen| *seen != service) {
                return Err(format!("acknowledged at {revision}: {service}, seen: {:?}", seen.get(revision)));
            }
        }
        Ok(format!("{} writes", given.len()))
    }
}

/// One client, until it is over.
pub(super) async fn work(mut client: Roamer, number: u64) {
    let shared = client.shared.clone();
    let mut mine: Vec<String> = Vec::new();
    let mut count = 0;
    while !shared.is_over() {
        let is_crowded = mine.len() >= AT_ONCE;
        match client.random.below(10) {
            0..5 if !is_crowded => {
                count += 1;
                let name = format!("s{number}-{count}");
                let spec = spec(&mut client);
                let body = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec});
                let path = format!("{NAMESPACE}/services");
                let answer = client.ask("POST", &path, &body.to_string()).await;
                // One without an answer may be there.
                if answer.as_ref().is_none_or(|answer| answer.code == 201) {
                    mine.push(name);
                }
                note(&client, answer, 201);
            }
            5..7 if !mine.is_empty() => {
                let name = &mine[client.random.below(mine.len())];
                let path = format!("{NAMESPACE}/services/{name}");
                let change = change(&mut client);
                let answer = client.ask("PATCH", &path, &change.to_string()).await;
                note(&client, answer, 200);
            }
            _ if !mine.is_empty() => {
                let at = client.random.below(mine.len());
                let path = format!("{NAMESPACE}/services/{}", mine[at]);
                // One that could not be asked about is tried again some time.
                if client.ask("DELETE", &path, "").await.is_some() {
                    mine.swap_remove(at);
                }
            }
            _ => {}
        }
    }
}

fn note(client: &Roamer, answer: Option<super::Answer>, expected: u16) {
    if let Some(answer) = answer.filter(|answer| answer.code == expected) {
        client.shared.given.add(answer.json());
    }
}

/// What a new service asks for.
fn spec(client: &mut Roamer) -> Value {
    let static_number = client.random.below(12);
    let port = json!([{"port": 80}]);
    match client.random.below(6) {
        0 => json!({"ports": port, "clusterIP": format!("10.77.0.{}", static_number + 2)}),
        1 => json!({"ports": [{"port": 80, "nodePort": 31_000 + static_number}], "type": "NodePort"}),
        2 => json!({"ports": port, "type": "NodePort"}),
        3 => json!({"ports": port, "type": "LoadBalancer", "externalTrafficPolicy": "Local"}),
        4 => json!({"ports": port, "ipFamilyPolicy": "RequireDualStack"}),
        _ => json!({"ports": port}),
    }
}

/// How a service is changed.
fn change(client: &mut Roamer) -> Value {
    match client.random.below(5) {
        0 => json!({"spec": {"type": "ExternalName", "externalName": "h.example", "clusterIP": null, "clusterIPs": null}}),
        1 => json!({"spec": {"type": "ClusterIP", "externalName": null, "externalTrafficPolicy": null}}),
        2 => json!({"spec": {"type": "NodePort"}}),
        3 => json!({"spec": {"ipFamilyPolicy": "RequireDualStack"}}),
        _ => json!({"spec": {"ipFamilyPolicy": "SingleStack"}}),
    }
}

/// The addresses and ports of a service.
fn held(service: &Value) -> BTreeSet<String> {
    let spec = &service["spec"];
    let addresses = spec["clusterIPs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let addresses = addresses.filter(|address| *address != "None").map(|address| format!("address {address}"));
    let ports = spec["ports"].as_array().into_iter().flatten().map(|port| &port["nodePort"]);
    let ports = ports.chain([&spec["healthCheckNodePort"]]).filter_map(Value::as_u64);
    addresses.chain(ports.map(|port| format!("port {port}"))).collect()
}

/// Checks that at no time two services had one address or port.
pub(super) fn check_unique(log: Option<&Log>) -> Result<String, String> {
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    let mut given = 0;
    for event in log.ok_or("nobody watched")? {
        let name = event.name();
        let now = if event.kind == "DELETED" { BTreeSet::new() } else { held(&event.object) };
        owners.retain(|value, owner| owner != name || now.contains(value));
        for value in now {
            match owners.get(&value) {
                Some(owner) if owner != name => {
                    return Err(format!("{value} is that of {owner} and, at {}, of {name}", event.revision));
                }
                Some(_) => {}
                None => {
                    given += 1;
                    owners.insert(value, name.to_owned());
                }
            }
        }
    }
    Ok(format!("{given} given, {} held in the end", owners.len()))
}

/// Checks that each address of a stored service is recorded as its own; also returns how many are recorded that no service has.
pub(super) async fn check_records(reader: &mut Roamer) -> Result<(Result<String, String>, usize), String> {
    let services = reader.insist("GET", &format!("{NAMESPACE}/services"), "").await.expect(200)?.json();
    let addresses = reader.insist("GET", ADDRESSES, "").await.expect(200)?.json();
    let items = |list: &Value| list["items"].as_array().cloned().unwrap_or_default();
    let recorded: BTreeMap<String, String> = items(&addresses)
        .iter()
        .filter(|address| address["spec"]["parentRef"]["namespace"] == "soak")
        .filter_map(|address| {
            let name = address["metadata"]["name"].as_str()?.to_owned();
            Some((name, address["spec"]["parentRef"]["name"].as_str()?.to_owned()))
        })
        .collect();
    let mut checked = 0;
    for service in items(&services) {
        let name = service["metadata"]["name"].as_str().unwrap_or_default();
        for value in held(&service) {
            let Some(address) = value.strip_prefix("address ") else { continue };
            if recorded.get(address).map(String::as_str) != Some(name) {
                return Ok((Err(format!("{address} of {name} is recorded for {:?}", recorded.get(address))), 0));
            }
            checked += 1;
        }
    }
    Ok((Ok(format!("{checked} addresses")), recorded.len() - checked))
}

/// Waits until no address is recorded that no service has; returns how many there are still when that takes too long.
pub(super) async fn await_repair(reader: &mut Roamer) -> Result<usize, String> {
    let deadline = Instant::now() + REPAIR;
    loop {
        let (_, left_over) = check_records(reader).await?;
        if left_over == 0 || Instant::now() > deadline {
            return Ok(left_over);
        }
        sleep(LOOK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::cluster_soak::watches::Event;

    fn event(revision: u64, kind: &str, name: &str, ip: &str, port: u64) -> Event {
        let spec = json!({"clusterIPs": [ip], "ports": [{"nodePort": port}]});
        Event { revision, kind: kind.to_owned(), object: json!({"metadata": {"name": name}, "spec": spec}) }
    }

    #[test]
    fn an_address_or_port_of_two_services_is_found() {
        let a = event(1, "ADDED", "a", "10.0.0.1", 31_000);
        let check = |more: &[Event]| check_unique(Some(&[std::slice::from_ref(&a), more].concat()));
        assert!(check(&[event(2, "ADDED", "b", "10.0.0.2", 31_001)]).is_ok());
        assert!(check(&[event(2, "ADDED", "b", "10.0.0.1", 31_001)]).is_err());
        assert!(check(&[event(2, "ADDED", "b", "10.0.0.2", 31_000)]).is_err());
        let deleted = event(2, "DELETED", "a", "10.0.0.1", 31_000);
        assert!(check(&[deleted, event(3, "ADDED", "b", "10.0.0.1", 31_000)]).is_ok());
        let changed = event(2, "MODIFIED", "a", "10.0.0.1", 31_002);
        assert!(check(&[changed, event(3, "ADDED", "b", "10.0.0.2", 31_000)]).is_ok());
    }
}
