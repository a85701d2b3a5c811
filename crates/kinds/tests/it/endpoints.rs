use expect_test::expect;

use crate::api::{Api, Kind, shown};

const ENDPOINTS: Kind = Kind { path: "endpoints", api_version: "v1", name: "Endpoints" };
const SLICES: Kind =
    Kind { path: "discovery.k8s.io/endpointslices", api_version: "discovery.k8s.io/v1", name: "EndpointSlice" };

#[test]
fn endpoints_are_completed_and_judged() {
    ENDPOINTS.check(r#","subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80}]}]"#, expect![[r#"{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"x"},"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80,"protocol":"TCP"}]}]}"#]]);
    ENDPOINTS.check(r#","subsets":[{},{"addresses":[{"ip":"127.0.0.1","hostname":"A"}],"ports":[{"port":0,"name":"a"},{"port":1}]}]"#, expect![[r#"Endpoints "x" is invalid: [subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`, subsets[1].addresses[0].hostname: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), subsets[1].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128), subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, subsets[1].ports[1].name: Required value]"#]]);
}

#[test]
fn writers_of_odd_addresses_are_warned() {
    let body = r#"{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"x"},"addressType":"FQDN",
        "endpoints":[{"addresses":["a.example.com"]}]}"#;
    assert_eq!(Api::new().warnings(SLICES.path, body), ["spec.addressType: FQDN endpoints are deprecated"]);
    let body = ENDPOINTS.body(r#","subsets":[{"addresses":[{"ip":"FD00:0::1"}]}]"#);
    let warning =
        r#"subsets[0].addresses[0].ip: IPv6 address "FD00:0::1" should be in RFC 5952 canonical format ("fd00::1")"#;
    assert_eq!(Api::new().warnings(ENDPOINTS.path, &body), [warning]);
}

#[test]
fn slices_count_their_generations() {
    let body = |members: &str| SLICES.body(&format!(r#","addressType":"IPv4"{members}"#));
    let api = Api::new();
    let generation = |answer| {
        let text: String = shown(answer);
        text.split(r#""generation":"#)
            .nth(1)
            .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>())
    };
    assert_eq!(generation(api.create(SLICES.path, &body(""))).as_deref(), Some("1"));
    assert_eq!(generation(api.update(SLICES.path, "x", &body(r#","ports":[],"endpoints":[]"#))).as_deref(), Some("1"));
    let changed = body(r#","endpoints":[{"addresses":["10.0.0.1"]}]"#);
    assert_eq!(generation(api.update(SLICES.path, "x", &changed)).as_deref(), Some("2"));
    assert_eq!(generation(api.update(SLICES.path, "x", &changed)).as_deref(), Some("2"));
    let labelled = changed.replace(r#""name":"x""#, r#""name":"x","labels":{"a":"b"}"#);
    assert_eq!(generation(api.update(SLICES.path, "x", &labelled)).as_deref(), Some("3"));
}

#[test]
fn the_type_of_addresses_stays_and_is_kept() {
    SLICES.check_update(
        r#","addressType":"IPv4""#,
        r#","addressType":"IPv6","endpoints":[{"addresses":[]},{"addresses":["10.0.0.1"]}]"#,
        expect![[r#"EndpointSlice.discovery.k8s.io "x" is invalid: [endpoints[1].addresses: Invalid value: "10.0.0.1": must be an IPv6 address, addressType: Invalid value: null: field is immutable, endpoints[0].addresses: Required value]"#]],
    );
}

#[test]
fn tables_show_a_few_addresses() {
    let four = r#"[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"},{"ip":"10.0.0.3"},{"ip":"fd00::1"}]"#;
    ENDPOINTS.check_row(
        &format!(r#","subsets":[{{"addresses":{four},"ports":[{{"port":80}}]}}]"#),
        expect![[r#"["10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...","60s"]"#]],
    );
    SLICES.check_row(
        r#","addressType":"IPv4","ports":[{"name":"a"},{"name":"b","port":80}],"endpoints":[{"addresses":["10.0.0.1"]}]"#,
        expect![[r#"["IPv4","a,80","10.0.0.1","60s"]"#]],
    );
}
