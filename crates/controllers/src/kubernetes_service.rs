//! The service `default/kubernetes`, by which clients in a cluster find the API server, and its endpoints.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use sprag_kinds::ServiceRanges;
use sprag_registry::Registry;
use sprag_rest::{Request, Result, User, WriteOptions};
use sprag_value::{Value, json};

const NAME: &str = "kubernetes";
const NAMESPACE: &str = "default";
const ENDPOINTS: Kind = ("", "v1", "endpoints");
const SLICES: Kind = ("discovery.k8s.io", "v1", "endpointslices");
/// The field manager of the objects.
const MANAGER: &str = "kube-apiserver";

/// Group, version and resource.
type Kind = (&'static str, &'static str, &'static str);

/// Settings of the `kubernetes` service.
#[derive(Clone, Debug)]
pub struct KubernetesService {
    /// The address of this server; without one an address of the machine is taken.
    pub address: Option<IpAddr>,
    /// True if this server keeps its address in the endpoints.
    pub has_endpoints: bool,
    /// The port of nodes; 0 means that the service has no such port.
    pub node_port: u16,
}

impl Default for KubernetesService {
    fn default() -> Self {
        KubernetesService { address: None, has_endpoints: true, node_port: 0 }
    }
}

impl KubernetesService {
    /// Makes the service unless it exists, and the endpoints of a server that listens there.
    // As upstream's kubernetesservice.Controller.UpdateKubernetesService, with one server.
    pub async fn ensure(&self, registry: &Registry, ranges: &ServiceRanges, listened: SocketAddr) -> Result<()> {
        self.restore_service(registry, ranges, listened).await;
        let Some(address) = self.shown_address(listened) else { return Ok(()) };
        let port = listened.port();
        let endpoints = endpoints(address, port);
        // As upstream's EndpointsAdapter: no slice without endpoints.
        let set = match set(registry, ENDPOINTS, &endpoints).await {
            Ok(()) => set_slice(registry, &slice(address, port)).await,
            Err(error) => Err(error),
        };
        warn(set, "the endpoints of the kubernetes service could not be set");
        Ok(())
    }

    /// Makes what was deleted since: the service, its endpoints and their slice. What is there stays as it is, since it may be another
    /// server's on the same store.
    pub async fn restore(&self, registry: &Registry, ranges: &ServiceRanges, listened: SocketAddr) {
        self.restore_service(registry, ranges, listened).await;
        let Some(address) = self.shown_address(listened) else { return };
        let port = listened.port();
        let made = match make(registry, ENDPOINTS, &endpoints(address, port)).await {
            Ok(()) => make(registry, SLICES, &slice(address, port)).await,
            Err(error) => Err(error),
        };
        warn(made, "the endpoints of the kubernetes service could not be made");
    }

    // As upstream's CreateOrUpdateMasterServiceIfNeeded: one that is there stays as it is.
    async fn restore_service(&self, registry: &Registry, ranges: &ServiceRanges, listened: SocketAddr) {
        let made = make(registry, ("", "v1", "services"), &self.service(ranges, listened.port())).await;
        // The server works without it if its address is taken.
        warn(made, "the kubernetes service could not be made");
    }

    /// The address in the endpoints, if this server keeps them.
    fn shown_address(&self, listened: SocketAddr) -> Option<IpAddr> {
        if !self.has_endpoints {
            return None;
        }
        let address = self.address.or_else(|| own_address(listened.ip()));
        if address.is_none() {
            tracing::warn!("this machine has no address for the endpoints of the kubernetes service");
        }
        address
    }

    fn service(&self, ranges: &ServiceRanges, port: u16) -> String {
        let (node_port, kind) = match self.node_port {
            0 => (String::new(), "ClusterIP"),
            node_port => (format!(",\"nodePort\":{node_port}"), "NodePort"),
        };
        format!(
            r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{NAME}","namespace":"{NAMESPACE}","labels":{{"component":"apiserver","provider":"kubernetes"}}}},
            "spec":{{"ports":[{{"name":"https","protocol":"TCP","port":443,"targetPort":{port}{node_port}}}],"clusterIP":"{}","type":"{kind}","sessionAffinity":"None","ipFamilyPolicy":"SingleStack"}}}}"#,
            ranges.first_address()
        )
    }
}

