//! Documents of version 3.

use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_rest::{Definition, Version};
use sprag_value::{Object, Value};

use super::closure::{Schemas, complete};
use super::names::META;
use super::param::Parameter;
use super::route::{Route, routes};
use super::typed::CoreTypes;
use super::{Dialect, Options, typed, written};
use crate::groups::{served_groups, served_versions};
use crate::resources::served;

/// The document at `/openapi/v3/api/v1` or `/openapi/v3/apis/<group>/<version>`; none when the version is not served.
pub fn openapi_v3(definitions: &[Arc<Definition>], group: &str, version: &str, options: &Options) -> Option<Value> {
    let served = served(definitions, group, version);
    if served.is_empty() {
        return None;
    }
    // One resource without a text of its own makes the document the server's.
    let infos: Option<Vec<_>> = served.iter().map(|(definition, _)| definition.conventions.openapi_info).collect();
    let info = infos.and_then(|infos| infos.first().copied());
    let is_servers = info.is_none();
    let core = if is_servers { CoreTypes::of(definitions) } else { CoreTypes::default() };
    let (schemas, all) = gather(served, &core, Dialect::V3, options);
    let mut components = object! { "schemas": schemas.into_iter().collect::<Object>() };
    let [title, info_version] = info.unwrap_or(["Kubernetes", &options.version]);
    if is_servers {
        name_delete_options(&mut components, group, version);
        components.insert("securitySchemes", object! { "BearerToken": bearer_token() });
    }
    Some(object! {
        "openapi": "3.0.0",
        "info": object! { "title": title, "version": info_version },
        "paths": paths(&all),
        "components": components,
    })
}

/// Groups of the server have options of deletes of their own beside those of the core group.
fn name_delete_options(components: &mut Value, group: &str, version: &str) {
    let options = components.get_mut("schemas").and_then(|schemas| schemas.get_mut(&format!("{META}DeleteOptions")));
    if let Some(options) = options {
        let mut kinds = vec![("", "v1"), (group, version)];
        kinds.dedup();
        let kinds = kinds
            .into_iter()
            .map(|(group, version)| object! { "group": group, "version": version, "kind": "DeleteOptions" });
        options.insert("x-kubernetes-group-version-kind", kinds.collect::<Value>());
    }
}

/// The document at `/openapi/v3`: where the documents of all versions are, by their hashes.
pub fn openapi_v3_index(definitions: &[Arc<Definition>], hash: impl Fn(&str, &str) -> Option<String>) -> Value {
    let groups = std::iter::once("").chain(served_groups(definitions));
    let versions =
        groups.flat_map(|group| served_versions(definitions, group).into_iter().map(move |version| (group, version)));
    let entries = versions.filter_map(|(group, version)| {
        let url = format!("/openapi/v3/{}?hash={}", document_path(group, version), hash(group, version)?);
        Some((document_path(group, version), object! { "serverRelativeURL": url }))
    });
    object! { "paths": entries.collect::<Object>() }
}

/// The path of the document of a version below `/openapi/v3/`.
pub(super) fn document_path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// Returns the security scheme of clients.
pub(super) fn bearer_token() -> Value {
    object! { "type": "apiKey", "description": "Bearer Token authentication", "name": "authorization", "in": "header" }
}

/// The schemas of what is served, with all that they refer to, and the routes to it.
fn gather<'d>(
    served: impl IntoIterator<Item = (&'d Definition, &'d Version)>,
    core: &CoreTypes<'_>,
    dialect: Dialect,
    options: &Options,
) -> (Schemas, Vec<Route>) {
    let (mut schemas, all) = declared(served, core, dialect, options);
    complete(options.release, &mut schemas, mentioned(&all));
    (schemas, all)
}

/// The schemas of what is served and of the types that it is made of, and the routes to it.
pub(super) fn declared<'d>(
    served: impl IntoIterator<Item = (&'d Definition, &'d Version)>,
    core: &CoreTypes<'_>,
    dialect: Dialect,
    options: &Options,
) -> (Schemas, Vec<Route>) {
    let mut schemas = Schemas::new();
    let mut all = Vec::new();
    for (definition, version) in served {
        if definition.conventions.openapi_schemas_are_written {
            written::add(&mut schemas, definition, version, dialect);
        } else {
            typed::add(&mut schemas, core, definition, version, options);
        }
        all.extend(routes(definition, version, options));
    }
    (schemas, all)
}

/// The definitions that routes use.
pub(super) fn mentioned(routes: &[Route]) -> Vec<String> {
    let bodies = routes.iter().filter_map(|route| route.body.as_ref()).map(|(body, _)| body.clone());
    bodies.chain(routes.iter().map(|route| route.answer.clone())).collect()
}

/// Routes by path.
pub(super) fn by_path(routes: &[Route]) -> BTreeMap<&str, Vec<&Route>> {
    let mut paths: BTreeMap<&str, Vec<&Route>> = BTreeMap::new();
    for route in routes {
        paths.entry(&route.path).or_default().push(route);
    }
    paths
}

/// The parameters that all routes of a path have.
pub(super) fn common<'a>(routes: &[&'a Route]) -> Vec<&'a Parameter> {
    let Some((first, others)) = routes.split_first() else { return Vec::new() };
    let everywhere = |parameter: &&Parameter| others.iter().all(|route| route.parameters.contains(parameter));
    first.parameters.iter().filter(everywhere).collect()
}

fn paths(routes: &[Route]) -> Object {
    by_path(routes)
        .into_iter()
        .map(|(path, routes)| {
            let common = common(&routes);
            let mut item: Object = routes.iter().map(|route| (route.method, operation(route, &common))).collect();
            if !common.is_empty() {
                item.insert("parameters", common.into_iter().map(Parameter::v3).collect::<Value>());
            }
            (path, item)
        })
        .collect()
}

fn operation(route: &Route, common: &[&Parameter]) -> Value {
    let own = route.parameters.iter().filter(|parameter| !common.contains(parameter));
    let parameters: Vec<Value> = own.map(Parameter::v3).collect();
    let mut operation = object! {
        "tags": [route.tag.as_str()],
        "description": &route.description,
        "operationId": &route.operation_id,
        "responses": responses(route),
        "x-kubernetes-action": route.action,
        "x-kubernetes-group-version-kind": gvk(route),
    };
    if !parameters.is_empty() {
        operation.insert("parameters", parameters);
    }
    if let Some((body, required)) = &route.body {
        let mut request = object! { "content": content(route.consumes, body) };
        if *required {
            request.insert("required", true);
        }
        operation.insert("requestBody", request);
    }
    operation
}

/// The kind that a route is about.
pub(super) fn gvk(route: &Route) -> Value {
    object! { "group": &route.gvk.group, "version": &route.gvk.version, "kind": &route.gvk.kind }
}

/// Returns the reason phrase of a status code.
pub(super) fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        _ => "Unauthorized",
    }
}

fn responses(route: &Route) -> Object {
    let answers = route.codes.iter().map(|code| {
        (code.to_string(), object! { "description": reason(*code), "content": content(route.produces, &route.answer) })
    });
    answers.chain([("401".to_owned(), object! { "description": reason(401) })]).collect()
}

fn content(types: &[&str], definition: &str) -> Object {
    types.iter().map(|ty| (*ty, object! { "schema": Dialect::V3.reference(definition) })).collect()
}
