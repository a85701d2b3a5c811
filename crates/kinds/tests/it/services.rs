use std::collections::BTreeSet;
use std::sync::Arc;

use expect_test::expect;
use sprag_kinds::ServiceRanges;
use sprag_registry::{AdmissionPlugin, Admitted, AllocationRepair, Attributes};
use sprag_storage::{Key, Memory, Store as _, Write};
use sprag_value::{Value, json};

use crate::api::{Api, Kind, shown, wait};

pub(crate) const SERVICES: Kind = Kind { path: "services", api_version: "v1", name: "Service" };

fn named(name: &str, spec: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{name}"}},"spec":{{{spec}}}}}"#)
}

const PORT: &str = r#""ports":[{"port":80}]"#;

fn text<'v>(object: &'v Value, path: &[&str]) -> &'v str {
    object.lookup(path).and_then(Value::as_str).unwrap_or_default()
}

fn ip(object: &Value) -> String {
    text(object, &["spec", "clusterIP"]).to_owned()
}

fn node_port(object: &Value) -> i64 {
    let ports = object.lookup(&["spec", "ports"]).and_then(Value::as_array).expect("there are ports");
    ports[0].get("nodePort").and_then(Value::as_i64).unwrap_or(0)
}

impl Api {
    fn service(&self, name: &str, spec: &str) -> Value {
        self.create("services", &named(name, spec)).expect("it is valid")
    }

    fn refused(&self, name: &str, spec: &str) -> String {
        shown(self.create("services", &named(name, spec)))
    }
}

