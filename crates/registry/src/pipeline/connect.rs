//! Connections with what is not stored.

use sprag_rest::{ApiError, Backend, GroupResource, GroupVersionKind, Request, Result, SubresourceKind};
use sprag_value::Value;

use crate::admission::kind_of;
use crate::registry::{Registry, Target};

impl Registry {
    /// Answers a request for a connection. There are neither nodes nor networks behind this server, so all that leads to one
    /// fails as it does where it cannot be reached; `Ok` where there is nothing to connect with yet.
    pub async fn connect(&self, request: &Request<'_>, parameters: &[(&str, &str)]) -> Result<()> {
        let target = self.resolve(request)?;
        let kind = kind_of(target.definition(), request.version, request.subresource);
        if let Some(options) = options(&kind, parameters) {
            target.admit_connect(&options).await?;
        }
        match target.backend(parameters).await? {
            Backend::Nothing => Ok(()),
            Backend::Node(name) => Err(self.unreachable_node(request, &name).await),
            Backend::Address(address) => {
                let why = format!("error trying to reach service: {address}: this server does not connect to pods");
                Err(ApiError::new(503, "ServiceUnavailable", why, None))
            }
        }
    }

    /// The error for a node that does not exist or whose kubelet is unreachable.
    async fn unreachable_node(&self, request: &Request<'_>, name: &str) -> ApiError {
        let node = Request { resource: "nodes", namespace: "", name, subresource: "", ..*request };
        match self.get(&node, "").await {
            // As upstream's nodeutil.GetPreferredNodeAddress.
            Ok(node) if has_no_address(&node) => ApiError::unknown("no preferred addresses found; known addresses: []"),
            Ok(_) => ApiError::unknown(format!(
                "error dialing backend: this server does not connect to the kubelet of node {name:?}"
            )),
            // As upstream's NodeConnectionInfoGetter.GetConnectionInfo, whose error names the resource of the request.
            Err(_) => ApiError::not_found(&GroupResource::new(request.group, request.resource), name),
        }
    }
}

/// The parameters of a connection as the options that plug-ins see; nothing for requests that upstream takes for reads, as
/// `pods/log`.
fn options(kind: &GroupVersionKind, parameters: &[(&str, &str)]) -> Option<Value> {
    if !kind.kind.ends_with("Options") {
        return None;
    }
    let mut options = Value::object();
    options.insert("kind", kind.kind.as_str());
    options.insert("apiVersion", kind.api_version());
    // Upstream says that stdout and stderr default to true, and has no code for it.
    let has_streams = matches!(kind.kind.as_str(), "PodExecOptions" | "PodAttachOptions");
    let given = |name: &'static str| parameters.iter().filter(move |(key, _)| *key == name).map(|(_, value)| *value);
    if has_streams {
        for name in ["stdin", "stdout", "stderr", "tty"] {
            // As upstream's runtime.Convert_Slice_string_To_bool, and fields that are left out when they are false.
            if given(name).next().is_some_and(|value| !matches!(value.to_lowercase().as_str(), "false" | "0")) {
                options.insert(name, true);
            }
        }
        if let Some(container) = given("container").next().filter(|container| !container.is_empty()) {
            options.insert("container", container);
        }
    }
    match kind.kind.as_str() {
        "PodExecOptions" => {
            let command: Vec<Value> = given("command").map(Value::from).collect();
            options.insert("command", command.into_iter().collect::<Value>());
        }
        "PodPortForwardOptions" => {
            let ports = given("ports").filter_map(|port| port.parse::<i64>().ok()).map(Value::from);
            let ports: Vec<Value> = ports.collect();
            if !ports.is_empty() {
                options.insert("ports", ports.into_iter().collect::<Value>());
            }
        }
        _ if !has_streams => {
            if let Some(path) = given("path").next().filter(|path| !path.is_empty()) {
                options.insert("path", path);
            }
        }
        _ => {}
    }
    Some(options)
}

fn has_no_address(node: &Value) -> bool {
    let addresses = node.lookup(&["status", "addresses"]).and_then(Value::as_array);
    addresses.is_none_or(|addresses| addresses.is_empty())
}

impl Target<'_> {
    /// The backend of a connection subresource.
    async fn backend(&self, parameters: &[(&str, &str)]) -> Result<Backend> {
        let resource = &self.definition().resource;
        let name = self.write.request.name;
        let Some(SubresourceKind::Connect(sub)) = self.write.subresource()?.map(|subresource| &subresource.kind) else {
            return Err(ApiError::method_not_supported(resource, "connect"));
        };
        let parent = sub.parent(name)?;
        let missing = || sub.missing_parent(name).unwrap_or_else(|| ApiError::not_found(resource, parent));
        let found = self.find(parent, "get").await?.ok_or_else(missing)?;
        let parent = self.write.requested(self.decode(&found)?)?;
        self.write.guarded(|| sub.connect(&self.write.cx(), &parent, parameters))?
    }
}
