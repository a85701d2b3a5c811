//! The document of version 2.

use std::sync::Arc;

use sprag_rest::Definition;
use sprag_value::{Object, Value};

use super::downgrade::downgrade;
use super::param::{Parameter, v2_body};
use super::route::Route;
use super::typed::CoreTypes;
use super::v3::{bearer_token, by_path, common, gather, gvk, reason};
use super::{Dialect, Options};
use crate::object::texts;

/// The document at `/openapi/v2`: everything that is served.
pub fn openapi_v2(definitions: &[Arc<Definition>], options: &Options) -> Value {
    let core = CoreTypes::of(definitions);
    let served = definitions.iter().flat_map(|definition| {
        let versions = definition.versions.iter().filter(|version| version.served);
        versions.map(|version| (definition.as_ref(), version))
    });
    let (schemas, all) = gather(served, &core, Dialect::V2, options);
    let mut parameters = Object::new();
    let paths = paths(&all, &mut parameters);
    object! {
        "swagger": "2.0",
        "info": object! { "title": "Kubernetes", "version": &options.version },
        "paths": paths,
        "definitions": schemas.into_iter().map(|(name, schema)| (name, downgrade(&schema))).collect::<Object>(),
        "parameters": parameters,
        "securityDefinitions": object! { "BearerToken": bearer_token() },
        "security": [object! { "BearerToken": Vec::<Value>::new() }],
    }
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
