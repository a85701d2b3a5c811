//! `/log`, `/exec`, `/attach`, `/portforward` and `/proxy`: connections with the node of a pod, or with the pod itself.

use std::net::IpAddr;
use std::sync::Arc;

use sprag_field::{Error, Errors, Path};
use sprag_rest::{
    ApiError, Backend, ConnectSubresource, Cx, GroupVersionKind, Result, Subresource, SubresourceKind, meta,
};
use sprag_value::view::View;
use sprag_value::{Time, Value};

use super::visit::visit_containers;
use crate::core::ip::parse_ip;
use crate::views::core_v1::Pod;

/// All of them.
pub(super) fn connections() -> impl Iterator<Item = Subresource> {
    let streams =
        [("attach", "PodAttachOptions"), ("exec", "PodExecOptions"), ("portforward", "PodPortForwardOptions")];
    let streams =
        streams.into_iter().map(|(name, kind)| (name, Arc::new(Stream { kind }) as Arc<dyn ConnectSubresource>));
    let others: [(&str, Arc<dyn ConnectSubresource>); 2] = [("log", Arc::new(Log)), ("proxy", Arc::new(Proxy))];
    let all = streams.chain(others);
    all.map(|(name, connect)| Subresource { name: name.to_owned(), kind: SubresourceKind::Connect(connect) })
}

/// A command, a terminal or ports of a pod.
struct Stream {
    kind: &'static str,
}

impl ConnectSubresource for Stream {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", self.kind)
    }

    /// As upstream's `pod.streamLocation` and `pod.PortForwardLocation`.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, parameters: &[(&str, &str)]) -> Result<Backend> {
        let pod: Pod<'_> = View::view(Some(parent));
        if self.kind != "PodPortForwardOptions" {
            check_container(pod, parameter(parameters, "container"))?;
        }
        match pod.spec().node_name() {
            "" => Err(ApiError::bad_request(format!("pod {} does not have a host assigned", cx.name))),
            node => Ok(Backend::Node(node.to_owned())),
        }
    }
}

/// The log of a container.
struct Log;

impl ConnectSubresource for Log {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "Pod")
    }

    fn verbs(&self) -> &'static [&'static str] {
        &["get"]
    }

    /// As upstream's `LogREST.Get` and `pod.LogLocation`.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, parameters: &[(&str, &str)]) -> Result<Backend> {
        check_log_options(cx, parameters)?;
        let pod: Pod<'_> = View::view(Some(parent));
        check_container(pod, parameter(parameters, "container"))?;
        match pod.spec().node_name() {
            "" => Ok(Backend::Nothing),
            node => Ok(Backend::Node(node.to_owned())),
        }
    }
}

/// As upstream's `validation.ValidatePodLogOptions`, after its conversion of the parameters.
fn check_log_options(cx: &Cx<'_>, parameters: &[(&str, &str)]) -> Result<()> {
    let number = |parameter_name: &str| match parameter(parameters, parameter_name) {
        "" => Ok(None),
        text => text.parse::<i64>().map(Some).map_err(|_| {
            let text = sprag_field::quote::go(text);
            ApiError::bad_request(format!("strconv.ParseInt: parsing {text}: invalid syntax"))
        }),
    };
    let since = number("sinceSeconds")?;
    let time = parameter(parameters, "sinceTime");
    if !matches!(time, "" | "null") {
        time.parse::<Time>().map_err(|error| ApiError::bad_request(error.to_string()))?;
    }
    let tail = number("tailLines")?;
    let limit = number("limitBytes")?;
    let mut errors = Errors::new();
    if let Some(tail) = tail.filter(|tail| *tail < 0) {
        errors.push(Error::invalid(&Path::new("tailLines"), tail, "must be greater than or equal to 0"));
    }
    if let Some(limit) = limit.filter(|limit| *limit < 1) {
        errors.push(Error::invalid(&Path::new("limitBytes"), limit, "must be greater than 0"));
    }
    match (since, time) {
        (Some(_), time) if !time.is_empty() => {
            errors.push(Error::forbidden(
                &Path::new(""),
                "at most one of `sinceTime` or `sinceSeconds` may be specified",
            ));
        }
        (Some(since), _) if since < 1 => {
            errors.push(Error::invalid(&Path::new("sinceSeconds"), since, "must be greater than 0"));
        }
        _ => {}
    }
    check_stream(cx, parameters, tail, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(ApiError::invalid("PodLogOptions", "", cx.name, &errors.into_vec())) }
}

