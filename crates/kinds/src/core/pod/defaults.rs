//! Defaults of pods and pod templates that are not constants of a declaration, as upstream's pkg/apis/core/v1/defaults.go.
//!
//! Constants of single fields (`protocol: TCP`, the service of a gRPC probe, many of volumes) are tags of the declarations.

use sprag_rest::FeatureGates;
use sprag_value::view::View;
use sprag_value::{Object, Quantity, Value};

use super::aggregate::{Amounts, aggregate_limits, aggregate_requests};
use super::image::is_latest;
use super::resources::{is_huge_pages, is_overcommit_allowed, is_pod_level_resource};
use crate::views::core_v1::{PodSpec, ResourceRequirements};

/// Amounts are kept in thousandths.
const MILLI: i32 = -3;

/// The gate by which resources of a pod as a whole are completed when the pod is made, and not when it is read.
const FIX_DEFAULTING: &str = "PodLevelResourcesFixDefaulting";

/// The defaults of pods that depend on features.
#[derive(Clone, Copy, Debug, Default)]
struct GatedDefaults {
    /// Resources of a pod as a whole, when it is read.
    pod_level_resources: bool,
    /// The protocol of probes and hooks over HTTP.
    http_protocols: bool,
}

/// Makes the function that completes pods while features are on or off as they are.
pub(crate) fn complete_with(gates: &FeatureGates) -> impl Fn(&mut Value) + Send + Sync + use<> {
    let gated = GatedDefaults {
        pod_level_resources: gates.enabled("PodLevelResources") && !gates.enabled(FIX_DEFAULTING),
        http_protocols: gates.enabled("H2CContainerProbe"),
    };
    move |pod| set_pod_defaults(pod, gated)
}

/// Completes a pod, as upstream's `SetObjectDefaults_Pod`.
fn set_pod_defaults(pod: &mut Value, gated: GatedDefaults) {
    set_pod(member(pod, "spec"), gated);
    set_pod_spec_defaults(member(pod, "spec"));
    if let Some(status) = pod.get_mut("status") {
        set_pod_status(status);
    }
}

/// Completes a template of pods, as generated functions do for all kinds that have one.
pub(crate) fn set_pod_template_defaults(template: &mut Value) {
    set_pod_spec_defaults(member(template, "spec"));
}

/// As upstream's `SetDefaults_PodSpec` and the defaults of all that a spec has.
fn set_pod_spec_defaults(spec: &mut Value) {
    set_pod_spec(spec);
    each(spec, "volumes", set_volume);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        each(spec, list, set_container);
    }
    round(spec, "overhead");
    round_resources(spec);
}

/// As upstream's `SetDefaults_Pod`, with the spec of the pod.
fn set_pod(spec: &mut Value, gated: GatedDefaults) {
    let grace = Option::<i64>::view(spec.get("terminationGracePeriodSeconds"));
    if grace.is_some_and(|seconds| seconds < 0) {
        spec.insert("terminationGracePeriodSeconds", 1);
    }
    let uses_host_network = bool::view(spec.get("hostNetwork"));
    set_pointer(spec, "enableServiceLinks", true);
    for list in ["containers", "initContainers"] {
        each(spec, list, |container| {
            if let Some(resources) = container.get_mut("resources") {
                set_missing_requests(resources);
            }
            if uses_host_network {
                each(container, "ports", set_host_port);
            }
        });
    }
    if gated.pod_level_resources {
        set_first_pod_level_resources(spec);
    }
    if gated.http_protocols {
        for list in ["containers", "initContainers", "ephemeralContainers"] {
            each(spec, list, set_http_protocols);
        }
    }
}

/// Requests of a container are its limits where they are not given.
fn set_missing_requests(resources: &mut Value) {
    let requirements: ResourceRequirements<'_> = View::view(Some(&*resources));
    let requests = requirements.requests();
    let missing: Vec<(String, Value)> = match requirements.limits().object() {
        Some(limits) => limits.iter().filter(|(name, _)| !requests.contains_key(name)).map(owned).collect(),
        None => return,
    };
    for (name, limit) in missing {
        member(resources, "requests").insert(name, limit);
    }
}

/// As upstream's `defaultHostNetworkPorts`.
fn set_host_port(port: &mut Value) {
    let number = i64::view(port.get("containerPort"));
    if i64::view(port.get("hostPort")) == 0 && number != 0 {
        port.insert("hostPort", number);
    }
}

