use expect_test::{Expect, expect};
use sprag_value::json;

use crate::api::{Api, Kind, shown};

const CLAIMS: Kind =
    Kind { path: "resource.k8s.io/resourceclaims", api_version: "resource.k8s.io/v1", name: "ResourceClaim" };
const TEMPLATES: Kind = Kind {
    path: "resource.k8s.io/resourceclaimtemplates",
    api_version: "resource.k8s.io/v1",
    name: "ResourceClaimTemplate",
};
const SLICES: Kind =
    Kind { path: "resource.k8s.io/resourceslices", api_version: "resource.k8s.io/v1", name: "ResourceSlice" };
pub(crate) const CLASSES: Kind =
    Kind { path: "resource.k8s.io/deviceclasses", api_version: "resource.k8s.io/v1", name: "DeviceClass" };
const TAINTS: Kind =
    Kind { path: "resource.k8s.io/devicetaintrules", api_version: "resource.k8s.io/v1", name: "DeviceTaintRule" };

/// A claim with these requests, and more members of `devices`.
fn claim(requests: &str, more: &str) -> String {
    format!(r#","spec":{{"devices":{{"requests":[{requests}]{more}}}}}"#)
}

/// A slice of one node with these devices.
fn slice(devices: &str) -> String {
    format!(
        r#","spec":{{"driver":"gpu.example.com","nodeName":"n","pool":{{"name":"p","resourceSliceCount":1,"generation":0}},"devices":[{devices}]}}"#
    )
}

#[test]
fn requests_are_completed() {
    CLAIMS.check(
        &claim(r#"{"name":"a","exactly":{"deviceClassName":"c","tolerations":[{"key":"k","value":"v"}]}},{"name":"b","firstAvailable":[{"name":"s","deviceClassName":"c","allocationMode":"All"}]}"#, ""),
        expect![[r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c","tolerations":[{"key":"k","operator":"Equal","value":"v"}]},"name":"a"},{"firstAvailable":[{"allocationMode":"All","deviceClassName":"c","name":"s"}],"name":"b"}]}},"status":{}}"#]],
    );
    TEMPLATES.check(r#","spec":{"metadata":{"labels":{"a":"b"}},"spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c"}}]}}}"#, expect![[r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"x"},"spec":{"metadata":{"labels":{"a":"b"}},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c"},"name":"a"}]}}}}"#]]);
}

#[test]
fn selectors_are_compiled_when_they_are_new() {
    let selector = |expression: &str| {
        let expression = sprag_value::json::to_string(&expression.into());
        claim(
            &format!(
                r#"{{"name":"a","exactly":{{"deviceClassName":"c","selectors":[{{"cel":{{"expression":{expression}}}}}]}}}}"#
            ),
            "",
        )
    };
    let check = |expression: &str, expected: Expect| CLAIMS.check(&selector(expression), expected);
    check(
        "device.attributes['gpu.example.com'].memory > 4",
        expect![[
            r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c","selectors":[{"cel":{"expression":"device.attributes['gpu.example.com'].memory \u003e 4"}}]},"name":"a"}]}},"status":{}}"#
        ]],
    );
    check(
        "device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('10Gi'))",
        expect![[
            r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c","selectors":[{"cel":{"expression":"device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('10Gi'))"}}]},"name":"a"}]}},"status":{}}"#
        ]],
    );
    check(
        "device.model == 'a100'",
        expect![[r#"
        ResourceClaim.resource.k8s.io "x" is invalid: spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "device.model == 'a100'": compilation failed: ERROR: <input>:1:7: undefined field 'model'
         | device.model == 'a100'
         | ......^"#]],
    );
    check(
        "device.driver",
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string"#
        ]],
    );
    check(
        "device.driver.startsWith(",
        expect![[r#"
        ResourceClaim.resource.k8s.io "x" is invalid: spec.devices.requests[0].exactly.selectors[0].cel.expression: Invalid value: "device.driver.startsWith(": compilation failed: ERROR: <input>:1:26: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
         | device.driver.startsWith(
         | .........................^"#]],
    );
    check(
        "device.attributes.all(d, device.attributes.all(e, device.attributes.all(f, device.attributes.all(g, device.attributes.all(h, d == e && f == g && h == d)))))",
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: spec.devices.requests[0].exactly.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit"#
        ]],
    );
}

#[test]
fn constraints_and_configuration_name_requests_of_the_claim() {
    let requests =
        r#"{"name":"a","firstAvailable":[{"name":"s","deviceClassName":"c"},{"name":"t","deviceClassName":"c"}]}"#;
    let more = r#","constraints":[{"requests":["a/s","a","a/u","b"],"matchAttribute":"gpu.example.com/numa"}],"config":[{"requests":["a/s/t"],"opaque":{"driver":"gpu.example.com","parameters":["x"]}}]"#;
    CLAIMS.check(&claim(requests, more), expect![[r#"ResourceClaim.resource.k8s.io "x" is invalid: [spec.devices.constraints[0].requests[2]: Invalid value: "a/u": must be the name of a request in the claim or the name of a request and a subrequest separated by '/', spec.devices.constraints[0].requests[3]: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by '/', spec.devices.config[0].requests[0]: Invalid value: "a/s/t": must be the name of a request in the claim or the name of a request and a subrequest separated by '/', spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object]"#]]);
    let both = r#"{"name":"a","exactly":{"deviceClassName":"c"},"firstAvailable":[{"name":"s","deviceClassName":"c"}]},{"name":"a"}"#;
    CLAIMS.check(&claim(both, r#","constraints":[{}]"#), expect![[r#"ResourceClaim.resource.k8s.io "x" is invalid: [spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set, spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required, spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set, spec.devices.requests[1]: Duplicate value: {"name":"a"}]"#]]);
}

#[test]
fn specifications_of_claims_do_not_change() {
    let request = |name: &str| format!(r#"{{"name":"{name}","exactly":{{"deviceClassName":"c"}}}}"#);
    CLAIMS.check_update(
        &claim(&request("a"), ""),
        &claim(&request("b"), ""),
        expect![[r#"ResourceClaim.resource.k8s.io "x" is invalid: spec: Invalid value: null: field is immutable"#]],
    );
    let template = |name: &str| format!(r#","spec":{{"spec":{{"devices":{{"requests":[{}]}}}}}}"#, request(name));
    TEMPLATES.check_update(&template("a"), &template("b"), expect![[r#"ResourceClaimTemplate.resource.k8s.io "x" is invalid: spec: Invalid value: {"Spec":{"Devices":{"Requests":[{"Name":"b","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null,"DerivedAttributes":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}}: field is immutable"#]]);
}

#[test]
fn admin_access_needs_a_labelled_namespace() {
    let members = claim(r#"{"name":"a","exactly":{"deviceClassName":"c","adminAccess":true}}"#, "");
    CLAIMS.check(&members, expect![[r#"ResourceClaim.resource.k8s.io "x" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"#]]);
    let api = Api::new();
    let labels = r#"{"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}}"#;
    api.strategic("namespaces", "default", labels).expect("a label");
    assert!(api.create(CLAIMS.path, &CLAIMS.body(&members)).is_ok());
    api.strategic("namespaces", "default", r#"{"metadata":{"labels":null}}"#).expect("no label");
    let status = r#"{"status":{"allocation":{"devices":{"results":[{"request":"a","driver":"gpu.example.com","pool":"p","device":"d","adminAccess":true}]}}}}"#;
    expect![[r#"ResourceClaim.resource.k8s.io "x" is invalid: status.allocation.devices.results[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"#]].assert_eq(&shown(api.merge_below(CLAIMS.path, "status", status)));
}

#[test]
fn reports_are_about_allocated_devices() {
    let api = Api::new();
    let request = r#"{"name":"a","exactly":{"deviceClassName":"c"}}"#;
    api.create(CLAIMS.path, &CLAIMS.body(&claim(request, ""))).expect("a claim");
    let check = |status: &str, expected: Expect| {
        let patch = format!(r#"{{"status":{status}}}"#);
        expected.assert_eq(&shown(api.merge_below(CLAIMS.path, "status", &patch)));
    };
    check(
        r#"{"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}"#,
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: status.reservedFor: Forbidden: may not be specified when `allocated` is not set"#
        ]],
    );
    check(
        r#"{"allocation":{"devices":{"results":[{"request":"b","driver":"","pool":"a//b","device":"D"}]}}}"#,
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: [status.allocation.devices.results[0].request: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by '/', status.allocation.devices.results[0].device: Invalid value: "D": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), status.allocation.devices.results[0].driver: Required value, status.allocation.devices.results[0].pool: Invalid value: "a//b": segment 1: must not be empty]"#
        ]],
    );
    let result = r#"{"request":"a","driver":"gpu.example.com","pool":"p","device":"d"}"#;
    check(
        &format!(
            r#"{{"allocation":{{"devices":{{"results":[{result}]}}}},"devices":[{{"driver":"gpu.example.com","pool":"p","device":"e","networkData":{{"ips":["10.0.0.1","010.0.0.1/8"]}}}}]}}"#
        ),
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: [status.devices[0]: Invalid value: {"Driver":"gpu.example.com","Pool":"p","Device":"e","ShareID":""}: must be an allocated device in the claim, status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64), status.devices[0].networkData.ips[1]: Invalid value: "010.0.0.1/8": must be in canonical form ("10.0.0.1/8")]"#
        ]],
    );
    check(
        &format!(
            r#"{{"allocation":{{"devices":{{"results":[{result}]}}}},"devices":[{{"driver":"gpu.example.com","pool":"p","device":"d"}}]}}"#
        ),
        expect![[
            r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c"},"name":"a"}]}},"status":{"allocation":{"devices":{"results":[{"device":"d","driver":"gpu.example.com","pool":"p","request":"a"}]}},"devices":[{"conditions":null,"device":"d","driver":"gpu.example.com","pool":"p"}]}}"#
        ]],
    );
    check(
        r#"{"allocation":{"devices":{"results":[{"device":"e"}]}}}"#,
        expect![[
            r#"ResourceClaim.resource.k8s.io "x" is invalid: status.allocation: Invalid value: null: field cannot be modified once set"#
        ]],
    );
    // The allocation is gone, and so are the reports about it.
    check(
        r#"{"allocation":null}"#,
        expect![[
            r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"x"},"spec":{"devices":{"requests":[{"exactly":{"allocationMode":"ExactCount","count":1,"deviceClassName":"c"},"name":"a"}]}},"status":{}}"#
        ]],
    );
}

#[test]
fn a_row_has_the_state_of_a_claim() {
    let members = claim(r#"{"name":"a","exactly":{"deviceClassName":"c"}}"#, "");
    CLAIMS.check_row(&members, expect![[r#"["pending","60s"]"#]]);
    let api = Api::new();
    let mut object = api.create(CLAIMS.path, &CLAIMS.body(&members)).expect("a claim");
    let status = br#"{"allocation":{"devices":{}},"reservedFor":[{"resource":"pods","name":"p","uid":"u"}]}"#;
    object.insert("status", json::parse(status).expect("JSON"));
    expect![[r#"["allocated,reserved","#]].assert_eq(&api.row(CLAIMS.path, &object)[..22]);
}

#[test]
fn classes_have_selectors_and_configuration() {
    CLASSES.check(r#","spec":{"selectors":[{"cel":{"expression":"device.driver == 'a'"}},{}],"config":[{"opaque":{"driver":"d","parameters":{"a":1}}},{}],"extendedResourceName":"gpu"}"#, expect![[r#"DeviceClass.resource.k8s.io "x" is invalid: [spec.selectors[1].cel: Required value, spec.config[1].opaque: Required value, spec.extendedResourceName: Invalid value: "gpu": a name must be a domain-prefixed path, such as 'example.com/my-prop']"#]]);
    // A selector that is as it was is not compiled again, one that moved is.
    CLASSES.check_update(
        r#","spec":{"selectors":[{"cel":{"expression":"true"}}]}"#,
        r#","spec":{"selectors":[{"cel":{"expression":"1"}}]}"#,
        expect![[r#"DeviceClass.resource.k8s.io "x" is invalid: spec.selectors[0].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int"#]],
    );
}

#[test]
fn slices_have_one_way_to_name_nodes() {
    let spec = |members: &str| {
        format!(r#","spec":{{"driver":"gpu.example.com","pool":{{"name":"p","resourceSliceCount":1}},{members}}}"#)
    };
    SLICES.check(&spec(r#""allNodes":false,"nodeName":"""#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: [spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string, spec.allNodes: Invalid value: false: must be either unset or set to true, spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required]"#]]);
    SLICES.check(
        &spec(r#""allNodes":true,"nodeName":"n","perDeviceNodeSelection":true,"devices":[{"name":"d"}]"#),
        expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: [spec: Invalid value: "{`nodeName`, `allNodes`, `perDeviceNodeSelection`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set, spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec]"#]],
    );
    SLICES.check(&spec(r#""nodeName":"n","devices":[{"name":"d","allNodes":true}],"sharedCounters":[{"name":"c","counters":{"x":{"value":"1"}}}]"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: [spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed, spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec]"#]]);
    SLICES.check(&spec(r#""nodeSelector":{"nodeSelectorTerms":[{},{}]}"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":null,"MatchFields":null},{"MatchExpressions":null,"MatchFields":null}]: must have exactly one node selector term"#]]);
}

#[test]
fn attributes_have_one_value_and_a_qualified_name() {
    SLICES.check(&slice(r#"{"name":"d","attributes":{"a":{"int":1,"bool":true},"b":{},"c-d":{"version":"1.0"},"/e":{"string":"x"}}}"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: [spec.devices[0].attributes: Invalid value: "": the domain must not be empty, spec.devices[0].attributes: Invalid value: "c-d": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*'), spec.devices[0].attributes[c-d].version: Invalid value: "1.0": must be a string compatible with semver.org spec 2.0.0, spec.devices[0].attributes[a]: Invalid value: "{int, bool}": must specify exactly one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`, spec.devices[0].attributes[b]: Invalid value: "": must specify one of: `int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`]"#]]);
}

#[test]
fn capacities_are_requested_in_steps() {
    let device = |policy: &str| {
        slice(&format!(
            r#"{{"name":"d","allowMultipleAllocations":true,"capacity":{{"memory":{{"value":"10Gi","requestPolicy":{policy}}}}}}}"#
        ))
    };
    SLICES.check(&device(r#"{"default":"1Gi","validRange":{"min":"1Gi","max":"8Gi","step":"2Gi"}}"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: spec.devices[0].capacity[memory].requestPolicy.validRange.step: Invalid value: "8Gi": value is not a multiple of a given step (2Gi) from (1Gi)"#]]);
    SLICES.check(&device(r#"{"default":"3Gi","validValues":["2Gi","1Gi","20Gi","1Gi"]}"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: [spec.devices[0].capacity[memory].requestPolicy.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order, spec.devices[0].capacity[memory].requestPolicy.validValues[3]: Invalid value: "1Gi": values must be sorted in ascending order, spec.devices[0].capacity[memory].requestPolicy.validValues[2]: Invalid value: "20Gi": option is larger than capacity value: 10Gi, spec.devices[0].capacity[memory].requestPolicy.validValues[3]: Duplicate value: "1073741824", spec.devices[0].capacity[memory].requestPolicy.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy]"#]]);
    SLICES.check(&device(r#"{"validRange":{"step":"-1"}}"#), expect![[r#"ResourceSlice.resource.k8s.io "x" is invalid: spec.devices[0].capacity[memory].requestPolicy.default: Required value: required when validRange is defined"#]]);
    SLICES.check(&device(r#"{"default":"1","validRange":{"min":"1","step":"1"}}"#), expect![[r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"generation":1,"name":"x"},"spec":{"devices":[{"allowMultipleAllocations":true,"capacity":{"memory":{"requestPolicy":{"default":"1","validRange":{"min":"1","step":"1"}},"value":"10Gi"}},"name":"d"}],"driver":"gpu.example.com","nodeName":"n","pool":{"generation":0,"name":"p","resourceSliceCount":1}}}"#]]);
}

#[test]
fn lists_of_a_feature_that_is_off_are_dropped_and_count_as_a_change() {
    let before = slice(r#"{"name":"d","attributes":{"a":{"int":1}}}"#);
    let after = slice(r#"{"name":"d","attributes":{"a":{"int":1,"ints":[1,2]}}}"#);
    SLICES.check_update(&before, &after, expect![[r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"generation":2,"name":"x"},"spec":{"devices":[{"attributes":{"a":{"int":1}},"name":"d"}],"driver":"gpu.example.com","nodeName":"n","pool":{"generation":0,"name":"p","resourceSliceCount":1}}}"#]]);
}

#[test]
fn slices_are_found_by_driver_and_pool() {
    let api = Api::new();
    api.create(SLICES.path, &SLICES.body(&slice(""))).expect("a slice");
    assert_eq!(api.names(SLICES.path, "spec.driver=gpu.example.com,spec.pool.name=p").unwrap(), ["x"]);
    assert_eq!(api.names(SLICES.path, "spec.nodeName!=n").unwrap(), [""; 0]);
    let error = api.names(SLICES.path, "metadata.namespace=n").unwrap_err().to_string();
    expect!["field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: metadata.namespace"]
        .assert_eq(&error);
}

#[test]
fn drivers_with_capital_letters_are_warned_about() {
    let body = SLICES.body(&slice("")).replace("gpu.example.com", "GPU.example.com");
    assert_eq!(
        Api::new().warnings(SLICES.path, &body),
        [r#"spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase characters"#]
    );
}

#[test]
fn a_taint_knows_when_its_effect_changed() {
    let rule = |taint: &str| {
        format!(r#","spec":{{"deviceSelector":{{"driver":"a_b","pool":"","device":"d.e"}},"taint":{taint}}}"#)
    };
    TAINTS.check(&rule(r#"{"key":"","effect":"No"}"#), expect![[r#"DeviceTaintRule.resource.k8s.io "x" is invalid: [spec.deviceSelector.driver: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.deviceSelector.pool: Required value, spec.deviceSelector.device: Invalid value: "d.e": must not contain dots, spec.taint.key: Invalid value: "": name part must be non-empty, spec.taint.key: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), spec.taint.effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"]"#]]);
    let api = Api::new();
    let spec = r#","spec":{"taint":{"key":"k","effect":"NoSchedule","timeAdded":"2024-01-01T00:00:00Z"}}"#;
    let stored = api.create(TAINTS.path, &TAINTS.body(spec)).expect("a rule");
    let error = api.update(TAINTS.path, "x", &TAINTS.body(spec)).unwrap_err().to_string();
    expect![[r#"devicetaintrules.resource.k8s.io "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#]].assert_eq(&error);
    let version = stored.lookup(&["metadata", "resourceVersion"]).and_then(|version| version.as_str()).unwrap();
    let body = TAINTS.body(&spec.replace("NoSchedule", "NoExecute"));
    let body = body.replace(r#""name":"x""#, &format!(r#""name":"x","resourceVersion":"{version}""#));
    let updated = api.update(TAINTS.path, "x", &body).expect("a changed rule");
    let added = updated.lookup(&["spec", "taint", "timeAdded"]).and_then(|time| time.as_str()).unwrap();
    assert_ne!(added, "2024-01-01T00:00:00Z");
    let generation = updated.lookup(&["metadata", "generation"]).and_then(sprag_value::Value::as_i64);
    assert_eq!(generation, Some(2));
}

#[test]
fn a_taint_that_says_no_time_gets_that_of_the_request_and_its_owner() {
    let spec = r#","spec":{"taint":{"key":"k","effect":"NoSchedule"}}"#;
    let created = Api::new().create(TAINTS.path, &TAINTS.body(spec)).expect("a rule");
    let taint = created.lookup(&["spec", "taint"]).unwrap();
    assert!(taint.get("timeAdded").is_some(), "{}", json::to_string(taint));
    let owned = json::to_string(created.lookup(&["metadata", "managedFields"]).unwrap());
    assert!(owned.contains("f:timeAdded"), "{owned}");
}
