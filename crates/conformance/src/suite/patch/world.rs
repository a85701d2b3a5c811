//! Objects and what requests make of them: the write core, with a map in place of a store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use sprag_rest::{
    ApiError, Body, Format, Input, Judged, Offline, Patch, Request, ResourceInfo, Result, SubresourceKind, User, Write,
    WriteOptions, meta, read_scale,
};
use sprag_value::{Value, json};

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Patched {
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// The reasons why a request is not answered with an object.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// As upstream refuses it.
    ByServer(Box<ApiError>),
    /// Not by anything that is looked at here.
    NotHere(&'static str),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::ByServer(Box::new(error))
    }
}

/// All objects by path, and the resources they are of.
pub(crate) struct World {
    offline: Offline,
    resources: BTreeMap<String, Arc<ResourceInfo>>,
    objects: BTreeMap<String, Value>,
    user: User,
    revision: u64,
}

/// One recorded request, taken apart.
struct Sent<'a> {
    method: &'a str,
    /// Up to the collection: `/apis/example.com/v1/namespaces/a/widgets`.
    collection: String,
    version: &'a str,
    namespace: &'a str,
    plural: &'a str,
    name: &'a str,
    subresource: &'a str,
    query: Vec<(&'a str, &'a str)>,
    content_type: &'a str,
    body: Cow<'a, str>,
}

/// The largest body that a server takes.
const MAX_BODY_BYTES: usize = 3 << 20;

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const PATCH_TYPES: [&str; 4] =
    ["application/json-patch+json", "application/merge-patch+json", STRATEGIC, "application/apply-patch+yaml"];

impl Default for World {
    fn default() -> World {
        let offline = Offline::default();
        let kinds = sprag_kinds::definitions().into_iter().chain([sprag_crd::definitions()]);
        let resources = kinds.map(|kind| (kind.resource.to_string(), offline.resource(kind))).collect();
        World { resources, offline, objects: BTreeMap::new(), user: User::default(), revision: 1 }
    }
}

impl World {
    /// Does what the request asks for.
    pub(crate) fn send(&mut self, step: &Value) -> Result<Patched, Refusal> {
        let sent = Sent::of(step)?;
        let resource = self.resource(&sent)?;
        let request = sent.request(&resource, &self.user);
        let write = self.offline.write(&resource, &request);
        let key = format!("{}/{}", sent.collection, sent.name);
        let options = sent.options();
        let old = self.objects.get(&key);
        if sent.method == "PATCH" && !PATCH_TYPES.contains(&sent.content_type)
            || sent.content_type == STRATEGIC && !resource.definition.conventions.merges_strategically
        {
            return Err(Refusal::NotHere("content types are negotiated elsewhere"));
        }
        let answered = match sent.method {
            "POST" => create(&write, &sent, &options),
            "PUT" => replace(&write, &sent, &options, old),
            "PATCH" => patch(&write, &sent, &options, old),
            _ => return Err(Refusal::NotHere("deletion is not a matter of the write core")),
        };
        let Answered { mut stored, warnings } = answered?;
        let version = if options.is_dry_run() { None } else { Some(self.revision + 1) };
        if let Some(version) = version {
            meta::set_resource_version(&mut stored, version);
        }
        let mut object = write.requested(stored.clone())?;
        if let Some(SubresourceKind::Scale(paths)) = write.subresource()?.map(|subresource| &subresource.kind) {
            object = read_scale(&object, paths)?.0;
        }
        let key = format!("{}/{}", sent.collection, meta::name(&stored));
        if let Some(version) = version {
            self.revision = version;
            self.define(&stored)?;
            self.objects.insert(key, stored);
            self.refresh()?;
        }
        Ok(Patched { object, warnings })
    }