#[test]
fn services_get_an_address_and_defaults() {
    SERVICES.check(
        r#","spec":{"clusterIP":"10.0.0.9","ports":[{"port":80}]}"#,
        expect![[r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"clusterIP":"10.0.0.9","clusterIPs":["10.0.0.9"],"internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":[{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"None","type":"ClusterIP"},"status":{"loadBalancer":{}}}"#]],
    );
    let api = Api::new();
    for name in ["a", "b", "c"] {
        let address: std::net::Ipv4Addr = ip(&api.service(name, PORT)).parse().expect("an address");
        // The first 256 addresses are left for those who ask for one.
        assert!(address.octets()[..2] == [10, 0] && address.octets()[2] > 0, "{address}");
    }
    let service = api.service("np", &format!(r#""type":"NodePort",{PORT}"#));
    assert!((30_086..=32_767).contains(&node_port(&service)), "{service:?}");
}

#[test]
fn headless_services_and_names_get_none() {
    SERVICES.check(r#","spec":{"clusterIP":"None","selector":{"a":"b"}}"#, expect![[r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"clusterIP":"None","clusterIPs":["None"],"internalTrafficPolicy":"Cluster","ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","selector":{"a":"b"},"sessionAffinity":"None","type":"ClusterIP"},"status":{"loadBalancer":{}}}"#]]);
    SERVICES.check(r#","spec":{"type":"ExternalName","externalName":"example.com.","internalTrafficPolicy":"Local"}"#, expect![[r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"},"spec":{"externalName":"example.com.","sessionAffinity":"None","type":"ExternalName"},"status":{"loadBalancer":{}}}"#]]);
}

#[test]
fn values_are_held_by_one_service() {
    let api = Api::new();
    api.service("a", r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#);
    let same_ip = r#"Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.5"]: failed to allocate IP 10.0.0.5: provided IP is already allocated"#;
    assert_eq!(api.refused("b", &format!(r#""clusterIP":"10.0.0.5",{PORT}"#)), same_ip);
    let same_port =
        r#"Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"#;
    let ports = r#""type":"NodePort","ports":[{"port":80,"nodePort":30080}]"#;
    assert_eq!(api.refused("b", ports), same_port);
    let outside = r#"Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767"#;
    assert_eq!(api.refused("b", r#""type":"NodePort","ports":[{"port":80,"nodePort":80}]"#), outside);
    let outside = r#"Service "b" is invalid: spec.clusterIPs: Invalid value: ["192.168.0.1"]: failed to allocate IP 192.168.0.1: the provided network does not match the current range"#;
    assert_eq!(api.refused("b", &format!(r#""clusterIP":"192.168.0.1",{PORT}"#)), outside);
    // One port of nodes may serve several protocols of a service.
    api.service(
        "dns",
        r#""type":"NodePort","ports":[{"name":"u","port":53,"protocol":"UDP","nodePort":30053},{"name":"t","port":53}]"#,
    );
}

#[test]
fn a_refused_service_holds_nothing() {
    let api = Api::new();
    let bad = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":0,"nodePort":30080}]"#;
    assert!(api.refused("a", bad).contains("spec.ports[0].port"));
    assert!(api.create("services", &named("A", &bad.replace("\"port\":0", "\"port\":1"))).is_err(), "a bad name");
    api.service("b", r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#);
}

#[test]
fn values_are_free_when_their_service_is_gone_or_has_no_use_for_them() {
    let api = Api::new();
    let spec = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#;
    api.service("a", spec);
    api.delete("services", "a").expect("it is there");
    api.service("a", spec);
    api.strategic("services", "a", r#"{"spec":{"type":"ClusterIP"}}"#).expect("types may change");
    let ports = r#""type":"NodePort","ports":[{"port":80,"nodePort":30080}]"#;
    api.service("b", ports);
    let named = r#"{"spec":{"type":"ExternalName","externalName":"example.com"}}"#;
    let changed = api.strategic("services", "a", named).expect("types may change");
    assert_eq!(changed.lookup(&["spec", "clusterIPs"]), None);
    api.service("c", &format!(r#""clusterIP":"10.0.0.5",{PORT}"#));
    let back = api.strategic("services", "a", r#"{"spec":{"type":"ClusterIP"}}"#).expect("types may change");
    assert!(!ip(&back).is_empty() && ip(&back) != "10.0.0.5");
}

#[test]
fn updates_keep_what_the_service_was_given() {
    let api = Api::new();
    let spec = format!(r#""type":"LoadBalancer","externalTrafficPolicy":"Local",{PORT}"#);
    let created = api.service("a", &spec);
    let updated = api.update("services", "a", &named("a", &spec)).expect("nothing changed");
    assert_eq!(created.get("spec"), updated.get("spec"));
    let check = |object: &Value| object.lookup(&["spec", "healthCheckNodePort"]).and_then(Value::as_i64).unwrap_or(0);
    assert!((30_000..=32_767).contains(&check(&created)));
    let cluster = format!(r#""type":"LoadBalancer","externalTrafficPolicy":"Cluster",{PORT}"#);
    let updated = api.update("services", "a", &named("a", &cluster)).expect("policies may change");
    assert_eq!((check(&updated), ip(&updated)), (0, ip(&created)));
    let moved = api.strategic("services", "a", r#"{"spec":{"clusterIP":"10.0.0.7","clusterIPs":["10.0.0.7"]}}"#);
    let refused = r#"Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.0.7"]: may not change once set"#;
    assert_eq!(shown(moved), refused);
}

#[test]
fn dry_runs_hold_nothing() {
    let api = Api::new();
    let spec = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#;
    api.create_dry("services", &named("a", spec)).expect("it is valid");
    let dry = api.create_dry("services", &named("a", &format!(r#""type":"NodePort",{PORT}"#))).expect("it is valid");
    // As upstream's dry runs: values that no service can have.
    assert_eq!((ip(&dry).as_str(), node_port(&dry)), ("10.0.0.0", 32_769));
    api.service("b", spec);
    let taken = api.create_dry("services", &named("a", &spec.replace("10.0.0.5", "10.0.0.6")));
    let refused =
        r#"Service "a" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"#;
    assert_eq!(shown(taken), refused);
}

#[test]
fn a_server_that_starts_again_knows_what_is_held() {
    let store = Arc::new(Memory::new());
    let first = Api::with(store.clone(), ServiceRanges::default());
    let service = first.service("a", &format!(r#""type":"NodePort",{PORT}"#));
    let again = Api::with(store, ServiceRanges::default());
    let spec = format!(r#""clusterIP":"{}",{PORT}"#, ip(&service));
    assert!(again.refused("b", &spec).contains("provided IP is already allocated"));
    let spec = format!(r#""type":"NodePort","ports":[{{"port":80,"nodePort":{}}}]"#, node_port(&service));
    assert!(again.refused("b", &spec).contains("provided port is already allocated"));
}

#[test]
fn no_value_is_given_twice_and_none_is_lost_when_many_create_at_once() {
    // 62 addresses, 40 ports.
    let ranges = ServiceRanges::new("10.1.0.0/26", "30000-30039").expect("they are ranges");
    let api = Api::with(Arc::new(Memory::new()), ranges);
    let attempts = |thread: usize, kind: &str| -> Vec<Result<Value, String>> {
        let create = |at: usize| {
            let body = named(&format!("{}-{thread}-{at}", kind.to_lowercase()), &format!(r#""type":"{kind}",{PORT}"#));
            api.create("services", &body).map_err(|error| error.to_string())
        };
        (0..10).map(create).collect()
    };
    let all: Vec<Result<Value, String>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..5).map(|thread| scope.spawn(move || attempts(thread, "NodePort"))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let created: Vec<&Value> = all.iter().filter_map(|answer| answer.as_ref().ok()).collect();
    let ports: BTreeSet<i64> = created.iter().map(|service| node_port(service)).collect();
    assert_eq!((created.len(), ports.len()), (40, 40), "each port once");
    let full = "Internal error occurred: failed to allocate a nodePort: range is full";
    assert!(all.iter().filter_map(|answer| answer.as_ref().err()).all(|error| error == full), "{all:?}");
    let more = attempts(9, "ClusterIP").into_iter().chain(attempts(10, "ClusterIP")).chain(attempts(11, "ClusterIP"));
    let more: Vec<Result<Value, String>> = more.collect();
    let created: Vec<&Value> =
        created.into_iter().chain(more.iter().filter_map(|answer| answer.as_ref().ok())).collect();
    let addresses: BTreeSet<String> = created.iter().map(|service| ip(service)).collect();
    assert_eq!((created.len(), addresses.len()), (62, 62), "each address once");
    let error = more.iter().find_map(|answer| answer.as_ref().err()).expect("the range is used up");
    assert!(error.contains(r#"failed to allocate a serviceIP for Service "clusterip-11-"#), "{error}");
}

#[test]
fn two_families_are_given_where_the_cluster_has_them() {
    let ranges = ServiceRanges::new("10.1.0.0/16,fd00::/112", "30000-32767").expect("they are ranges");
    let api = Api::with(Arc::new(Memory::new()), ranges);
    let families = |object: &Value| object.lookup(&["spec", "ipFamilies"]).map(json::to_string).unwrap_or_default();
    let ips =
        |object: &Value| object.lookup(&["spec", "clusterIPs"]).and_then(Value::as_array).map_or(0, |ips| ips.len());
    let one = api.service("one", PORT);
    assert_eq!((families(&one).as_str(), ips(&one)), (r#"["IPv4"]"#, 1));
    let two = api.service("two", &format!(r#""ipFamilyPolicy":"RequireDualStack",{PORT}"#));
    assert_eq!((families(&two).as_str(), ips(&two)), (r#"["IPv4","IPv6"]"#, 2));
    let patched = api.strategic("services", "one", r#"{"spec":{"ipFamilyPolicy":"PreferDualStack"}}"#);
    let patched = patched.expect("a family may be added");
    assert_eq!((ips(&patched), ip(&patched)), (2, ip(&one)));
    let patched = api.strategic("services", "one", r#"{"spec":{"ipFamilyPolicy":"SingleStack"}}"#);
    let patched = patched.expect("the second family may be released");
    assert_eq!((families(&patched).as_str(), ips(&patched)), (r#"["IPv4"]"#, 1));
    let single = Api::new().refused("x", &format!(r#""ipFamilyPolicy":"RequireDualStack",{PORT}"#));
    let why = r#"Service "x" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services"#;
    assert_eq!(single, why);
}

#[test]
fn ranges_are_checked() {
    for (ips, ports) in [
        ("10.0.0.0/16", "30000"),
        ("10.0.0.0/16", "2-1"),
        ("10.0.0.0/16", "0-5"),
        ("10.0.0.1/16", "1-2"),
        ("10.0.0.0/31", "1-2"),
        ("fd00::/48", "1-2"),
        ("", "1-2"),
        ("10.0.0.0/16,fd00::/112,10.1.0.0/16", "1-2"),
    ] {
        assert!(ServiceRanges::new(ips, ports).is_err(), "{ips} {ports}");
    }
    assert_eq!(ServiceRanges::default().to_string(), "10.0.0.0/16 30000-32767");
}

#[test]
fn tables_show_addresses_and_ports() {
    SERVICES.check_row(
        r#","spec":{"clusterIP":"10.0.0.9","selector":{"b":"c","a":"b"},"ports":[{"name":"a","port":80},{"name":"b","port":53,"protocol":"UDP"}]}"#,
        expect![[r#"["ClusterIP","10.0.0.9","\u003cnone\u003e","80/TCP,53/UDP","60s","a=b,b=c"]"#]],
    );
    SERVICES.check_row(
        r#","spec":{"type":"LoadBalancer","clusterIP":"10.0.0.9","ports":[{"port":80,"nodePort":30001}]}"#,
        expect![[r#"["LoadBalancer","10.0.0.9","\u003cpending\u003e","80:30001/TCP","60s","\u003cnone\u003e"]"#]],
    );
}

#[test]
fn services_are_selected_by_type_and_address() {
    let api = Api::new();
    api.service("a", &format!(r#""clusterIP":"10.0.0.9",{PORT}"#));
    api.service("b", r#""clusterIP":"None""#);
    assert_eq!(api.names("services", "spec.clusterIP=None").expect("it is a field"), ["b"]);
    assert_eq!(api.names("services", "spec.type=ClusterIP").expect("it is a field"), ["a", "b"]);
    let unknown = api.names("services", "spec.externalName=x").unwrap_err();
    assert_eq!(unknown.to_string(), "field label not supported: spec.externalName");
}

#[test]
fn a_service_that_is_not_there_is_looked_for_only_by_the_number_of_a_port() {
    let api = Api::new();
    api.service("x", PORT);
    let proxy = |name: &str| api.connect_to(SERVICES.path, name, "proxy", &[]);
    assert_eq!(proxy("x"), r#"503 no endpoints available for service "x""#);
    assert_eq!(proxy("x:81"), r#"503 no service port 81 found for service "x""#);
    assert_eq!(proxy("gone"), r#"503 no endpoints available for service "gone""#);
    assert_eq!(proxy("https:gone:web"), r#"503 no endpoints available for service "gone""#);
    assert_eq!(proxy("gone:80"), r#"404 services "gone" not found"#);
}

#[test]
fn servers_on_one_store_give_each_value_once() {
    let store = Arc::new(Memory::new());
    // 62 addresses, 40 ports.
    let ranges = || ServiceRanges::new("10.1.0.0/26", "30000-30039").expect("they are ranges");
    let servers = [(); 4].map(|()| Api::with(store.clone(), ranges()));
    let asked = r#""type":"NodePort","clusterIP":"10.1.0.1","ports":[{"port":80,"nodePort":30001}]"#;
    let given: Vec<Vec<Result<Value, String>>> = std::thread::scope(|scope| {
        let attempts = |api: &Api, server: usize| {
            let asked_for = api.create("services", &named(&format!("asked-{server}"), asked));
            let any = (0..12).map(|at| {
                let body = named(&format!("any-{server}-{at}"), &format!(r#""type":"NodePort",{PORT}"#));
                api.create("services", &body)
            });
            std::iter::once(asked_for).chain(any).map(|answer| answer.map_err(|error| error.to_string())).collect()
        };
        let threads: Vec<_> =
            servers.iter().enumerate().map(|(at, api)| scope.spawn(move || attempts(api, at))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let all: Vec<Result<Value, String>> = given.into_iter().flatten().collect();
    let created: Vec<&Value> = all.iter().filter_map(|answer| answer.as_ref().ok()).collect();
    let addresses: BTreeSet<String> = created.iter().map(|service| ip(service)).collect();
    let ports: BTreeSet<i64> = created.iter().map(|service| node_port(service)).collect();
    assert_eq!((created.len(), addresses.len(), ports.len()), (40, 40, 40), "each value once, and none is lost");
    let full = "failed to allocate a nodePort: range is full";
    let asked_for = "provided IP is already allocated";
    let is_known =
        |error: &String| error.contains(full) || error.contains(asked_for) || error.contains("provided port");
    assert!(all.iter().filter_map(|answer| answer.as_ref().err()).all(is_known), "{all:?}");
    let recorded = servers[0].names("networking.k8s.io/ipaddresses", "").expect("they are listed");
    assert_eq!(recorded.into_iter().collect::<BTreeSet<_>>(), addresses, "those of refused services are free");
}

#[test]
fn an_address_is_recorded_as_upstream_does() {
    let api = Api::new();
    api.service("a", &format!(r#""clusterIP":"10.0.0.9",{PORT}"#));
    let path = "networking.k8s.io/ipaddresses";
    let address = api.get(path, "10.0.0.9").expect("it is recorded");
    let labels =
        r#"{"ipaddress.kubernetes.io/ip-family":"IPv4","ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io"}"#;
    assert_eq!(address.lookup(&["metadata", "labels"]).map(json::to_string).as_deref(), Some(labels));
    let parent = r#"{"name":"a","namespace":"default","resource":"services"}"#;
    assert_eq!(address.lookup(&["spec", "parentRef"]).map(json::to_string).as_deref(), Some(parent));
    // Who made the object by hand has the address.
    let own = r#"{"apiVersion":"networking.k8s.io/v1","kind":"IPAddress","metadata":{"name":"10.0.0.10"},"spec":{"parentRef":{"resource":"gateways","group":"g.example","name":"g"}}}"#;
    api.create(path, own).expect("it is valid");
    let taken = format!(r#""clusterIP":"10.0.0.10",{PORT}"#);
    assert!(api.refused("b", &taken).contains("provided IP is already allocated"));
    api.delete("services", "a").expect("it is there");
    assert_eq!(api.names(path, "").expect("they are listed"), ["10.0.0.10"]);
    // Of a service that is refused nothing is left, nor of one whose name is taken.
    api.service("c", r#""clusterIP":"None""#);
    assert!(api.refused("c", PORT).contains("already exists"));
    assert_eq!(api.names(path, "").expect("they are listed"), ["10.0.0.10"]);
}

/// Passes over all services, a minute apart; returns what they did.
fn repair(api: &Api, repair: &mut AllocationRepair) -> Vec<String> {
    wait(repair.run(&api.registry)).expect("the store answers")
}

#[test]
fn records_follow_services_after_a_crash() {
    let store = Arc::new(Memory::new());
    let api = Api::with(store.clone(), ServiceRanges::default());
    let spec = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#;
    let service = api.service("a", spec);
    let key = Key::namespaced("", "services", "default", "a").expect("it is a key");
    let entry = wait(store.get(&key)).expect("the store answers").entry.expect("it is there");
    let mut repairs = AllocationRepair::default();
    assert_eq!(repair(&api, &mut repairs), [""; 0], "there is nothing to do");
    // A server that stopped before it stored the service: its records are kept for a while.
    wait(store.write(Write::delete(key.clone(), entry.revision))).expect("it is there");
    assert_eq!(repair(&api, &mut repairs), [""; 0]);
    assert!(
        api.refused("b", &format!(r#""clusterIP":"10.0.0.5",{PORT}"#)).contains("provided IP is already allocated")
    );
    assert!(api.refused("b", spec).contains("already allocated"));
    let mut done = repair(&api, &mut repairs);
    done.sort();
    let erased = ["IPv4 10.0.0.5 was recorded", "nodePort 30080 was recorded"];
    let erased = erased.map(|what| format!("{what} and no object holds it: erased"));
    assert_eq!(done, erased);
    assert_eq!(repair(&api, &mut repairs), [""; 0]);
    // A server of an older version stored a service without records.
    wait(store.write(Write::create(key, entry.value.clone()))).expect("it is gone");
    let mut done = repair(&api, &mut repairs);
    done.sort();
    let mended =
        ["IPv4 10.0.0.5", "nodePort 30080"].map(|what| format!("{what} of default/a was not recorded: mended"));
    assert_eq!(done, mended);
    assert!(api.refused("b", spec).contains("provided IP is already allocated"));
    let other = spec.replace("10.0.0.5", "10.0.0.6");
    assert!(api.refused("b", &other).contains("provided port is already allocated"));
    assert_eq!(ip(&service), "10.0.0.5");
    api.delete("services", "a").expect("it is there");
    api.service("b", spec);
    assert_eq!(repair(&api, &mut repairs), [""; 0]);
}

/// Erases the record of an address before its service is stored, as the repair of another server does when that takes too long.
struct Eraser(Arc<Memory>);

impl AdmissionPlugin for Eraser {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.definition.kind == "Service" && attributes.object.is_some()
    }

    fn validate<'a>(&'a self, _: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async {
            let key = Key::cluster("networking.k8s.io", "ipaddresses", "10.0.0.5").expect("it is a key");
            let found = self.0.get(&key).await.expect("the store answers").entry.expect("it is recorded");
            self.0.write(Write::delete(key, found.revision)).await.expect("it is there");
            Ok(Vec::new())
        })
    }
}

#[test]
fn a_service_whose_record_is_gone_is_not_stored() {
    let store = Arc::new(Memory::new());
    let api = Api::admitting(store.clone(), Arc::new(Eraser(store.clone())));
    let spec = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#;
    let late = "the allocation of addresses and ports took too long: try again";
    assert!(api.refused("a", spec).contains(late));
    assert_eq!(api.names("services", "").expect("they are listed"), [""; 0]);
    // Nothing else of it is left.
    Api::with(store, ServiceRanges::default()).service("b", spec);
}

/// Lets two passes of the repair see the port of an update that is not stored yet, as those of other servers do while this one stands
/// still.
struct Sleeper;

impl AdmissionPlugin for Sleeper {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        attributes.definition.kind == "Service" && attributes.old.is_some()
    }

    fn validate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Vec<String>> {
        Box::pin(async move {
            let mut repairs = AllocationRepair::default();
            for _ in 0..2 {
                repairs.run(attributes.registry).await.expect("the store answers");
            }
            Ok(Vec::new())
        })
    }
}

#[test]
fn an_update_whose_port_is_no_longer_recorded_is_not_stored() {
    let store = Arc::new(Memory::new());
    let api = Api::admitting(store.clone(), Arc::new(Sleeper));
    api.service("a", r#""clusterIP":"10.0.0.5","ports":[{"port":80}]"#);
    let with_port = r#""type":"NodePort","clusterIP":"10.0.0.5","ports":[{"port":80,"nodePort":30080}]"#;
    let refused = shown(api.update("services", "a", &named("a", with_port)));
    assert!(refused.contains("the allocation of addresses and ports took too long: try again"), "{refused}");
    let other = with_port.replace("10.0.0.5", "10.0.0.6");
    api.service("b", &other);
    let with_another = with_port.replace("30080", "30081");
    assert!(shown(api.update("services", "a", &named("a", &with_another))).contains("try again"));
    // Without the repair in between, it is stored.
    let api = Api::with(store, ServiceRanges::default());
    api.update("services", "a", &named("a", &with_another)).expect("the port is free");
}
