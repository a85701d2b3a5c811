//! Objects and what requests make of them, as far as patches are concerned.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sprag_decode::{Format, object, typed};
use sprag_patch::apply::{ConvertError, FieldSet, Resource, Versions};
use sprag_patch::strict::{self, FieldValidation, Read};
use sprag_patch::{PatchError, merge_patch};
use sprag_schema::CustomResource;
use sprag_schema::crd::{Crd, prepare};
use sprag_shape::{Shapes, TypeId, canonical};
use sprag_value::{Time, Value, json};

use super::shapes;

/// What a request is answered with.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// By the patch engine, with this status and message.
    ByPatch(u16, String),
    /// By the schema of the definition.
    BySchema,
    /// Not by anything that is looked at here.
    NotHere(&'static str),
}

/// All objects by path, and the definitions that rule them.
#[derive(Default)]
pub(crate) struct World {
    definitions: BTreeMap<String, Definition>,
    objects: BTreeMap<String, Value>,
}

struct Definition {
    /// The definition itself, for patches of it.
    source: Value,
    custom: Option<CustomResource>,
    api_version: String,
    kind: String,
    shapes: Shapes,
    root: TypeId,
    reset: FieldSet,
    reset_for_status: FieldSet,
}

/// One request, taken apart.
struct Request<'a> {
    method: &'a str,
    path: &'a str,
    query: Vec<(&'a str, &'a str)>,
    content_type: &'a str,
    body: Cow<'a, str>,
}

const NOW: i64 = 1_700_000_000;

impl World {
    /// Does what the request asks for.
    pub(crate) fn send(&mut self, step: &Value) -> Result<Answer, Refusal> {
        let request = Request::of(step)?;
        if request.path.contains("/customresourcedefinitions") {
            return self.define(&request);
        }
        if request.path == "/api/v1/namespaces" {
            return Ok(Answer { object: Value::Null, warnings: Vec::new() });
        }
        self.ensure_config_maps(request.path);
        match request.method {
            "POST" => self.create(&request),
            "PATCH" => self.patch(&request),
            _ => Err(Refusal::NotHere("deletion is not a matter of patches")),
        }
    }

    fn define(&mut self, request: &Request<'_>) -> Result<Answer, Refusal> {
        let source = if request.method == "POST" {
            json::parse(request.body.as_bytes()).unwrap_or_default()
        } else {
            let name = request.path.rsplit('/').next().unwrap_or_default();
            let found = self.definitions.values().find(|definition| definition.name() == name);
            let Some(found) = found else { return Err(Refusal::NotHere("the definition is missing")) };
            let text = merge_patch::apply(&json::to_string(&found.source), request.body.as_bytes());
            json::parse(text.unwrap_or_default().as_bytes()).unwrap_or_default()
        };
        let plural = source.lookup(&["spec", "names", "plural"]).and_then(Value::as_str).unwrap_or_default();
        let plural = plural.to_owned();
        let definition = Definition::custom(source).ok_or(Refusal::NotHere("the definition cannot be read"))?;
        self.definitions.insert(plural, definition);
        Ok(Answer { object: Value::Null, warnings: Vec::new() })
    }

    fn ensure_config_maps(&mut self, path: &str) {
        if path.contains("/configmaps") && !self.definitions.contains_key("configmaps") {
            self.definitions.insert("configmaps".into(), Definition::config_map());
        }
    }

    fn create(&mut self, request: &Request<'_>) -> Result<Answer, Refusal> {
        let definition = self.definition(request)?;
        let read = definition.read(&request.body).map_err(|error| Refusal::ByPatch(400, error))?;
        let mut object = read.object;
        definition.complete(&mut object, request);
        let owned = definition.resource(&definition.endpoint(""), "").update(None, object, request.manager(), now());
        let object = definition.stored_new(owned)?;
        let name = object.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
        let path = format!("{}/{name}", request.path);
        self.objects.insert(path, object.clone());
        Ok(Answer { object, warnings: Vec::new() })
    }