    fn resource(&self, sent: &Sent<'_>) -> Result<Arc<ResourceInfo>, Refusal> {
        let group = sent.collection.strip_prefix("/apis/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let name = if group.is_empty() { sent.plural.to_owned() } else { format!("{}.{group}", sent.plural) };
        let found = self.resources.get(&name).ok_or(Refusal::NotHere("the resource is not defined"))?;
        let is_served = found.definition.version(sent.version).is_some_and(|version| version.served);
        if is_served { Ok(found.clone()) } else { Err(Refusal::NotHere("the version is not served")) }
    }

    /// Serves what a definition defines.
    fn define(&mut self, stored: &Value) -> Result<(), Refusal> {
        if stored.get("kind").and_then(Value::as_str) != Some("CustomResourceDefinition") {
            return Ok(());
        }
        let resource = sprag_crd::resource(stored, self.offline.gates());
        let resource = resource.map_err(|_| Refusal::NotHere("the definition cannot be read"))?;
        self.resources.insert(resource.resource.to_string(), self.offline.resource(resource));
        Ok(())
    }

    /// Brings stored objects into the form that they have under the present definitions.
    fn refresh(&mut self) -> Result<(), Refusal> {
        for resource in self.resources.values() {
            let definition = &resource.definition;
            for object in self.objects.values_mut().filter(|object| {
                let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
                let (group, _) = sprag_rest::split_api_version(api_version);
                group == definition.group() && object.get("kind").and_then(Value::as_str) == Some(&definition.kind)
            }) {
                *object = definition.present(object.clone())?;
            }
        }
        Ok(())
    }
}

/// The stored object, and the response.
struct Answered {
    stored: Value,
    warnings: Vec<String>,
}

fn create(write: &Write<'_>, sent: &Sent<'_>, options: &WriteOptions) -> Result<Answered> {
    let (body, warnings) = decode(write, sent, options)?;
    finish(write, write.create_input(body, options), Found::Unasked, warnings)
}

fn replace(write: &Write<'_>, sent: &Sent<'_>, options: &WriteOptions, old: Option<&Value>) -> Result<Answered> {
    let (body, warnings) = decode(write, sent, options)?;
    finish(write, write.update_input(body, options), old.into(), warnings)
}

fn patch(write: &Write<'_>, sent: &Sent<'_>, options: &WriteOptions, old: Option<&Value>) -> Result<Answered> {
    let text = sent.body.as_bytes();
    let patch = match sent.content_type {
        "application/json-patch+json" => Patch::Json(text),
        "application/merge-patch+json" => Patch::Merge(text),
        STRATEGIC => Patch::Strategic(text),
        _ => Patch::Apply(text),
    };
    match finish(write, write.patch_input(patch, options), old.into(), Vec::new()) {
        Err(error) if error.is_not_found() => Err(patch.syntax_error(sprag_rest::Release::NEWEST).unwrap_or(error)),
        outcome => outcome,
    }
}

fn decode(write: &Write<'_>, sent: &Sent<'_>, options: &WriteOptions) -> Result<(Body, Vec<String>)> {
    let format = if sent.content_type.contains("yaml") { Format::Yaml } else { Format::Json };
    write.decode(sent.body.as_bytes(), format, options)
}

/// The stored object of a request.
#[derive(Clone, Copy)]
enum Found<'v> {
    /// A create does not ask for it.
    Unasked,
    Missing,
    Object(&'v Value),
}

impl<'v> From<Option<&'v Value>> for Found<'v> {
    fn from(found: Option<&'v Value>) -> Found<'v> {
        found.map_or(Found::Missing, Found::Object)
    }
}

/// Reads and judges.
fn finish(
    write: &Write<'_>,
    input: Result<Input<'_>>,
    found: Found<'_>,
    mut warnings: Vec<String>,
) -> Result<Answered> {
    let outcome = input.and_then(|mut input| {
        warnings.extend(input.take_warnings());
        if matches!(found, Found::Missing) && !write.allows_create(&input)? {
            return Err(ApiError::not_found(&write.definition().resource, write.request.name));
        }
        let old = match found {
            Found::Object(stored) => Some(write.old(stored.clone())?),
            Found::Unasked | Found::Missing => None,
        };
        let read = write.read(&input, old.as_ref().map(|old| &old.requested))?;
        write.accepted(write.judge(&input, read, old.as_ref())?)
    });
    let Judged { object, warnings: more, .. } = match outcome {
        Ok(judged) => judged,
        Err(error) => return Err(error.with_warnings(warnings)),
    };
    let definition = write.definition();
    let mut stored = definition.convert(object, write.hub(), &definition.storage_version)?;
    definition.complete_stored(&definition.storage_version, &mut stored)?;
    warnings.extend(more);
    Ok(Answered { stored, warnings })
}

/// A body that is recorded as a text between two others, and how often it is repeated.
fn generated(parts: &Value) -> String {
    let text = |name: &str| parts.get(name).and_then(Value::as_str).unwrap_or_default();
    let count = parts.get("count").and_then(Value::as_i64).and_then(|count| usize::try_from(count).ok());
    [text("prefix"), &text("unit").repeat(count.unwrap_or(0)), text("suffix")].concat()
}

impl<'a> Sent<'a> {
    fn of(step: &'a Value) -> Result<Self, Refusal> {
        let text = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default();
        let body = match step.get("bodyGen") {
            None => Cow::Borrowed(text("body")),
            Some(parts) => Cow::Owned(generated(parts)),
        };
        if body.len() > MAX_BODY_BYTES {
            return Err(Refusal::NotHere("the size of bodies is limited elsewhere"));
        }
        if body.contains("${") || text("path").contains("${") {
            return Err(Refusal::NotHere("the request depends on an earlier answer"));
        }
        let (path, query) = text("path").split_once('?').unwrap_or((text("path"), ""));
        let query = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
        let content_type = step.lookup(&["headers", "Content-Type"]).and_then(Value::as_str).unwrap_or_default();
        let mut parts = path.trim_start_matches('/').split('/');
        let mut next = || parts.next().unwrap_or_default();
        let mut collection = match next() {
            "apis" => format!("/apis/{}/", next()),
            _ => "/api/".to_owned(),
        };
        let version = next();
        let mut plural = next();
        let mut namespace = "";
        let mut name = next();
        let mut rest: Vec<&str> = parts.collect();
        if plural == "namespaces" && rest.len() > usize::from(rest.first().is_some_and(|part| is_part(part))) {
            namespace = name;
            plural = rest.remove(0);
            name = if rest.is_empty() { "" } else { rest.remove(0) };
        }
        collection.push_str(&[version, namespace, plural].join("/"));
        let subresource = rest.first().copied().unwrap_or_default();
        Ok(Sent {
            method: text("method"),
            collection,
            version,
            namespace,
            plural,
            name,
            subresource,
            query,
            content_type,
            body,
        })
    }

