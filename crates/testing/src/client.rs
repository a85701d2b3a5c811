//! Requests for the objects of one resource.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sprag_rest::{
    ApiError, DEFAULT_NAMESPACE, Definition, DeleteOptions, Format, GroupResource, Offline, Outcome, Patch, Request,
    Result, SubresourceKind, WriteOptions, api_version, meta,
};
use sprag_value::{BridgeError, Value, from_value, json};

use crate::api::Api;
use crate::body::{Type, text, typed_text};
use crate::wait::wait;

/// Requests for the objects of one resource, in one version and namespace.
///
/// Objects are JSON text, or values that can be serialized: those of an author's type, or [`Value`]s. `apiVersion` and `kind`
/// may be left out. Unknown and repeated fields are refused, as kubectl asks for.
#[derive(Clone)]
pub struct Client<'a> {
    api: &'a Api,
    resource: GroupResource,
    version: String,
    namespace: String,
    subresource: String,
    options: WriteOptions,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The object; when it is deleted at once, what upstream answers for its kind.
    pub object: Value,
    /// Warnings for the client.
    pub warnings: Vec<String>,
}

/// The result of validating an object offline.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The object as it would be stored.
    pub object: Value,
    /// The errors for which it would be rejected.
    pub errors: Vec<sprag_field::Error>,
    /// Unknown fields, which strict decoding refuses.
    pub unknown_fields: Vec<String>,
    /// Warnings for the client.
    pub warnings: Vec<String>,
    /// Errors that ratcheting forgives.
    pub forgiven: Vec<sprag_field::Error>,
}

impl Answer {
    /// A part of the object as JSON text, by dotted path: `spec.class`. `null` if it is not set.
    pub fn json(&self, path: &str) -> String {
        part(&self.object, path)
    }

    /// The object as a value of its type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, BridgeError> {
        from_value(&self.object)
    }
}

impl Verdict {
    /// A part of the object as JSON text, by dotted path: `spec.class`. `null` if it is not set.
    pub fn json(&self, path: &str) -> String {
        part(&self.object, path)
    }
}

impl<'a> Client<'a> {
    pub(crate) fn new(api: &'a Api, group: &str, version: &str, resource: &str) -> Client<'a> {
        let client = Client {
            api,
            resource: GroupResource::new(group, resource),
            version: version.to_owned(),
            namespace: String::new(),
            subresource: String::new(),
            options: WriteOptions { field_validation: "Strict".into(), ..WriteOptions::by("test") },
        };
        match client.definition() {
            Ok(definition) if definition.namespaced() => Client { namespace: DEFAULT_NAMESPACE.into(), ..client },
            _ => client,
        }
    }

    /// The same for another namespace, which is created unless it exists.
    #[must_use]
    pub fn namespace(&self, name: &str) -> Client<'a> {
        self.api.ensure_namespace(name);
        Client { namespace: name.to_owned(), ..self.clone() }
    }

