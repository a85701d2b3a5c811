//! The routes of a resource: one for each path and method.

use sprag_rest::{Conventions, Definition, GroupVersionKind, Subresource, SubresourceKind, Unstored, Version};

use super::names::{self, META};
use super::param::Parameter;
use super::{Options, known};

use crate::resources::subresource_kind;

/// One method of one path.
pub(super) struct Route {
    pub(super) path: String,
    pub(super) method: &'static str,
    /// Upstream's name of the method.
    pub(super) action: &'static str,
    pub(super) operation_id: String,
    pub(super) description: String,
    pub(super) tag: String,
    /// Sorted by name.
    pub(super) parameters: Vec<Parameter>,
    /// The definition of the body, and whether there has to be one.
    pub(super) body: Option<(String, bool)>,
    pub(super) consumes: &'static [&'static str],
    pub(super) produces: &'static [&'static str],
    /// The definition of answers, and their codes.
    pub(super) answer: String,
    pub(super) codes: &'static [u16],
    pub(super) gvk: GroupVersionKind,
}

const LIST: [&str; 11] = [
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];
const DELETE: [&str; 5] = [
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
];
const WRITE: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];
const PATCH: [&str; 4] = ["dryRun", "fieldManager of patches", "fieldValidation", "force"];

const OBJECTS: &[&str] = &["application/json", "application/yaml"];
const LISTS: &[&str] = &["application/json", "application/yaml", "application/json;stream=watch"];
const ANYTHING: &[&str] = &["*/*"];
const PATCHES_BUT_STRATEGIC: &[&str] =
    &["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

/// The name of the definition of a kind that the resource itself has.
pub(super) fn definition_name(definition: &Definition, version: &Version, kind: &str) -> String {
    let name = if definition.conventions.openapi_names_packages { names::by_package } else { names::by_group };
    name(definition.group(), &version.name, kind)
}

/// All routes of a version of a resource.
pub(super) fn routes(definition: &Definition, version: &Version, options: &Options) -> Vec<Route> {
    let cx = Cx { definition, version, options };
    let mut routes = cx.collection();
    match definition.unstored {
        None => routes.extend(cx.object()),
        Some(Unstored::Observed(_)) => routes.push(cx.read(&cx.object_place())),
        Some(Unstored::Below(..) | Unstored::Answered(_)) => {}
    }
    for subresource in &version.subresources {
        routes.extend(cx.subresource(subresource));
    }
    routes
}

struct Cx<'a> {
    definition: &'a Definition,
    version: &'a Version,
    options: &'a Options,
}

/// The path of requests and the types they exchange.
struct Place<'a> {
    path: String,
    subresource: &'a str,
    gvk: GroupVersionKind,
    /// The name of the definition of bodies.
    schema: String,
}