    fn request<'r>(&'r self, resource: &'r ResourceInfo, user: &'r User) -> Request<'r> {
        Request {
            group: resource.definition.group(),
            version: self.version,
            resource: self.plural,
            namespace: self.namespace,
            name: self.name,
            subresource: self.subresource,
            user,
        }
    }

    fn parameter(&self, name: &str) -> &'a str {
        self.query.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    fn options(&self) -> WriteOptions {
        let manager = match self.parameter("fieldManager") {
            // Requests come from a client that calls itself so; an apply has to say who it is.
            "" if self.content_type != "application/apply-patch+yaml" => "conformance",
            manager => manager,
        };
        let dry_run = self.query.iter().filter(|(key, _)| *key == "dryRun").map(|(_, value)| (*value).to_owned());
        WriteOptions {
            dry_run: dry_run.collect(),
            field_manager: manager.to_owned(),
            default_manager: false,
            field_validation: self.parameter("fieldValidation").to_owned(),
            force: match self.parameter("force") {
                "" => None,
                force => Some(force == "true"),
            },
        }
    }
}

/// True if the last part of a path is a part of a namespace rather than a resource in it.
fn is_part(part: &str) -> bool {
    matches!(part, "status" | "finalize")
}

impl Patched {
    /// The answer as text.
    pub(crate) fn text(&self) -> String {
        json::to_string(&self.object)
    }
}