    fn patch(&mut self, request: &Request<'_>) -> Result<Answer, Refusal> {
        let (path, subresource) = match request.path.strip_suffix("/status") {
            Some(path) => (path, "status"),
            None => (request.path, ""),
        };
        if path.ends_with("/scale") {
            return Err(Refusal::NotHere("scales are not a matter of patches"));
        }
        let definition = self.definition(request)?;
        let live = self.objects.get(path).map(|live| definition.current(live)).transpose()?;
        let live = live.as_ref();
        let validation = request.validation()?;
        let (object, warnings) = match (request.content_type, live) {
            ("application/apply-patch+yaml", live) => definition.apply(live, request, subresource, validation)?,
            (_, None) => return Err(Refusal::NotHere("the object is missing")),
            (content_type, Some(live)) => {
                let patched = definition.patch(content_type, live, &request.body, validation)?;
                let mut object = patched.object;
                definition.complete(&mut object, request);
                let endpoint = definition.endpoint(subresource);
                let resource = definition.resource(&endpoint, subresource);
                (resource.update(Some(live), object, request.manager(), now()), patched.warnings)
            }
        };
        check_identity(&object, live, path)?;
        let (object, more) = match live {
            None => (definition.stored_new(object)?, Vec::new()),
            Some(live) => definition.stored(object, live, subresource)?,
        };
        self.objects.insert(path.to_owned(), object.clone());
        Ok(Answer { object, warnings: warnings.into_iter().chain(more).collect() })
    }

    fn definition(&self, request: &Request<'_>) -> Result<&Definition, Refusal> {
        let found = self.definitions.iter().find(|(plural, _)| request.path.contains(&format!("/{plural}")));
        found.map(|(_, definition)| definition).ok_or(Refusal::NotHere("the resource is not defined"))
    }
}

/// The largest body that a server takes.
const MAX_BODY_BYTES: usize = 3 << 20;

/// A body that is recorded as a text between two others, and how often it is repeated.
fn generated(parts: &Value) -> String {
    let text = |name: &str| parts.get(name).and_then(Value::as_str).unwrap_or_default();
    let count = parts.get("count").and_then(Value::as_i64).and_then(|count| usize::try_from(count).ok());
    [text("prefix"), &text("unit").repeat(count.unwrap_or(0)), text("suffix")].concat()
}

impl<'a> Request<'a> {
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
        Ok(Self { method: text("method"), path, query, content_type, body })
    }

    fn parameter(&self, name: &str) -> &'a str {
        self.query.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    /// Requests come from a client that calls itself so.
    fn manager(&self) -> &'a str {
        let manager = self.parameter("fieldManager");
        if manager.is_empty() { "conformance" } else { manager }
    }

    fn namespace(&self) -> Option<&'a str> {
        let (_, rest) = self.path.split_once("/namespaces/")?;
        rest.split('/').next()
    }

    fn validation(&self) -> Result<FieldValidation, Refusal> {
        match self.parameter("fieldValidation") {
            "" | "Warn" => Ok(FieldValidation::Warn),
            "Strict" => Ok(FieldValidation::Strict),
            "Ignore" => Ok(FieldValidation::Ignore),
            _ => Err(Refusal::NotHere("options are checked elsewhere")),
        }
    }
}

impl Definition {
    fn config_map() -> Self {
        let (shapes, root) = shapes::config_map();
        Self {
            source: Value::Null,
            custom: None,
            api_version: "v1".into(),
            kind: "ConfigMap".into(),
            shapes,
            root,
            reset: FieldSet::new(),
            reset_for_status: FieldSet::new(),
        }
    }

    fn custom(source: Value) -> Option<Self> {
        let mut definition = source.clone();
        prepare::set_defaults(&mut definition);
        prepare::for_create(&mut definition);
        let crd = Crd::read(&definition).ok()?;
        let custom = CustomResource::versions(&crd).into_iter().next()?;
        let version = definition.lookup(&["spec", "versions"])?.at(0)?.clone();
        let (shapes, root) = custom.schema()?.shapes();
        let has_status = version.lookup(&["subresources", "status"]).is_some();
        let reset = if has_status { FieldSet::of_fields([&["status"][..]]) } else { FieldSet::new() };
        Some(Self {
            kind: source.lookup(&["spec", "names", "kind"])?.as_str()?.to_owned(),
            source,
            api_version: custom.api_version().to_owned(),
            custom: Some(custom),
            shapes,
            root,
            reset,
            reset_for_status: FieldSet::of_fields([&["metadata"][..], &["spec"]]),
        })
    }