/// As upstream's `SetDefaults_PodSpec`.
fn set_pod_spec(spec: &mut Value) {
    if text(spec, "serviceAccountName").is_empty()
        && let Some(name) = spec.get("serviceAccount").cloned()
    {
        spec.insert("serviceAccountName", name);
    }
    match spec.get("serviceAccountName").cloned() {
        Some(name) => {
            spec.insert("serviceAccount", name);
        }
        None => {
            spec.remove("serviceAccount");
        }
    }
}

/// As upstream's `SetDefaults_PodStatus`, and the amounts of a status.
fn set_pod_status(status: &mut Value) {
    let ip = text(status, "podIP").to_owned();
    let first = status.get("podIPs").and_then(|ips| ips.at(0)).map(|first| text(first, "ip").to_owned());
    match first {
        Some(first) if ip.is_empty() && !first.is_empty() => {
            status.insert("podIP", first);
        }
        Some(first) if ip.is_empty() || first == ip => {}
        None if ip.is_empty() => {}
        // The single address wins, for kubelets that know no list.
        _ => {
            let only: Object = [("ip", Value::from(ip))].into_iter().collect();
            status.insert("podIPs", [Value::Object(only)].into_iter().collect::<Value>());
        }
    }
    for list in ["initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"] {
        each(status, list, |container| {
            round(container, "allocatedResources");
            round_resources(container);
        });
    }
    round(status, "allocatedResources");
    round_resources(status);
}

/// As upstream's `SetDefaults_Container` and the defaults of all that a container has.
fn set_container(container: &mut Value) {
    set_pull_policy(container, "imagePullPolicy", "image");
    round_resources(container);
}

/// Sets a pull policy by the tag of an image.
fn set_pull_policy(object: &mut Value, policy: &'static str, image: &str) {
    if text(object, policy).is_empty() {
        let default = if is_latest(text(object, image)) { "Always" } else { "IfNotPresent" };
        object.insert(policy, default);
    }
}

/// As upstream's `SetDefaults_Volume` and the defaults of its sources.
fn set_volume(volume: &mut Value) {
    let has_source = |object: &Object| object.iter().any(|(name, source)| name.as_str() != "name" && !source.is_null());
    if !volume.as_object().is_some_and(has_source) {
        volume.insert("emptyDir", Value::object());
    }
    if let Some(source) = present(volume, "image") {
        set_pull_policy(source, "pullPolicy", "reference");
    }
    if let Some(template) = present(volume, "ephemeral").and_then(|source| present(source, "volumeClaimTemplate")) {
        round_resources(member(template, "spec"));
    }
}

/// As upstream's `defaultHTTPProbeProtocol`.
fn set_http_protocols(container: &mut Value) {
    const HANDLERS: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
    let set = |object: &mut Value, handler: &str| {
        if let Some(get) = present(object, handler).and_then(|handler| present(handler, "httpGet")) {
            set_pointer(get, "protocol", "HTTP1");
        }
    };
    for probe in HANDLERS {
        set(container, probe);
    }
    if let Some(lifecycle) = present(container, "lifecycle") {
        set(lifecycle, "postStart");
        set(lifecycle, "preStop");
    }
}

/// Tells if [`set_pod_level_resources`] is called for pods that are made or resized.
pub(crate) fn completes_pod_level_resources(gates: &FeatureGates) -> bool {
    gates.enabled("PodLevelResources") && gates.enabled(FIX_DEFAULTING)
}

/// Completes the resources of a pod as a whole without the fix, as upstream's `defaultHugePagePodLimits` and
/// `defaultPodRequests`: limits of huge pages first, then requests where there are limits.
fn set_first_pod_level_resources(spec: &mut Value) {
    let view: PodSpec<'_> = View::view(Some(&*spec));
    let Some(own) = view.resources() else { return };
    if own.requests().is_empty() && own.limits().is_empty() {
        return;
    }
    let limits = with_huge_pages(own, &aggregate_limits(view));
    let requests = if limits.is_empty() { own.requests().iter().collect() } else { first_requests(view, own, &limits) };
    write_pod_level_resources(spec, owned_amounts(requests), owned_amounts(limits));
}

/// Completes the resources of a pod as a whole, as upstream's `podutil.DefaultPodLevelResources`: when a pod is made or
/// resized, after all containers are known.
pub(crate) fn set_pod_level_resources(spec: &mut Value) {
    let view: PodSpec<'_> = View::view(Some(&*spec));
    let Some(resources) = view.resources() else { return };
    if resources.requests().is_empty() && resources.limits().is_empty() {
        return;
    }
    let (requests, limits) = pod_level_resources(view, resources);
    write_pod_level_resources(spec, requests, limits);
}