/// Judges the choice between the output and the errors of a container.
fn check_stream(cx: &Cx<'_>, parameters: &[(&str, &str)], tail: Option<i64>, errors: &mut Errors) {
    let stream = parameters.iter().find(|(name, _)| *name == "stream").map(|(_, stream)| *stream);
    let Some(stream) = stream else { return };
    if !cx.gates.enabled("PodLogsQuerySplitStreams") {
        return errors.push(Error::forbidden(&Path::new("stream"), "may not be specified"));
    }
    let streams = ["All", "Stderr", "Stdout"];
    if !streams.contains(&stream) {
        errors.push(Error::not_supported(&Path::new("stream"), stream, &streams));
    }
    if stream != "All" && tail.is_some() {
        let detail = "`tailLines` and specific `stream` are mutually exclusive for now";
        errors.push(Error::forbidden(&Path::new(""), detail));
    }
}

/// As upstream's `pod.validateContainer`.
fn check_container(pod: Pod<'_>, container: &str) -> Result<()> {
    let name = meta::name(pod.as_value());
    let mut names = Vec::new();
    visit_containers(pod.spec(), &Path::ROOT, &mut |container, _| names.push(container.name()));
    match (container, pod.spec().containers().len()) {
        ("", 1) => Ok(()),
        ("", 0) => Err(ApiError::bad_request(format!("a container name must be specified for pod {name}"))),
        ("", _) => {
            let names = names.join(" ");
            let why = format!("a container name must be specified for pod {name}, choose one of: [{names}]");
            Err(ApiError::bad_request(why))
        }
        _ if names.contains(&container) => Ok(()),
        _ => Err(ApiError::bad_request(format!("container {container} is not valid for pod {name}"))),
    }
}

/// The verbs of connections that pass on whatever is sent.
pub(crate) const PROXY_VERBS: &[&str] = &["create", "delete", "get", "patch", "update"];

/// The network of a pod.
struct Proxy;

impl ConnectSubresource for Proxy {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "PodProxyOptions")
    }

    fn verbs(&self) -> &'static [&'static str] {
        PROXY_VERBS
    }

    fn parent<'n>(&self, name: &'n str) -> Result<&'n str> {
        let (_, name, _) = split_proxy_name("pod", name)?;
        Ok(name)
    }

    /// As upstream's `pod.ResourceLocation`.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, _: &[(&str, &str)]) -> Result<Backend> {
        let (pod, (_, _, port)): (Pod<'_>, _) = (View::view(Some(parent)), split_proxy_name("pod", cx.name)?);
        let first = pod.spec().containers().iter().find_map(|container| container.ports().get(0));
        let port = match (port, first) {
            ("", Some(first)) => first.container_port().to_string(),
            (port, _) => port.to_owned(),
        };
        let address = pod.status().pod_ips().get(0).and_then(|ip| parse_ip(ip.ip())).filter(is_global_unicast);
        let Some(address) = address else { return Err(ApiError::bad_request("address not allowed")) };
        let is_v6 = matches!(address, IpAddr::V6(_));
        let host = if is_v6 { format!("[{address}]") } else { address.to_string() };
        Ok(Backend::Address(if port.is_empty() { host } else { format!("{host}:{port}") }))
    }
}

/// As Go's `net.IP.IsGlobalUnicast`.
fn is_global_unicast(address: &IpAddr) -> bool {
    let is_link_local = match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    !(is_link_local || address.is_unspecified() || address.is_loopback() || address.is_multicast())
}

/// Scheme, name and port in the name of a path, as upstream's `net.SplitSchemeNamePort`.
pub(crate) fn split_proxy_name<'n>(kind: &str, id: &'n str) -> Result<(&'n str, &'n str, &'n str)> {
    let parts: Vec<&str> = id.split(':').collect();
    let split = match parts.as_slice() {
        [name] => ("", *name, ""),
        [name, port] => ("", *name, *port),
        [scheme, name, port] => (*scheme, *name, *port),
        _ => ("", "", ""),
    };
    if split.1.is_empty() || !matches!(split.0, "" | "http" | "https") {
        return Err(ApiError::bad_request(format!("invalid {kind} request {}", sprag_field::quote::go(id))));
    }
    Ok(split)
}

/// The first value of a parameter, or nothing.
fn parameter<'p>(parameters: &[(&str, &'p str)], name: &str) -> &'p str {
    parameters.iter().find(|(given, _)| *given == name).map_or("", |(_, value)| value)
}