    /// The same for a subresource.
    #[must_use]
    pub fn subresource(&self, name: &str) -> Client<'a> {
        Client { subresource: name.to_owned(), ..self.clone() }
    }

    /// The same for `/status`.
    #[must_use]
    pub fn status(&self) -> Client<'a> {
        self.subresource("status")
    }

    /// The same with other options: field manager, field validation, dry run.
    #[must_use]
    pub fn options(&self, options: WriteOptions) -> Client<'a> {
        Client { options, ..self.clone() }
    }

    /// Creates an object.
    pub fn create(&self, object: &(impl Serialize + ?Sized)) -> Result<Answer> {
        let text = self.body(object)?;
        let request = self.request("");
        let (body, warnings) = self.api.registry().decode(&request, text.as_bytes(), Format::Json, &self.options)?;
        Ok(answer(wait(self.api.registry().create(&request, body, &self.options))?, warnings))
    }

    /// Replaces an object, which is found by its name. Without a resource version in it, whatever is there is replaced.
    pub fn update(&self, object: &(impl Serialize + ?Sized)) -> Result<Answer> {
        let text = self.body(object)?;
        let name = json::parse(text.as_bytes()).map(|object| meta::name(&object).to_owned()).unwrap_or_default();
        let request = self.request(&name);
        let (body, warnings) = self.api.registry().decode(&request, text.as_bytes(), Format::Json, &self.options)?;
        Ok(answer(wait(self.api.registry().update(&request, body, &self.options))?, warnings))
    }

    /// Changes an object.
    pub fn patch(&self, name: &str, patch: Patch<'_>) -> Result<Answer> {
        Ok(answer(wait(self.api.registry().patch(&self.request(name), patch, &self.options))?, Vec::new()))
    }

    /// Changes the members of an object that a merge patch names.
    pub fn merge_patch(&self, name: &str, patch: &(impl Serialize + ?Sized)) -> Result<Answer> {
        self.patch(name, Patch::Merge(text(patch)?.as_bytes()))
    }

    /// Gets an object.
    pub fn get(&self, name: &str) -> Result<Answer> {
        let object = wait(self.api.registry().get(&self.request(name), ""))?;
        Ok(Answer { object, warnings: Vec::new() })
    }

    /// Deletes an object.
    pub fn delete(&self, name: &str) -> Result<Answer> {
        Ok(answer(wait(self.api.registry().delete(&self.request(name), &DeleteOptions::default()))?, Vec::new()))
    }

    /// Judges a new object without storing it.
    pub fn judge(&self, object: &(impl Serialize + ?Sized)) -> Result<Verdict> {
        self.judged(&self.body(object)?, None)
    }

    /// Judges an object that replaces an old one, neither of them stored.
    pub fn judge_update(&self, object: &(impl Serialize + ?Sized), old: &(impl Serialize + ?Sized)) -> Result<Verdict> {
        let old = parse(&self.body(old)?)?;
        self.judged(&self.body(object)?, Some(&old))
    }

    fn judged(&self, text: &str, old: Option<&Value>) -> Result<Verdict> {
        let offline = Offline::new(self.api.registry().gates().clone());
        let resource = offline.resource((*self.definition()?).clone());
        let Outcome { findings, judged } =
            offline.judge_subresource(&resource, &self.version, &self.subresource, parse(text)?, old)?;
        Ok(Verdict {
            object: judged.object,
            errors: judged.errors,
            unknown_fields: findings.iter().map(ToString::to_string).collect(),
            warnings: judged.warnings,
            forgiven: judged.tolerated.forgiven,
        })
    }

    fn definition(&self) -> Result<Arc<Definition>> {
        self.api.registry().definition(&self.resource).ok_or_else(ApiError::no_such_resource)
    }

    /// The text of an object. `/scale` and its like have a kind of their own.
    fn body(&self, object: &(impl Serialize + ?Sized)) -> Result<String> {
        let definition = self.definition()?;
        let api_version = api_version(&self.resource.group, &self.version);
        let subresource = definition.version(&self.version).and_then(|version| version.subresource(&self.subresource));
        if subresource.is_some_and(|subresource| !matches!(subresource.kind, SubresourceKind::Part(_))) {
            return text(object);
        }
        typed_text(object, &Type { api_version: &api_version, kind: &definition.kind })
    }

    fn request<'r>(&'r self, name: &'r str) -> Request<'r> {
        Request {
            group: &self.resource.group,
            version: &self.version,
            resource: &self.resource.resource,
            namespace: &self.namespace,
            name,
            subresource: &self.subresource,
            user: &self.api.user,
        }
    }
}

/// An answer with the warnings of decoding before its own.
fn answer(answer: sprag_registry::Answer, mut warnings: Vec<String>) -> Answer {
    warnings.extend(answer.warnings);
    Answer { object: answer.object, warnings }
}

fn parse(text: &str) -> Result<Value> {
    json::parse(text.as_bytes()).map_err(|error| ApiError::bad_request(error.to_string()))
}

fn part(object: &Value, path: &str) -> String {
    let path: Vec<&str> = path.split('.').collect();
    json::to_string(object.lookup(&path).unwrap_or(&Value::Null))
}