    fn name(&self) -> &str {
        self.source.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap_or_default()
    }

    fn endpoint(&self, subresource: &str) -> Endpoint<'_> {
        Endpoint { definition: self, reset: if subresource.is_empty() { &self.reset } else { &self.reset_for_status } }
    }

    fn resource<'a>(&'a self, endpoint: &'a Endpoint<'a>, subresource: &'a str) -> Resource<'a> {
        Resource {
            versions: endpoint,
            api_version: &self.api_version,
            kind: &self.kind,
            subresource,
            writes_zero_values: self.custom.is_none(),
            empty_managed_fields_reset: self.custom.is_none(),
        }
    }

    /// Reads the text of an object.
    fn read(&self, text: &str) -> Result<Read, String> {
        let document = object::decode(Format::Json, text.as_bytes()).map_err(|error| error.to_string())?;
        let Some(custom) = &self.custom else {
            let decoded = typed::decode_json(&self.shapes, self.root, text.as_bytes());
            let decoded = decoded.map_err(|error| error.to_string())?;
            let findings = decoded.findings.iter().map(ToString::to_string).collect();
            return Ok(Read { object: decoded.value, findings });
        };
        let mut findings: Vec<String> = document.findings.iter().map(ToString::to_string).collect();
        let read = custom.decode(document.value).map_err(|error| error.to_string())?;
        findings.extend(read.unknown_fields.iter().map(|path| format!("unknown field {path:?}")));
        Ok(Read { object: read.object, findings })
    }

    /// Fills in defaults and what the server sets.
    fn complete(&self, object: &mut Value, request: &Request<'_>) {
        if let Some(custom) = &self.custom {
            let filled = custom.default(object);
            debug_assert!(filled.is_ok(), "recorded objects have few defaults");
        }
        let Some(Value::Object(metadata)) = object.get_mut("metadata") else { return };
        if let Some(namespace) = request.namespace() {
            metadata.insert("namespace", namespace);
        }
        for (name, value) in [("uid", "u"), ("creationTimestamp", "2023-11-14T22:13:20Z")] {
            metadata.insert(name, value);
        }
        if !metadata.contains_key("resourceVersion") && request.parameter("dryRun").is_empty() {
            metadata.insert("resourceVersion", "184467");
        }
    }

    fn patch(
        &self,
        content_type: &str,
        live: &Value,
        patch: &str,
        validation: FieldValidation,
    ) -> Result<strict::Patched, Refusal> {
        let text = match self.custom {
            Some(_) => json::to_string(live),
            None => canonical(&self.shapes, self.root, live),
        };
        let read = |text: &str| self.read(text);
        let patch = patch.as_bytes();
        let patched = match content_type {
            "application/json-patch+json" => strict::json(&text, patch, validation, read),
            "application/merge-patch+json" => strict::merge(&text, patch, validation, read),
            "application/strategic-merge-patch+json" if self.custom.is_none() => {
                strict::strategic(&self.shapes, self.root, live, patch, validation)
            }
            _ => return Err(Refusal::NotHere("content types are negotiated elsewhere")),
        };
        patched.map_err(refused)
    }

    fn apply(
        &self,
        live: Option<&Value>,
        request: &Request<'_>,
        subresource: &str,
        validation: FieldValidation,
    ) -> Result<(Value, Vec<String>), Refusal> {
        let (applied, findings) = strict::read_applied(request.body.as_bytes()).map_err(refused)?;
        let force = request.parameter("force") == "true";
        let manager = request.parameter("fieldManager");
        if manager.is_empty() {
            return Err(Refusal::NotHere("options are checked elsewhere"));
        }
        let endpoint = self.endpoint(subresource);
        let resource = self.resource(&endpoint, subresource);
        let mut object = resource.apply(live, &applied, manager, force, now()).map_err(refused)?;
        if self.custom.is_none() {
            let restored = strict::restore(&self.shapes, self.root, &object);
            object = restored.map_err(|error| Refusal::ByPatch(400, error))?.object;
        }
        let warnings = strict::settle_applied(&findings, validation).map_err(refused)?;
        if live.is_none() && applied.lookup(&["metadata", "uid"]).is_some() {
            return Err(Refusal::NotHere("identities are checked elsewhere"));
        }
        self.complete(&mut object, request);
        Ok((object, warnings))
    }

    fn stored_new(&self, object: Value) -> Result<Value, Refusal> {
        let Some(custom) = &self.custom else { return Ok(object) };
        let verdict = custom.create(object);
        if verdict.is_accepted() { self.current(&verdict.object) } else { Err(Refusal::BySchema) }
    }

    fn stored(&self, object: Value, live: &Value, subresource: &str) -> Result<(Value, Vec<String>), Refusal> {
        let Some(custom) = &self.custom else { return Ok((object, Vec::new())) };
        let verdict = match subresource {
            "status" => custom.update_status(object, live),
            _ => custom.update(object, live),
        };
        if verdict.is_accepted() {
            Ok((self.current(&verdict.object)?, verdict.warnings))
        } else {
            Err(Refusal::BySchema)
        }
    }

    /// A stored object as it is read now.
    fn current(&self, stored: &Value) -> Result<Value, Refusal> {
        let Some(custom) = &self.custom else { return Ok(stored.clone()) };
        let mut object = custom.decode_stored(stored.clone()).map_err(|_| Refusal::BySchema)?.object;
        if custom.default(&mut object).is_err() {
            return Err(Refusal::BySchema);
        }
        Ok(object)
    }
}