fn write_pod_level_resources(spec: &mut Value, requests: Vec<Amount>, limits: Vec<Amount>) {
    let resources = member(spec, "resources");
    for (list, amounts) in [("requests", requests), ("limits", limits)] {
        for (name, amount) in amounts {
            member(resources, list).insert(name, amount.to_string());
        }
    }
}

/// Requests and limits of a pod that has some, by name.
fn pod_level_resources<'v>(spec: PodSpec<'v>, own: ResourceRequirements<'v>) -> (Vec<Amount>, Vec<Amount>) {
    let totals = aggregate_limits(spec);
    let mut limits = with_huge_pages(own, &totals);
    let requests = first_requests(spec, own, &limits);
    // As upstream's defaultPodLevelLimits: where all containers have a limit.
    for (name, request) in requests.iter().filter(|(name, _)| is_pod_level_resource(name)) {
        if let Some(total) = totals.get(name).filter(|_| !limits.contains_key(name) && all_have_limit(spec, name)) {
            limits.insert(name, total.max(request).clone());
        }
    }
    (owned_amounts(requests), owned_amounts(limits))
}

/// The limits of a pod with those of huge pages that only containers have, as upstream's `defaultHugePagePodLevelLimits`.
fn with_huge_pages<'v>(own: ResourceRequirements<'v>, totals: &Amounts<'v>) -> Amounts<'v> {
    let mut limits: Amounts<'v> = own.limits().iter().collect();
    for (name, total) in totals.iter().filter(|(name, _)| is_huge_pages(name)) {
        if !own.requests().contains_key(name) {
            limits.entry(name).or_insert_with(|| total.clone());
        }
    }
    limits
}

/// The requests of a pod with those that follow from its containers and its limits, as upstream's `defaultPodLevelRequests`.
fn first_requests<'v>(spec: PodSpec<'v>, own: ResourceRequirements<'v>, limits: &Amounts<'v>) -> Amounts<'v> {
    let mut requests: Amounts<'v> = own.requests().iter().collect();
    for (name, total) in aggregate_requests(spec) {
        if is_pod_level_resource(name) && is_overcommit_allowed(name) {
            requests.entry(name).or_insert(total);
        }
    }
    for (name, limit) in limits.iter().filter(|(name, _)| is_pod_level_resource(name)) {
        requests.entry(name).or_insert_with(|| limit.clone());
    }
    requests
}

fn owned_amounts(amounts: Amounts<'_>) -> Vec<Amount> {
    amounts.into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
}

/// The name of a resource and how much of it.
type Amount = (String, Quantity);

/// Tells if all containers have a limit of a resource. Ephemeral ones cannot have any, so none do.
fn all_have_limit(spec: PodSpec<'_>, name: &str) -> bool {
    let mut containers = spec.containers().iter().chain(spec.init_containers().iter());
    spec.ephemeral_containers().is_empty()
        && containers.all(|container| container.resources().limits().contains_key(name))
}

/// Rounds requests and limits, where there are some.
pub(crate) fn round_resources(object: &mut Value) {
    if let Some(resources) = present(object, "resources") {
        round(resources, "limits");
        round(resources, "requests");
    }
}

/// As upstream's `SetDefaults_ResourceList`: rounds amounts up to thousandths.
pub(crate) fn round(object: &mut Value, list: &str) {
    let is_fine = |value: &Value| rounded(value).is_some();
    if !object.get(list).and_then(Value::as_object).is_some_and(|list| list.values().any(is_fine)) {
        return;
    }
    if let Some(Value::Object(list)) = object.get_mut(list) {
        for (_, value) in list.iter_mut() {
            if let Some(rounded) = rounded(value) {
                *value = rounded;
            }
        }
    }
}

/// The amount in thousandths, where that is another one.
fn rounded(value: &Value) -> Option<Value> {
    // Whole numbers with one of the other suffixes are no finer.
    let text = value.as_str().filter(|text| text.contains(['.', 'n', 'u', 'e', 'E']))?;
    let amount = text.parse::<Quantity>().ok()?;
    let rounded = amount.rounded_up(MILLI);
    (rounded != amount).then(|| rounded.to_string().into())
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    View::view(object.get(name))
}

fn owned((name, value): (impl AsRef<str>, &Value)) -> (String, Value) {
    (name.as_ref().to_owned(), value.clone())
}

