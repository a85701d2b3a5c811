//! Subresources: rules that know them, scale, and those that authors declare.

use std::sync::Arc;

use sprag_field::{Error, Errors, Path};
use sprag_rest::{
    ApiError, Backend, ConnectSubresource, CreateSubresource, Cx, GroupVersionKind, Patch, Request, Result, ScalePaths,
    Strategy, Subresource, SubresourceKind, Views, WriteOptions, reset_all_but,
};
use sprag_value::Value;

use crate::api::{Api, at, config, gadget, meta, parse, wait};

const NAME: &str = r#""name":"g""#;

#[test]
fn the_subresource_reaches_the_rules() {
    let api = Api::default();
    api.create(NAME, r#""spec":{"color":"status-only"}"#);
    let error = api.update_status("g", gadget(NAME, r#""status":{"a":1}"#)).unwrap_err();
    assert_eq!(error.to_string(), r#"Gadget.example.com "g" is invalid: spec.color: Forbidden: not in /status"#);
}

fn scaled() -> Api {
    Api::new(config().scale(ScalePaths::default()).define())
}

fn scale(api: &Api) -> Request<'_> {
    Request { subresource: "scale", ..api.request("g") }
}

#[test]
fn a_scale_reads_and_writes_its_parent() {
    let api = scaled();
    let created = api.create(NAME, r#""spec":{"replicas":3}"#);
    let shown = wait(api.registry.get(&scale(&api), "")).unwrap();
    assert_eq!((at(&shown, &["spec"]), meta(&shown, "uid")), (r#"{"replicas":3}"#.into(), meta(&created, "uid")));
    let body = parse(r#"{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"g"},"spec":{"replicas":5}}"#);
    let answer = wait(api.registry.update(&scale(&api), body, &WriteOptions::by("scaler"))).unwrap();
    assert_eq!(at(&answer.object, &["spec"]), r#"{"replicas":5}"#);
    let parent = api.get("g").unwrap();
    assert_eq!((at(&parent, &["spec", "replicas"]), meta(&parent, "generation")), ("5".into(), "2".into()));
    let entries = meta(&parent, "managedFields");
    assert!(
        entries.contains(
            r#""fieldsV1":{"f:spec":{"f:replicas":{}}},"manager":"scaler","operation":"Update","subresource":"scale""#
        ),
        "{entries}"
    );
    let patch = Patch::Merge(br#"{"spec":{"replicas":7}}"#);
    let answer = wait(api.registry.patch(&scale(&api), patch, &WriteOptions::by("scaler"))).unwrap();
    assert_eq!(at(&answer.object, &["spec"]), r#"{"replicas":7}"#);
}

#[test]
fn a_scale_is_validated_and_so_is_its_parent() {
    let api = scaled();
    api.create(NAME, r#""spec":{"replicas":3}"#);
    let put = |metadata: &str, replicas: i64| {
        let body = format!(
            r#"{{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{{{metadata}}},"spec":{{"replicas":{replicas}}}}}"#
        );
        wait(api.registry.update(&scale(&api), parse(&body), &WriteOptions::by("scaler")))
    };
    let error = put(NAME, -1).unwrap_err();
    assert!(error.to_string().starts_with(r#"Scale.autoscaling "g" is invalid: spec.replicas: Invalid value: -1"#));
    assert_eq!(put(r#""name":"h""#, 1).unwrap_err().code(), 400);
    assert_eq!(put(r#""name":"g","resourceVersion":"1""#, 1).unwrap_err().code(), 409);
    let unchecked = ScalePaths { checked: false, ..ScalePaths::default() };
    let api = Api::new(config().scale(unchecked).define());
    api.create(NAME, "");
    let patch = Patch::Merge(br#"{"spec":{"replicas":-1}}"#);
    let error = wait(api.registry.patch(&scale(&api), patch, &WriteOptions::by("scaler"))).unwrap_err();
    assert!(error.to_string().starts_with(r#"Gadget.example.com "g" is invalid: spec.replicas: Invalid value: -1"#));
}

#[test]
fn a_scale_without_replicas_cannot_be_read() {
    let api =
        Api::new(config().scale(ScalePaths { spec_replicas: ".spec.other".into(), ..ScalePaths::default() }).define());
    api.create(NAME, "");
    let error = wait(api.registry.get(&scale(&api), "")).unwrap_err();
    assert_eq!(error.to_string(), r#"Internal error occurred: the spec replicas field ".spec.other" does not exist"#);
}

/// Lets only `extra` change.
struct Extra;

impl Strategy for Extra {
    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        reset_all_but(new, old, "extra");
    }

    fn validate_update(&self, cx: &Cx<'_>, _: Views<'_>, _: Views<'_>, errors: &mut Errors) {
        if cx.subresource != "/extra" {
            errors.push(Error::internal(&Path::ROOT, cx.subresource));
        }
    }
}

#[test]
fn authors_declare_parts_with_wiping_of_their_own() {
    let api = Api::new(config().subresource(Subresource::part("extra", Arc::new(Extra))).define());
    api.create(NAME, r#""spec":{"color":"red"}"#);
    let request = Request { subresource: "extra", ..api.request("g") };
    let body = gadget(NAME, r#""spec":{"color":"blue"},"extra":"x","status":{"a":1}"#);
    let object = wait(api.registry.update(&request, body, &WriteOptions::by("test"))).unwrap().object;
    assert_eq!((at(&object, &["extra"]), at(&object, &["spec", "color"])), (r#""x""#.into(), r#""red""#.into()));
    assert_eq!((object.get("status"), meta(&object, "generation")), (None, "1".into()));
    assert_eq!(wait(api.registry.get(&request, "")).unwrap(), object);
    let verbs = [
        wait(api.registry.create(&request, gadget(NAME, ""), &WriteOptions::default())).unwrap_err(),
        wait(api.registry.delete(&request, &sprag_rest::DeleteOptions::default())).unwrap_err(),
    ];
    assert_eq!(verbs.map(|error| error.code()), [405, 405]);
    let missing = Request { name: "h", ..request };
    let body = gadget(r#""name":"h""#, "");
    assert_eq!(wait(api.registry.update(&missing, body, &WriteOptions::default())).unwrap_err().code(), 404);
}

/// Paints a gadget.
struct Paint;

impl CreateSubresource for Paint {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("example.com", "v1", "Paint")
    }

    fn check(&self, _: &Cx<'_>, body: &Value) -> Result<()> {
        match body.get("color") {
            Some(_) => Ok(()),
            None => Err(ApiError::invalid("Paint", "example.com", "g", &[Error::required(&Path::new("color"), "")])),
        }
    }

    fn apply(&self, _: &Cx<'_>, body: &Value, parent: &mut Value) -> Result<()> {
        let color = body.get("color").cloned().unwrap_or_default();
        let spec = parent.get_mut("spec").ok_or_else(|| ApiError::internal("no spec"))?;
        spec.insert("color", color);
        Ok(())
    }
}

#[test]
fn a_create_type_subresource_changes_its_parent() {
    let sub = Subresource { name: "paint".into(), kind: SubresourceKind::Create(Arc::new(Paint)) };
    let api = Api::new(config().subresource(sub).define());
    api.create(NAME, "");
    let request = Request { subresource: "paint", ..api.request("g") };
    let post = |body: &str| wait(api.registry.create(&request, parse(body), &WriteOptions::by("painter")));
    let error = post(r#"{"metadata":{"name":"g"}}"#).unwrap_err();
    assert_eq!(error.to_string(), r#"Paint.example.com "g" is invalid: color: Required value"#);
    let answer = post(r#"{"metadata":{"name":"g"},"color":"red"}"#).unwrap();
    assert_eq!((at(&answer.object, &["status"]), answer.created), (r#""Success""#.into(), true));
    let parent = api.get("g").unwrap();
    assert_eq!((at(&parent, &["spec", "color"]), meta(&parent, "generation")), (r#""red""#.into(), "2".into()));
    assert_eq!(wait(api.registry.get(&request, "")).unwrap_err().code(), 405);
}

/// A connection with the node of a gadget, which is its color.
struct Exec;

impl ConnectSubresource for Exec {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("example.com", "v1", "GadgetExecOptions")
    }

    fn connect(&self, _: &Cx<'_>, parent: &Value, parameters: &[(&str, &str)]) -> Result<Backend> {
        let color = parent.lookup(&["spec", "color"]).and_then(Value::as_str);
        match (parameters, color) {
            ([], _) => Err(ApiError::bad_request("no command")),
            (_, None) => Ok(Backend::Nothing),
            ([("address", address)], _) => Ok(Backend::Address((*address).to_owned())),
            (_, Some(color)) => Ok(Backend::Node(color.to_owned())),
        }
    }
}

#[test]
fn connections_lead_to_nodes_that_cannot_be_reached() {
    let sub = Subresource { name: "exec".into(), kind: SubresourceKind::Connect(Arc::new(Exec)) };
    let api = Api::new(config().subresource(sub).define());
    let created = api.create(NAME, r#""spec":{"color":"red"}"#);
    let request = Request { subresource: "exec", ..api.request("g") };
    let connect = |request: &Request<'_>, parameters: &[(&str, &str)]| {
        wait(api.registry.connect(request, parameters)).unwrap_err().to_string()
    };
    assert_eq!(connect(&request, &[]), "no command");
    assert_eq!(connect(&request, &[("command", "ls")]), r#"gadgets.example.com "red" not found"#);
    assert!(connect(&request, &[("address", "10.0.0.1:80")]).starts_with("error trying to reach service: 10.0.0.1:80"));
    let missing = Request { name: "h", ..request };
    assert_eq!(connect(&missing, &[("command", "ls")]), r#"gadgets.example.com "h" not found"#);
    assert_eq!(api.get("g").unwrap(), created);
}
