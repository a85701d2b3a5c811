//! Bodies that can and cannot be read.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use sprag_rest::{Conventions, Definition, Format, Observer, Request, ScalePaths, WriteOptions};
use sprag_value::json;

use crate::api::{Api, config, gadget};

fn custom() -> Api {
    Api::new(Definition { conventions: &Conventions::CUSTOM, ..config().scale(ScalePaths::default()).define() })
}

fn typed() -> Api {
    Api::new(config().scale(ScalePaths::default()).define())
}

fn read(api: &Api, subresource: &str, text: &[u8], format: Format, mode: &str) -> String {
    let options = WriteOptions { field_validation: mode.into(), ..WriteOptions::by("test") };
    let request = Request { subresource, ..api.request("g") };
    match api.registry.decode(&request, text, format, &options) {
        Ok((body, warnings)) => json::to_string(body.object()) + &warnings.concat(),
        Err(error) => format!("{} {error}", error.code()),
    }
}

#[track_caller]
fn check(api: &Api, text: &str, expected: &Expect) {
    expected.assert_eq(&read(api, "", text.as_bytes(), Format::Json, ""));
}

#[test]
fn what_is_no_object_is_quoted() {
    let api = custom();
    check(
        &api,
        "",
        &expect![
            "400 the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"
        ],
    );
    check(
        &api,
        "[]",
        &expect![[
            r#"400 the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" } (5b5d)"#
        ]],
    );
    check(
        &api,
        r#"{"apiVersion":"example.com/v1","kind":"Gadget"}{"#,
        &expect![[
            r#"400 the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: invalid character '{' after top-level value ({"apiVersion":"example.com/v1" ...)"#
        ]],
    );
    let yaml = |text: &[u8]| read(&api, "", text, Format::Yaml, "");
    expect!["400 the object provided is unrecognized (must be of type Gadget): yaml: line 1: did not find expected node content (5b)"].assert_eq(&yaml(b"["));
    expect!["400 the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in 'a: 1' (613a2031)"].assert_eq(&yaml(b"a: 1"));
}

