//! Services that use up addresses and ports.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[Case {
    arguments: &["--service-cluster-ip-range", "10.50.0.0/25", "--service-node-port-range", "31000-31039"],
    ..case!(full_ranges)
}];

const SERVICES: &str = "/api/v1/namespaces/default/services";
/// The addresses of the range but for the first and the last one, and that of the service `kubernetes`.
const ADDRESSES: usize = 125;
const CLIENTS: usize = 10;

fn service(name: &str, kind: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"generateName": name}, "spec": {"type": kind, "ports": [{"port": 80}]}})
}

/// Posts services from one client; returns how many were created, and the last refusal.
async fn post_some(arena: Arc<Arena>, count: usize, kind: &'static str) -> Result<(usize, String), String> {
    let mut client = arena.client().await?;
    let mut created = 0;
    let mut refusal = String::new();
    for _ in 0..count {
        let body = service("s-", kind).to_string();
        let answer = client.ask("POST", SERVICES, "application/json", body).await?;
        match answer.code {
            201 => created += 1,
            500 => refusal = answer.text(),
            code => return Err(format!("{code}: {}", answer.text())),
        }
    }
    Ok((created, refusal))
}

/// Posts so many services, from several clients at once.
async fn post(arena: &Arc<Arena>, count: usize, kind: &'static str) -> Result<(usize, String), String> {
    let clients = (0..CLIENTS).map(|_| tokio::spawn(post_some(arena.clone(), count.div_ceil(CLIENTS), kind)));
    let clients: Vec<_> = clients.collect();
    let mut all = (0, String::new());
    for client in clients {
        let (created, refusal) = client.await.map_err(|error| error.to_string())??;
        all.0 += created;
        if !refusal.is_empty() {
            all.1 = refusal;
        }
    }
    Ok(all)
}

/// Each address and port is given, and who asks for more is told so without much work.
async fn full_ranges(arena: &Arc<Arena>) -> Outcome {
    let (with_ports, refusal) = post(arena, 60, "NodePort").await?;
    if with_ports != 40 || !refusal.contains("failed to allocate a nodePort: range is full") {
        return Err(format!("{with_ports} of 40 ports, then {refusal}"));
    }
    // The addresses of those that got no port are free again.
    let (plain, refusal) = post(arena, 100, "ClusterIP").await?;
    if plain + with_ports != ADDRESSES || !refusal.contains("range is full") {
        return Err(format!("{} of {ADDRESSES} addresses, then {refusal}", plain + with_ports));
    }
    let more = arena.count(300, 10_000);
    let (created, _) = post(arena, more, "ClusterIP").await?;
    if created != 0 {
        return Err(format!("{created} services without an address that was free"));
    }
    let list = arena.get(SERVICES).await?.expect(200)?.json();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let name = items.iter().filter_map(|item| item["metadata"]["name"].as_str()).find(|name| *name != "kubernetes");
    let path = format!("{SERVICES}/{}", name.ok_or("no service")?);
    arena.ask("DELETE", &path, "", "").await?.expect(200)?;
    // What is free again is given at once, also after all that.
    arena.post(SERVICES, &service("s-", "ClusterIP")).await?.expect(201)?;
    Ok(format!("{ADDRESSES} addresses, {more} refused"))
}