/// A definition at one of its endpoints.
struct Endpoint<'a> {
    definition: &'a Definition,
    reset: &'a FieldSet,
}

impl Versions for Endpoint<'_> {
    fn shape(&self, api_version: &str) -> Option<(&Shapes, TypeId)> {
        let definition = self.definition;
        (api_version == definition.api_version).then_some((&definition.shapes, definition.root))
    }

    fn convert(&self, _: &Value, _: &str) -> Result<Value, ConvertError> {
        Err(ConvertError::UnknownVersion)
    }

    fn reset_fields(&self, _: &str) -> Option<&FieldSet> {
        Some(self.reset)
    }
}

/// Which object it is, and whether it is the latest, is not a matter of patches.
fn check_identity(object: &Value, live: Option<&Value>, path: &str) -> Result<(), Refusal> {
    let metadata = |object: &Value, name: &str| object.lookup(&["metadata", name]).cloned();
    let name = metadata(object, "name").unwrap_or_default();
    if name.as_str() != path.rsplit('/').next() {
        return Err(Refusal::NotHere("names are checked elsewhere"));
    }
    let version = |object| metadata(object, "resourceVersion");
    match live {
        Some(live) if version(live) != version(object) => Err(Refusal::NotHere("identities are checked elsewhere")),
        _ => Ok(()),
    }
}

fn now() -> Time {
    Time::from_unix(NOW, 0)
}

fn refused(error: PatchError) -> Refusal {
    match error {
        PatchError::BadRequest(text) => Refusal::ByPatch(400, text),
        PatchError::Unprocessable(_) => {
            Refusal::ByPatch(422, "the server rejected our request due to an error in our request".into())
        }
        PatchError::Invalid { value, detail } => {
            let value = sprag_field::quote::go(&value);
            Refusal::ByPatch(422, format!(" \"\" is invalid: patch: Invalid value: {value}: {detail}"))
        }
        PatchError::Conflict(conflicts) => Refusal::ByPatch(409, conflicts.message),
        PatchError::TooLarge(text) => Refusal::ByPatch(413, format!("Request entity too large: {text}")),
        PatchError::Internal(text) => Refusal::ByPatch(500, text),
        _ => Refusal::NotHere("a kind of error that is new"),
    }
}