fn endpoints(address: IpAddr, port: u16) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Endpoints","metadata":{{"name":"{NAME}","namespace":"{NAMESPACE}","labels":{{"endpointslice.kubernetes.io/skip-mirror":"true"}}}},
        "subsets":[{{"addresses":[{{"ip":"{address}"}}],"ports":[{{"name":"https","port":{port},"protocol":"TCP"}}]}}]}}"#
    )
}

fn slice(address: IpAddr, port: u16) -> String {
    let family = if address.is_ipv4() { "IPv4" } else { "IPv6" };
    format!(
        r#"{{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{"name":"{NAME}","namespace":"{NAMESPACE}","labels":{{"kubernetes.io/service-name":"{NAME}"}}}},
        "addressType":"{family}","endpoints":[{{"addresses":["{address}"],"conditions":{{"ready":true}}}}],"ports":[{{"name":"https","port":{port},"protocol":"TCP"}}]}}"#
    )
}

/// The address of the machine that a server shows to clients of the cluster. One that listens on this machine only shows
/// another all the same.
// As upstream's net.ResolveBindAddress.
fn own_address(listened: IpAddr) -> Option<IpAddr> {
    if !listened.is_unspecified() && !listened.is_loopback() {
        return Some(listened);
    }
    // The address of the route to the rest of the world. Nothing is sent.
    let towards = |from: IpAddr, to: IpAddr| {
        let socket = UdpSocket::bind((from, 0)).ok()?;
        socket.connect((to, 9)).ok()?;
        Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_unspecified() && !address.is_loopback())
    };
    let v4 = || towards(Ipv4Addr::UNSPECIFIED.into(), Ipv4Addr::new(192, 0, 2, 1).into());
    let v6 = || towards(Ipv6Addr::UNSPECIFIED.into(), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1).into());
    v4().or_else(v6)
}

/// The object of this name, if there is one.
async fn find(registry: &Registry, (group, version, resource): Kind) -> Result<Option<Value>> {
    let user = User::default();
    let request = Request { group, version, resource, namespace: NAMESPACE, name: NAME, subresource: "", user: &user };
    match registry.get(&request, "").await {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Creates an object unless it exists.
async fn make(registry: &Registry, what: Kind, text: &str) -> Result<()> {
    match find(registry, what).await? {
        Some(_) => Ok(()),
        None => create(registry, what, text).await,
    }
}

/// Creates an object; another server may have done so in between.
async fn create(registry: &Registry, (group, version, resource): Kind, text: &str) -> Result<()> {
    let user = User::default();
    let request = Request { group, version, resource, namespace: NAMESPACE, name: "", subresource: "", user: &user };
    match registry.create(&request, parsed(text), &WriteOptions::by(MANAGER)).await {
        Err(error) if !error.is_already_exists() => Err(error),
        _ => Ok(()),
    }
}

/// Creates an object, or brings what it says into the one that exists.
async fn set(registry: &Registry, what: Kind, text: &str) -> Result<()> {
    let Some(stored) = find(registry, what).await? else { return create(registry, what, text).await };
    let (user, (group, version, resource)) = (User::default(), what);
    let request = Request { group, version, resource, namespace: NAMESPACE, name: NAME, subresource: "", user: &user };
    let mut wanted = stored.clone();
    let Value::Object(members) = parsed(text) else { return Ok(()) };
    for (key, value) in members {
        if key.as_str() != "metadata" {
            wanted.insert(key, value);
        }
    }
    if wanted == stored {
        return Ok(());
    }
    registry.update(&request, wanted, &WriteOptions::by(MANAGER)).await.map(drop)
}

/// The same for the slice, whose type of addresses cannot change: another slice takes its place.
async fn set_slice(registry: &Registry, text: &str) -> Result<()> {
    match set(registry, SLICES, text).await {
        Err(error) if error.code() == 422 => {
            let user = User::default();
            let (group, version, resource) = SLICES;
            let name = NAME;
            let request =
                Request { group, version, resource, namespace: NAMESPACE, name, subresource: "", user: &user };
            registry.delete(&request, &sprag_rest::DeleteOptions::default()).await?;
            set(registry, SLICES, text).await
        }
        outcome => outcome,
    }
}

fn parsed(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap_or_default()
}

fn warn(outcome: Result<()>, what: &str) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "{what}");
    }
}