/// A member that is an object and added where it is absent.
fn member<'v>(object: &'v mut Value, name: &'static str) -> &'v mut Value {
    if !matches!(object.get(name), Some(Value::Object(_))) {
        object.insert(name, Value::object());
    }
    object.get_mut(name).expect("it is there")
}

/// A member that is there and not null.
fn present<'v>(object: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    if object.get(name).is_none_or(Value::is_null) {
        return None;
    }
    object.get_mut(name)
}

fn each(object: &mut Value, list: &str, complete: impl FnMut(&mut Value)) {
    if let Some(Value::Array(items)) = object.get_mut(list) {
        items.as_mut_slice().iter_mut().for_each(complete);
    }
}

fn set_pointer(object: &mut Value, name: &'static str, default: impl Into<Value>) {
    if object.get(name).is_none_or(Value::is_null) {
        object.insert(name, default);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprag_value::json;

    fn completed(pod: &str, complete: fn(&mut Value)) -> Value {
        let mut pod = json::parse(pod.as_bytes()).unwrap();
        complete(&mut pod);
        pod
    }

    fn default_pod(pod: &mut Value) {
        set_pod_defaults(pod, GatedDefaults::default());
    }

    #[track_caller]
    fn check(object: &Value, path: &[&str], expected: &str) {
        let found = object.lookup(path).map(json::to_string);
        assert_eq!(found.as_deref(), Some(expected), "{path:?}");
    }

    #[test]
    fn pods_get_requests_and_host_ports_and_templates_do_not() {
        let text = r#"{"spec":{"hostNetwork":true,"containers":[{"name":"a","image":"i:1",
            "ports":[{"containerPort":80}],"resources":{"limits":{"cpu":"100u"}}}]}}"#;
        let container =
            |object: &Value| object.lookup(&["spec", "containers"]).and_then(|list| list.at(0)).cloned().unwrap();
        let pod = container(&completed(text, default_pod));
        check(&pod, &["resources"], r#"{"limits":{"cpu":"1m"},"requests":{"cpu":"1m"}}"#);
        check(&pod, &["ports"], r#"[{"containerPort":80,"hostPort":80}]"#);
        check(&pod, &["imagePullPolicy"], r#""IfNotPresent""#);
        let template = container(&completed(text, set_pod_template_defaults));
        check(&template, &["resources"], r#"{"limits":{"cpu":"1m"}}"#);
        check(&template, &["ports"], r#"[{"containerPort":80}]"#);
    }

    #[test]
    fn both_names_of_the_service_account_are_kept_the_same() {
        let old = completed(r#"{"spec":{"serviceAccount":"a"}}"#, set_pod_template_defaults);
        check(&old, &["spec", "serviceAccountName"], r#""a""#);
        let both = completed(r#"{"spec":{"serviceAccount":"a","serviceAccountName":"b"}}"#, set_pod_template_defaults);
        check(&both, &["spec", "serviceAccount"], r#""b""#);
        let none = completed("{}", set_pod_template_defaults);
        assert!(none.lookup(&["spec", "serviceAccount"]).is_none());
    }

    #[test]
    fn the_single_address_of_a_pod_wins() {
        let both = completed(r#"{"status":{"podIP":"1.1.1.1","podIPs":[{"ip":"2.2.2.2"}]}}"#, default_pod);
        check(&both, &["status", "podIPs"], r#"[{"ip":"1.1.1.1"}]"#);
        let list = completed(r#"{"status":{"podIPs":[{"ip":"2.2.2.2"},{"ip":"::1"}]}}"#, default_pod);
        check(&list, &["status"], r#"{"podIP":"2.2.2.2","podIPs":[{"ip":"2.2.2.2"},{"ip":"::1"}]}"#);
    }

    #[test]
    fn resources_of_a_pod_follow_from_its_containers() {
        let spec = |limits: &str| {
            format!(
                r#"{{"containers":[{{"resources":{{"requests":{{"cpu":"1"}},"limits":{limits}}}}}],"resources":{{"requests":{{"memory":"1Gi"}}}}}}"#
            )
        };
        let some = completed(&spec(r#"{"cpu":"2"}"#), set_pod_level_resources);
        check(&some, &["resources"], r#"{"limits":{"cpu":"2"},"requests":{"cpu":"1","memory":"1Gi"}}"#);
        // A limit is never below the request of the pod.
        let all = completed(&spec(r#"{"cpu":"2","memory":"1Mi"}"#), set_pod_level_resources);
        check(&all, &["resources", "limits"], r#"{"cpu":"2","memory":"1Gi"}"#);
    }
}