impl Cx<'_> {
    fn collection(&self) -> Vec<Route> {
        let place = self.place(self.path());
        let mut routes = Vec::new();
        match self.definition.unstored {
            None => {}
            Some(Unstored::Observed(_)) => return vec![self.list(&place)],
            Some(Unstored::Below(..) | Unstored::Answered(_)) => return vec![self.create(&place)],
        }
        if self.definition.namespaced() {
            let everywhere = self.place(format!("{}/{}", self.root(), self.definition.resource.resource));
            let rest = format!("{}ForAllNamespaces", self.definition.kind);
            routes.push(Route { operation_id: self.operation_id("list", &rest), ..self.list(&everywhere) });
        }
        routes.extend([self.list(&place), self.create(&place)]);
        routes.extend(self.delete_collection(&place));
        routes
    }

    fn object(&self) -> Vec<Route> {
        let place = self.object_place();
        let mut routes = self.part(&place, false);
        let delete = self.route(&place, "delete", &DELETE, &[200, 202]);
        // Namespaces return what is deleted, too; upstream does not tell, for the reason that forbids to delete them all.
        let returns_object = self.definition.returns_deleted_object && self.definition.delete.allow_delete_collection();
        let answer = if returns_object { place.schema.clone() } else { meta("Status") };
        routes.push(Route { body: Some((meta("DeleteOptions"), false)), answer, ..delete });
        routes
    }

    fn subresource(&self, subresource: &Subresource) -> Vec<Route> {
        let other = subresource_kind(self.definition, self.version, subresource);
        let schema = match subresource.kind {
            SubresourceKind::Part(_) => self.schema(&self.definition.kind),
            _ => names::by_package(&other.group, &other.version, &other.kind),
        };
        let place = Place {
            path: format!("{}/{{name}}/{}", self.path(), subresource.name),
            subresource: &subresource.name,
            gvk: if self.conventions().openapi_names_parent_kind { self.gvk() } else { other },
            schema,
        };
        match &subresource.kind {
            SubresourceKind::Part(part) => self.part(&place, part.replace_only()),
            SubresourceKind::Scale(_) => self.part(&place, false),
            SubresourceKind::Create(_) => vec![self.create(&place)],
            // Connections are not requests of this kind.
            SubresourceKind::Connect(_) => Vec::new(),
        }
    }

    fn list(&self, place: &Place<'_>) -> Route {
        let produces = if self.conventions().openapi_lists_watch { LISTS } else { OBJECTS };
        let answer = self.schema(&self.definition.list_kind);
        Route { produces, answer, ..self.route(place, "list", &LIST, &[200]) }
    }

    fn create(&self, place: &Place<'_>) -> Route {
        let route = self.route(place, "post", &WRITE, &[200, 201, 202]);
        Route { body: Some((place.schema.clone(), true)), ..route }
    }

    fn delete_collection(&self, place: &Place<'_>) -> Option<Route> {
        if !self.definition.delete.allow_delete_collection() {
            return None;
        }
        let action = "deletecollection";
        let answer = meta("Status");
        if !self.conventions().openapi_collections_take_options {
            return Some(Route { answer, ..self.route(place, action, &LIST, &[200]) });
        }
        let selected = LIST.into_iter().filter(|key| !["allowWatchBookmarks", "watch"].contains(key));
        let keys: Vec<&'static str> = selected.chain(DELETE).collect();
        let body = Some((meta("DeleteOptions"), false));
        Some(Route { body, answer, ..self.route(place, action, &keys, &[200]) })
    }

    /// Reading and changing an object or a part of one.
    fn part(&self, place: &Place<'_>, replace_only: bool) -> Vec<Route> {
        let conventions = self.conventions();
        let put = self.route(place, "put", &WRITE, &[200, 201]);
        let mut routes = vec![Route { body: Some((place.schema.clone(), true)), ..put }];
        if !replace_only {
            let consumes = if conventions.merges_strategically { PATCHES } else { PATCHES_BUT_STRATEGIC };
            let codes: &[u16] = if conventions.openapi_patches_create { &[200, 201] } else { &[200] };
            let patch = self.route(place, "patch", &PATCH, codes);
            routes.push(self.read(place));
            routes.push(Route { body: Some((meta("Patch"), true)), consumes, ..patch });
        }
        routes
    }

    fn read(&self, place: &Place<'_>) -> Route {
        let keys: &[&'static str] =
            if self.conventions().openapi_reads_take_version { &["resourceVersion"] } else { &[] };
        self.route(place, "get", keys, &[200])
    }

    fn route(&self, place: &Place<'_>, action: &'static str, keys: &[&'static str], codes: &'static [u16]) -> Route {
        let (method, verb) = match action {
            "list" => ("get", "list"),
            "get" => ("get", "read"),
            "post" => ("post", "create"),
            "put" => ("put", "replace"),
            "patch" => ("patch", "patch"),
            _ => ("delete", "delete"),
        };
        let collection = if action == "deletecollection" { "collection" } else { "" };
        let namespaced = if self.definition.namespaced() { "Namespaced" } else { "" };
        let rest = format!("{collection}{namespaced}{}{}", self.definition.kind, names::title(place.subresource));
        Route {
            path: place.path.clone(),
            method,
            action,
            operation_id: self.operation_id(verb, &rest),
            description: self.description(place, action),
            tag: names::tag(self.definition.group(), &self.version.name),
            parameters: self.parameters(place, keys),
            body: None,
            consumes: if self.conventions().openapi_says_body_types { OBJECTS } else { ANYTHING },
            produces: OBJECTS,
            answer: place.schema.clone(),
            codes,
            gvk: place.gvk.clone(),
        }
    }

    fn description(&self, place: &Place<'_>, action: &str) -> String {
        let kind = &self.definition.kind;
        let of = if place.subresource.is_empty() { String::new() } else { format!("{} of ", place.subresource) };
        match action {
            "list" if self.conventions().openapi_lists_watch && self.definition.unstored.is_none() => {
                format!("list or watch objects of kind {kind}")
            }
            "list" => format!("list objects of kind {kind}"),
            "post" => format!("create {of}{}", names::with_article(kind)),
            "delete" => format!("delete {}", names::with_article(kind)),
            "deletecollection" => format!("delete collection of {kind}"),
            "get" => format!("read {of}the specified {kind}"),
            "put" => format!("replace {of}the specified {kind}"),
            _ => format!("partially update {of}the specified {kind}"),
        }
    }

    /// The parameters of these names and those of the path, sorted.
    fn parameters(&self, place: &Place<'_>, keys: &[&'static str]) -> Vec<Parameter> {
        let allowed = |key: &&str| self.options.field_validation || *key != "fieldValidation";
        let namespace = place.path.contains("/{namespace}/").then_some("namespace");
        let keys = keys.iter().copied().chain(["pretty"]).chain(namespace);
        let mut parameters: Vec<Parameter> = keys.filter(allowed).map(known::parameter).collect();
        if place.path.contains("/{name}") {
            parameters.push(Parameter::name_of(&place.gvk.kind));
        }
        parameters.sort_by(|a, b| a.name.cmp(&b.name));
        parameters
    }

    fn operation_id(&self, verb: &str, rest: &str) -> String {
        names::operation_id(verb, self.definition.group(), &self.version.name, rest)
    }

    fn place(&self, path: String) -> Place<'static> {
        Place { path, subresource: "", gvk: self.gvk(), schema: self.schema(&self.definition.kind) }
    }

    fn object_place(&self) -> Place<'static> {
        self.place(format!("{}/{{name}}", self.path()))
    }

    fn conventions(&self) -> &'static Conventions {
        self.definition.conventions
    }

    fn gvk(&self) -> GroupVersionKind {
        self.definition.gvk(&self.version.name)
    }

    fn schema(&self, kind: &str) -> String {
        definition_name(self.definition, self.version, kind)
    }

    fn path(&self) -> String {
        let namespace = if self.definition.namespaced() { "/namespaces/{namespace}" } else { "" };
        format!("{}{namespace}/{}", self.root(), self.definition.resource.resource)
    }

    fn root(&self) -> String {
        match self.definition.group() {
            "" => format!("/api/{}", self.version.name),
            group => format!("/apis/{group}/{}", self.version.name),
        }
    }
}

fn meta(ty: &str) -> String {
    format!("{META}{ty}")
}
