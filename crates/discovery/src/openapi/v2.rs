//! The document of version 2.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_rest::{Definition, Release, Version};
use sprag_value::{MAX_DEPTH, Object, Value, json};

use super::closure::references;
use super::documents::Documents;
use super::downgrade::downgrade;
use super::param::{Parameter, v2_body};
use super::route::Route;
use super::typed::CoreTypes;
use super::v3::{bearer_token, by_path, common, declared, gvk, mentioned, reason};
use super::{Dialect, Options, known};
use crate::object::texts;

/// The document at `/openapi/v2`: everything that is served.
pub fn openapi_v2(definitions: &[Arc<Definition>], options: &Options) -> Value {
    let documents = Documents::new(definitions.to_vec(), options.clone());
    json::parse(&documents.v2().bytes).unwrap_or_default()
}

/// The part of the document for one version of a group, as text: the document is assembled from these whenever one of
/// them changes.
pub(super) struct Part {
    schemas: Vec<(String, String)>,
    paths: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    /// Definitions that are referred to.
    wanted: Vec<String>,
}

impl Part {
    pub(super) fn new<'d>(
        served: impl IntoIterator<Item = (&'d Definition, &'d Version)>,
        core: &CoreTypes<'_>,
        options: &Options,
    ) -> Part {
        let (schemas, routes) = declared(served, core, Dialect::V2, options);
        let mut wanted = mentioned(&routes);
        for schema in schemas.values() {
            references(schema, &mut wanted, MAX_DEPTH);
        }
        wanted.sort_unstable();
        wanted.dedup();
        let schemas = schemas.into_iter().map(|(name, schema)| (name, json::to_string(&downgrade(&schema))));
        let mut parameters = Object::new();
        let paths = texts_of(&paths(&routes, &mut parameters));
        Part { schemas: schemas.collect(), paths, parameters: texts_of(&parameters), wanted }
    }
}

fn texts_of(members: &Object) -> Vec<(String, String)> {
    members.iter().map(|(name, value)| (name.to_string(), json::to_string(value))).collect()
}

/// Members of an object by name, as text.
type Texts<'p> = BTreeMap<Cow<'p, str>, Cow<'p, str>>;

/// The text of the document with these parts.
pub(super) fn document<'p>(parts: impl Iterator<Item = &'p Part>, options: &Options) -> String {
    let mut schemas = Texts::new();
    let mut paths = Texts::new();
    let mut parameters = Texts::new();
    let mut wanted: Vec<&str> = Vec::new();
    for part in parts {
        wanted.extend(part.wanted.iter().map(String::as_str));
        for (all, own) in
            [(&mut schemas, &part.schemas), (&mut paths, &part.paths), (&mut parameters, &part.parameters)]
        {
            all.extend(own.iter().map(|(name, text)| (Cow::from(name.as_str()), Cow::from(text.as_str()))));
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    add_known(options.release, &mut schemas, wanted.into_iter().map(str::to_owned).collect());
    let members = [
        ("definitions", joined(&schemas)),
        ("info", json::to_string(&object! { "title": "Kubernetes", "version": &options.version })),
        ("parameters", joined(&parameters)),
        ("paths", joined(&paths)),
        ("security", json::to_string(&Value::from(vec![object! { "BearerToken": Vec::<Value>::new() }]))),
        ("securityDefinitions", json::to_string(&object! { "BearerToken": bearer_token() })),
        ("swagger", json::to_string(&Value::from("2.0"))),
    ];
    joined(&members.into_iter().map(|(name, text)| (Cow::from(name), Cow::from(text))).collect())
}

/// Adds definitions of these names and those that they refer to, as far as they are not there. One of which nothing is known is
/// an object.
fn add_known(release: Release, schemas: &mut Texts<'_>, mut wanted: Vec<String>) {
    while let Some(name) = wanted.pop() {
        if schemas.contains_key(name.as_str()) {
            continue;
        }
        let schema = known::schema_of(release, &name).map(Cow::into_owned);
        let schema = schema.unwrap_or_else(|| object! { "type": "object" });
        references(&schema, &mut wanted, MAX_DEPTH);
        schemas.insert(name.into(), json::to_string(&downgrade(&schema)).into());
    }
}

/// The text of an object with these members.
fn joined(members: &Texts<'_>) -> String {
    let length: usize = members.iter().map(|(name, text)| name.len() + text.len() + 4).sum();
    let mut out = String::with_capacity(length + 2);
    out.push('{');
    for (name, text) in members {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&json::to_string(&Value::from(&**name)));
        out.push(':');
        out.push_str(text);
    }
    out.push('}');
    out
}

fn paths(routes: &[Route], shared: &mut Object) -> Object {
    let mut paths = Object::new();
    for (path, routes) in by_path(routes) {
        let common = common(&routes);
        let mut item: Object = routes.iter().map(|route| (route.method, operation(route, &common, shared))).collect();
        let parameters: Vec<Value> = common.into_iter().map(|parameter| parameter_of(parameter, shared)).collect();
        if !parameters.is_empty() {
            item.insert("parameters", parameters);
        }
        paths.insert(path, item);
    }
    paths
}

fn operation(route: &Route, common: &[&Parameter], shared: &mut Object) -> Value {
    let body = route.body.as_ref().map(|(definition, required)| {
        let (body, name) = v2_body(definition, *required);
        share(body, name, shared)
    });
    let own = route.parameters.iter().filter(|parameter| !common.contains(parameter));
    let parameters: Vec<Value> = body.into_iter().chain(own.map(|parameter| parameter_of(parameter, shared))).collect();
    let mut operation = object! {
        "description": &route.description,
        "consumes": texts(route.consumes),
        "produces": texts(route.produces),
        "schemes": ["https"],
        "tags": [route.tag.as_str()],
        "operationId": &route.operation_id,
        "responses": responses(route),
        "x-kubernetes-action": route.action,
        "x-kubernetes-group-version-kind": gvk(route),
    };
    if !parameters.is_empty() {
        operation.insert("parameters", parameters);
    }
    operation
}

fn parameter_of(parameter: &Parameter, shared: &mut Object) -> Value {
    share(parameter.v2(), parameter.shared_name(), shared)
}

/// A reference to a parameter that is put aside, or the parameter itself when it has no name to be shared under.
fn share(parameter: Value, name: Option<String>, shared: &mut Object) -> Value {
    let Some(name) = name else { return parameter };
    let reference = object! { "$ref": format!("#/parameters/{name}") };
    shared.insert(name, parameter);
    reference
}

fn responses(route: &Route) -> Object {
    let answers = route.codes.iter().map(|code| {
        let schema = Dialect::V2.reference(&route.answer);
        (code.to_string(), object! { "description": reason(*code), "schema": schema })
    });
    answers.chain([("401".to_owned(), object! { "description": reason(401) })]).collect()
}
