use expect_test::expect;

use crate::api::{Api, Kind, shown};

const INGRESSES: Kind =
    Kind { path: "networking.k8s.io/ingresses", api_version: "networking.k8s.io/v1", name: "Ingress" };
const CLASSES: Kind = Kind { path: "networking.k8s.io/ingressclasses", name: "IngressClass", ..INGRESSES };
const POLICIES: Kind = Kind { path: "networking.k8s.io/networkpolicies", name: "NetworkPolicy", ..INGRESSES };
const ADDRESSES: Kind = Kind { path: "networking.k8s.io/ipaddresses", name: "IPAddress", ..INGRESSES };
const RANGES: Kind = Kind { path: "networking.k8s.io/servicecidrs", name: "ServiceCIDR", ..INGRESSES };

#[test]
fn ingresses_have_paths_with_backends() {
    INGRESSES.check("", expect![[""]]);
    INGRESSES.check(r#","spec":{"rules":[]}"#, expect![[""]]);
    let rule =
        |host: &str, path: &str| format!(r#","spec":{{"rules":[{{"host":"{host}","http":{{"paths":[{path}]}}}}]}}"#);
    let service = r#""backend":{"service":{"name":"web","port":{"number":80}}}"#;
    INGRESSES.check(&rule("*.example.com", &format!(r#"{{"path":"/","pathType":"Prefix",{service}}}"#)), expect![[""]]);
    INGRESSES.check(&rule("10.0.0.1", &format!(r#"{{"path":"/",{service}}}"#)), expect![[""]]);
    INGRESSES.check(
        &rule("a*.b", r#"{"path":"a//b/..","pathType":"Exact","backend":{"service":{"name":"1web","port":{"name":"http","number":80}}}}"#),
        expect![[""]],
    );
}

#[test]
fn an_ingress_keeps_what_was_let_through() {
    let api = Api::new();
    let spec = r#","spec":{"defaultBackend":{"service":{"name":"web","port":{"name":"http"}}}}"#;
    api.create(INGRESSES.path, &INGRESSES.body(spec)).expect("the object is valid");
    let status = r#"{"status":{"loadBalancer":{"ingress":[{"ip":"010.0.0.1","hostname":"10.0.0.1"}]}}}"#;
    expect![[""]].assert_eq(&shown(api.merge_below(INGRESSES.path, "status", status)));
}

#[test]
fn classes_name_their_controller_for_good() {
    CLASSES.check(
        r#","spec":{"controller":"x","parameters":{"kind":"a/b","name":"","scope":"Namespace"}}"#,
        expect![[""]],
    );
    CLASSES.check_update(
        r#","spec":{"controller":"example.com/a"}"#,
        r#","spec":{"controller":"example.com/b","parameters":{"kind":"K","name":"n","namespace":"d"}}"#,
        expect![[""]],
    );
}

#[test]
fn policies_are_about_ingress_unless_they_say_otherwise() {
    POLICIES.check(r#","spec":{"podSelector":{},"egress":[{"ports":[{"port":80}]}]}"#, expect![[""]]);
    POLICIES.check(
        r#","spec":{"ingress":[{"ports":[{"port":"http","endPort":90},{"endPort":1},{"port":80,"endPort":70}],
        "from":[{},{"ipBlock":{"cidr":"10.0.0.0/8","except":["11.0.0.0/16","10.0.0.0/8","10.1.0.0/16"]},"podSelector":{}}]}]}"#,
        expect![[""]],
    );
    let warnings = Api::new().warnings(
        POLICIES.path,
        &POLICIES.body(r#","spec":{"egress":[{"to":[{"ipBlock":{"cidr":"2001:DB8::/64"}}]}]}"#),
    );
    expect![[""]].assert_eq(&warnings.join("; "));
}

#[test]
fn policies_keep_ranges_that_they_had() {
    let spec = |cidr: &str, except: &str| {
        format!(r#","spec":{{"ingress":[{{"from":[{{"ipBlock":{{"cidr":"{cidr}","except":["{except}"]}}}}]}}]}}"#)
    };
    POLICIES.check(&spec("10.0.0.1/8", "10.2.0.0/16"), expect![[""]]);
    POLICIES.check_update(&spec("10.0.0.0/8", "10.2.0.0/16"), &spec("10.0.0.0/8", "10.02.0.0/16"), expect![[""]]);
}

#[test]
fn addresses_are_names_in_canonical_form() {
    let parent = r#","spec":{"parentRef":{"resource":"services","name":"s","namespace":"d"}}"#;
    ADDRESSES.check(parent, expect![[""]]);
    let named = |name: &str| ADDRESSES.body(parent).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
    expect![[""]].assert_eq(&shown(Api::new().create(ADDRESSES.path, &named("2001:DB8::1"))));
    assert!(Api::new().create(ADDRESSES.path, &named("2001:db8::1")).is_ok());
    let generated = named("10.0.0.9").replace(r#""name":"10.0.0.9""#, r#""generateName":"10.0.0.9""#);
    let made = Api::new().create(ADDRESSES.path, &generated).expect("the name is taken as it is");
    assert_eq!(made.lookup(&["metadata", "name"]), Some(&"10.0.0.9".into()));
}

#[test]
fn ranges_can_only_get_another_family() {
    let spec = |cidrs: &str| format!(r#","spec":{{"cidrs":[{cidrs}]}}"#);
    RANGES.check(&spec(r#""10.0.0.0/16","10.1.0.0/16""#), expect![[""]]);
    RANGES.check(&spec(r#""10.0.0.0/16","2001:db8::/064","10.1.0.0/16""#), expect![[""]]);
    RANGES.check_update(&spec(r#""10.0.0.0/16""#), &spec(r#""10.0.0.0/16","2001:db8::/64""#), expect![[""]]);
    RANGES.check_update(&spec(r#""10.0.0.0/16""#), &spec(r#""10.1.0.0/16""#), expect![[""]]);
    RANGES.check_update(&spec(r#""10.0.0.0/16""#), "", expect![[""]]);
}