#[test]
fn only_types_make_up_for_a_missing_kind() {
    check(
        &custom(),
        r#"{"apiVersion":"example.com/v1"}"#,
        &expect![[
            r#"400 the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)"#
        ]],
    );
    check(&typed(), "{}", &expect![[r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{},"spec":{}}"#]]);
}

#[test]
fn kinds_that_types_do_not_know_are_refused() {
    let body = |version: &str, kind: &str| format!(r#"{{"apiVersion":"{version}","kind":"{kind}"}}"#);
    check(
        &typed(),
        &body("example.com/v1", "Other"),
        &expect![[
            r#"400 Other in version "v1" cannot be handled as a Gadget: no kind "Other" is registered for version "example.com/v1" in scheme "pkg/api/legacyscheme/scheme.go:30""#
        ]],
    );
    check(
        &typed(),
        &body("v1", "Namespace"),
        &expect![[
            r#"400 Namespace in version "v1" cannot be handled as a Gadget: converting (v1.Namespace) to (example.Gadget): unknown conversion"#
        ]],
    );
    for kind in ["GadgetList", "DeleteOptions"] {
        let refused = read(&typed(), "", body("example.com/v1", kind).as_bytes(), Format::Json, "");
        assert!(
            refused.ends_with(&format!("converting (v1.{kind}) to (example.Gadget): unknown conversion")),
            "{refused}"
        );
    }
    check(
        &custom(),
        &body("other/v2", "Other"),
        &expect![[r#"{"apiVersion":"other/v2","kind":"Other","metadata":{},"spec":{}}"#]],
    );
}

#[test]
fn slashes_without_a_group_or_a_version_are_understood() {
    let read = |version: &str| {
        let text = format!(r#"{{"apiVersion":"{version}","kind":"Namespace","metadata":{{}}}}"#);
        let api = typed();
        let options = WriteOptions::by("test");
        let outcome = api.registry.decode(&api.namespace("n"), text.as_bytes(), Format::Json, &options);
        outcome.map_or_else(|error| error.to_string(), |(body, _)| json::to_string(body.object()))
    };
    let namespace = read("v1");
    assert!(namespace.starts_with(r#"{"apiVersion":"v1","kind":"Namespace""#), "{namespace}");
    assert_eq!([read("/v1"), read("/")], [namespace.clone(), namespace]);
    expect![[
        r#"Namespace in version "" cannot be handled as a Namespace: Object 'apiVersion' is missing in '{"apiVersion":"v1/","kind":"Namespace","metadata":{}}'"#
    ]]
    .assert_eq(&read("v1/"));
}

#[test]
fn a_custom_resource_without_a_kind_is_refused_in_two_ways() {
    let read = |mode: &str| read(&custom(), "", br#"{"a":1}"#, Format::Json, mode);
    expect![[
        r#"400 the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{"a":1}' ({"a":1})"#
    ]]
    .assert_eq(&read("Warn"));
    expect![[r#"400 Gadget in version "v1" cannot be handled as a Gadget: Object 'Kind' is missing in '{"a":1}'"#]]
        .assert_eq(&read("Ignore"));
}

#[test]
fn findings_are_warnings_or_errors() {
    let api = custom();
    let body = br#"{"apiVersion":"example.com/v1","kind":"Gadget","nope":1,"spec":{"color":"a","color":"b"}}"#;
    let read = |mode: &str| read(&api, "", body, Format::Json, mode);
    expect![[r#"400 Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "nope", duplicate field "spec.color""#]].assert_eq(&read("Strict"));
    expect![[r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{},"spec":{"color":"b"}}unknown field "nope"duplicate field "spec.color""#]].assert_eq(&read("Warn"));
    expect![[r#"{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{},"spec":{"color":"b"}}"#]]
        .assert_eq(&read("Ignore"));
}

#[test]
fn a_scale_is_read_as_a_scale() {
    let scale = |api: &Api, text: &str, mode: &str| read(api, "scale", text.as_bytes(), Format::Json, mode);
    let good = r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"g"},"spec":{"replicas":4}}"#;
    let read_back = r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"g"},"spec":{"replicas":4},"status":{"replicas":0}}"#;
    for api in [custom(), typed()] {
        assert_eq!(scale(&api, good, ""), read_back);
    }
    let wrong = r#"{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":4}}"#;
    let unknown = r#"{"apiVersion":"autoscaling/v1","kind":"Scale","nope":4}"#;
    for text in [wrong, unknown] {
        expect![[r#"400 no kind is registered for the type v1.Scale in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781""#]].assert_eq(&scale(&custom(), text, "Strict"));
    }
    expect![[r#"400 Gadget in version "v1" cannot be handled as a Scale: converting (v1.Gadget) to (autoscaling.Scale): unknown conversion"#]].assert_eq(&scale(&typed(), wrong, ""));
    expect![[r#"400 Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "nope""#]]
        .assert_eq(&scale(&typed(), unknown, "Strict"));
}

/// Counts its calls.
#[derive(Default)]
struct Counting(Mutex<Vec<String>>);

impl Observer for Counting {
    fn validated(&self, definition: &Definition, _: Duration) {
        self.0.lock().unwrap().push(definition.kind.clone());
    }
}

#[test]
fn an_observer_learns_of_every_validation() {
    let counting = Arc::new(Counting::default());
    let api = Api::observed(config().define(), counting.clone());
    api.create(r#""name":"g""#, "");
    api.update(gadget(r#""name":"g""#, r#""spec":{"color":"red"}"#));
    assert_eq!(*counting.0.lock().unwrap(), ["Namespace", "Gadget", "Gadget"]);
}

#[test]
fn upstreams_own_version_has_metadata_among_the_members() {
    let api = typed();
    let text = |kind: &str| {
        format!(r#"{{"kind":"{kind}","apiVersion":"example.com/__internal","metadata":{{"name":"g"}},"name":"n"}}"#)
    };
    check(
        &api,
        &text("Gadget"),
        &expect![[
            r#"{"apiVersion":"example.com/__internal","kind":"Gadget","metadata":{"name":"n"}}unknown field "metadata""#
        ]],
    );
    check(
        &api,
        &text("Other"),
        &expect![[
            r#"400 Other in version "__internal" cannot be handled as a Gadget: no kind "Other" is registered for the internal version of group "example.com" in scheme "pkg/api/legacyscheme/scheme.go:30""#
        ]],
    );
    check(
        &api,
        &text("Status"),
        &expect![[
            r#"400 Status in version "__internal" cannot be handled as a Gadget: converting (v1.Status) to (example.Gadget): unknown conversion"#
        ]],
    );
    check(
        &api,
        &text("GadgetList"),
        &expect![[
            r#"400 GadgetList in version "__internal" cannot be handled as a Gadget: converting (example.GadgetList) to (example.Gadget): unknown conversion"#
        ]],
    );
}
