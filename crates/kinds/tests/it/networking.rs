use expect_test::expect;

use crate::api::{Api, Kind, shown};

pub(crate) const INGRESSES: Kind =
    Kind { path: "networking.k8s.io/ingresses", api_version: "networking.k8s.io/v1", name: "Ingress" };
const CLASSES: Kind = Kind { path: "networking.k8s.io/ingressclasses", name: "IngressClass", ..INGRESSES };
const POLICIES: Kind = Kind { path: "networking.k8s.io/networkpolicies", name: "NetworkPolicy", ..INGRESSES };
const ADDRESSES: Kind = Kind { path: "networking.k8s.io/ipaddresses", name: "IPAddress", ..INGRESSES };
const RANGES: Kind = Kind { path: "networking.k8s.io/servicecidrs", name: "ServiceCIDR", ..INGRESSES };

#[test]
fn ingresses_have_paths_with_backends() {
    INGRESSES.check("", expect![[r#"Ingress.networking.k8s.io "x" is invalid: spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"#]]);
    INGRESSES.check(r#","spec":{"rules":[]}"#, expect![[r#"Ingress.networking.k8s.io "x" is invalid: spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"#]]);
    let rule =
        |host: &str, path: &str| format!(r#","spec":{{"rules":[{{"host":"{host}","http":{{"paths":[{path}]}}}}]}}"#);
    let service = r#""backend":{"service":{"name":"web","port":{"number":80}}}"#;
    INGRESSES.check(&rule("*.example.com", &format!(r#"{{"path":"/","pathType":"Prefix",{service}}}"#)), expect![[r#"{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"generation":1,"name":"x"},"spec":{"rules":[{"host":"*.example.com","http":{"paths":[{"backend":{"service":{"name":"web","port":{"number":80}}},"path":"/","pathType":"Prefix"}]}}]},"status":{"loadBalancer":{}}}"#]]);
    INGRESSES.check(&rule("10.0.0.1", &format!(r#"{{"path":"/",{service}}}"#)), expect![[r#"Ingress.networking.k8s.io "x" is invalid: [spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address, spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified]"#]]);
    INGRESSES.check(
        &rule("a*.b", r#"{"path":"a//b/..","pathType":"Exact","backend":{"service":{"name":"1web","port":{"name":"http","number":80}}}}"#),
        expect![[r#"Ingress.networking.k8s.io "x" is invalid: [spec.rules[0].host: Invalid value: "a*.b": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must be an absolute path, spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must not contain '//', spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": cannot end with '/..', spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both port name & port number]"#]],
    );
}

#[test]
fn an_ingress_keeps_what_was_let_through() {
    let api = Api::new();
    let spec = r#","spec":{"defaultBackend":{"service":{"name":"web","port":{"name":"http"}}}}"#;
    api.create(INGRESSES.path, &INGRESSES.body(spec)).expect("the object is valid");
    let status = r#"{"status":{"loadBalancer":{"ingress":[{"ip":"010.0.0.1","hostname":"10.0.0.1"}]}}}"#;
    expect![[r#"Ingress.networking.k8s.io "x" is invalid: [status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s, status.loadBalancer.ingress[0].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address]"#]].assert_eq(&shown(api.merge_below(INGRESSES.path, "status", status)));
}

#[test]
fn classes_name_their_controller_for_good() {
    CLASSES.check(
        r#","spec":{"controller":"x","parameters":{"kind":"a/b","name":"","scope":"Namespace"}}"#,
        expect![[r#"IngressClass.networking.k8s.io "x" is invalid: [spec.controller: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo"), spec.parameters.kind: Invalid value: "a/b": may not contain '/', spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace', spec.parameters.name: Required value]"#]],
    );
    CLASSES.check_update(
        r#","spec":{"controller":"example.com/a"}"#,
        r#","spec":{"controller":"example.com/b","parameters":{"kind":"K","name":"n","namespace":"d"}}"#,
        expect![[r#"IngressClass.networking.k8s.io "x" is invalid: [spec.controller: Invalid value: "example.com/b": field is immutable, spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster']"#]],
    );
}

/// As Go prints plain texts, other than those of named types.
#[test]
fn texts_of_classes_are_quoted_as_go_does() {
    let spec = r#","spec":{"controller":"example.com/a","parameters":{"kind":"k","name":"n","scope":"a<b"}}"#;
    CLASSES.check(spec, expect![[r#"IngressClass.networking.k8s.io "x" is invalid: spec.parameters.scope: Unsupported value: "a<b": supported values: "Cluster", "Namespace""#]]);
}

#[test]
fn policies_are_about_ingress_unless_they_say_otherwise() {
    POLICIES.check(r#","spec":{"podSelector":{},"egress":[{"ports":[{"port":80}]}]}"#, expect![[r#"{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"generation":1,"name":"x"},"spec":{"egress":[{"ports":[{"port":80,"protocol":"TCP"}]}],"podSelector":{},"policyTypes":["Ingress","Egress"]}}"#]]);
    POLICIES.check(
        r#","spec":{"ingress":[{"ports":[{"port":"http","endPort":90},{"endPort":1},{"port":80,"endPort":70}],
        "from":[{},{"ipBlock":{"cidr":"10.0.0.0/8","except":["11.0.0.0/16","10.0.0.0/8","10.1.0.0/16"]},"podSelector":{}}]}]}"#,
        expect![[r#"NetworkPolicy.networking.k8s.io "x" is invalid: [spec.ingress[0].ports[0].endPort: Invalid value: 90: may not be specified when `port` is non-numeric, spec.ingress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is not specified, spec.ingress[0].ports[2].endPort: Invalid value: 70: must be greater than or equal to `port`, spec.ingress[0].from[0]: Required value: must specify a peer, spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`, spec.ingress[0].from[1].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`, spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer]"#]],
    );
    let warnings = Api::new().warnings(
        POLICIES.path,
        &POLICIES.body(r#","spec":{"egress":[{"to":[{"ipBlock":{"cidr":"2001:DB8::/64"}}]}]}"#),
    );
    expect![[r#"spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")"#]].assert_eq(&warnings.join("; "));
}

#[test]
fn policies_keep_ranges_that_they_had() {
    let spec = |cidr: &str, except: &str| {
        format!(r#","spec":{{"ingress":[{{"from":[{{"ipBlock":{{"cidr":"{cidr}","except":["{except}"]}}}}]}}]}}"#)
    };
    POLICIES.check(&spec("10.0.0.1/8", "10.2.0.0/16"), expect![[r#"NetworkPolicy.networking.k8s.io "x" is invalid: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length"#]]);
    POLICIES.check_update(&spec("10.0.0.0/8", "10.2.0.0/16"), &spec("10.0.0.0/8", "10.02.0.0/16"), expect![[r#"NetworkPolicy.networking.k8s.io "x" is invalid: spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.02.0.0/16": must not have leading 0s in IP or prefix length"#]]);
}

#[test]
fn addresses_are_names_in_canonical_form() {
    let parent = r#","spec":{"parentRef":{"resource":"services","name":"s","namespace":"d"}}"#;
    ADDRESSES.check(parent, expect![[r#"IPAddress.networking.k8s.io "x" is invalid: metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"#]]);
    let named = |name: &str| ADDRESSES.body(parent).replace(r#""name":"x""#, &format!(r#""name":"{name}""#));
    expect![[r#"IPAddress.networking.k8s.io "2001:DB8::1" is invalid: metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")"#]].assert_eq(&shown(Api::new().create(ADDRESSES.path, &named("2001:DB8::1"))));
    assert!(Api::new().create(ADDRESSES.path, &named("2001:db8::1")).is_ok());
    let generated = named("10.0.0.9").replace(r#""name":"10.0.0.9""#, r#""generateName":"10.0.0.9""#);
    let made = Api::new().create(ADDRESSES.path, &generated).expect("the name is taken as it is");
    assert_eq!(made.lookup(&["metadata", "name"]), Some(&"10.0.0.9".into()));
}

#[test]
fn ranges_can_only_get_another_family() {
    let spec = |cidrs: &str| format!(r#","spec":{{"cidrs":[{cidrs}]}}"#);
    RANGES.check(&spec(r#""10.0.0.0/16","10.1.0.0/16""#), expect![[r#"ServiceCIDR.networking.k8s.io "x" is invalid: spec.cidrs: Invalid value: ["10.0.0.0/16","10.1.0.0/16"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"#]]);
    RANGES.check(&spec(r#""10.0.0.0/16","2001:db8::/064","10.1.0.0/16""#), expect![[r#"ServiceCIDR.networking.k8s.io "x" is invalid: spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/16","2001:db8::/064","10.1.0.0/16"]}: may only hold up to 2 values"#]]);
    RANGES.check_update(&spec(r#""10.0.0.0/16""#), &spec(r#""10.0.0.0/16","2001:db8::/64""#), expect![[r#"{"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"x"},"spec":{"cidrs":["10.0.0.0/16","2001:db8::/64"]},"status":{}}"#]]);
    RANGES.check_update(&spec(r#""10.0.0.0/16""#), &spec(r#""10.1.0.0/16""#), expect![[r#"ServiceCIDR.networking.k8s.io "x" is invalid: spec.cidrs[0]: Invalid value: "10.1.0.0/16": field is immutable"#]]);
    RANGES.check_update(
        &spec(r#""10.0.0.0/16""#),
        "",
        expect![[
            r#"ServiceCIDR.networking.k8s.io "x" is invalid: spec.cidrs: Invalid value: null: field is immutable"#
        ]],
    );
}

#[test]
fn empty_lists_of_policies_count_as_changes() {
    let api = Api::new();
    let update = |spec: &str| {
        let body = POLICIES.body(&format!(r#","spec":{{"podSelector":{{}},"policyTypes":["Ingress"]{spec}}}"#));
        let policy = api.update(POLICIES.path, "x", &body).unwrap();
        policy.lookup(&["metadata", "generation"]).and_then(sprag_value::Value::as_i64)
    };
    api.create(POLICIES.path, &POLICIES.body(r#","spec":{"podSelector":{},"ingress":[]}"#)).unwrap();
    assert_eq!(
        [update(""), update(r#","ingress":[]"#), update(r#","ingress":[]"#), update("")],
        [1, 2, 3, 3].map(Some)
    );
}
