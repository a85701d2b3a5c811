//! Patching objects, all four ways.

use sprag_decode::{Finding, Format, typed, yaml};
use sprag_field::{Error, Path, quote};
use sprag_patch::PatchError;
use sprag_patch::strict::{self, FieldValidation, Patched, Read};
use sprag_shape::canonical;
use sprag_value::json::JsonErrorKind;
use sprag_value::{Value, json};

use super::{Update, drop_repeated_owners, type_member};
use crate::encoded::reads_back;
use crate::error::{ApiError, Result};
use crate::managed::{Books, scale_resource, scale_shape};
use crate::meta;
use crate::names::split_api_version;
use crate::options::{Write, WriteOptions};
use crate::registry::{Answer, Registry, Request, Target};
use crate::strategy::Strategy;
use crate::subresource::SubresourceKind;
use crate::typed::read_typed;

/// A change of an object, as it was sent.
#[derive(Clone, Copy, Debug)]
pub enum Patch<'a> {
    /// A list of operations.
    Json(&'a [u8]),
    /// The members that change.
    Merge(&'a [u8]),
    /// The members that change, with lists merged by key.
    Strategic(&'a [u8]),
    /// What a manager wants the object to be, in YAML or JSON.
    Apply(&'a [u8]),
}

/// When upstream looks for repeated owners in what a patch makes.
const AFTER_ADMISSION: &str = " after mutating admission happens";

/// Where upstream keeps the kinds that a `Scale` can be.
const SCALE_SCHEME: &str = "k8s.io/client-go/scale/util.go:146";

/// An applied configuration that was read.
struct Applied {
    object: Value,
    /// Keys that it repeats.
    findings: Vec<Finding>,
}

impl Registry {
    /// Changes an object, or the part of it that a subresource lets change. Apply creates it if need be.
    pub async fn patch(&self, request: &Request<'_>, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer> {
        match self.patch_found(request, patch, options).await {
            // Upstream reads the patch before it looks for the object.
            Err(error) if error.is_not_found() => Err(unreadable(patch).unwrap_or(error)),
            outcome => outcome,
        }
    }

    async fn patch_found(&self, request: &Request<'_>, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let is_apply = matches!(patch, Patch::Apply(_));
        options.validate(if is_apply { Write::Apply } else { Write::Patch })?;
        let applied = match patch {
            Patch::Apply(text) => Some(Applied::read(text)?),
            _ => None,
        };
        let strategy: &dyn Strategy = match target.subresource()?.map(|subresource| &subresource.kind) {
            None => &*target.definition().update,
            Some(SubresourceKind::Part(strategy)) => &**strategy,
            Some(SubresourceKind::Scale(paths)) => {
                let change = |scale: &Value, warnings: &mut Vec<String>| match &applied {
                    Some(applied) => target.applied_scale(scale, applied, options, warnings),
                    None => target.patched_scale(scale, patch, options, warnings),
                };
                return target.change_scale(paths, &change, "", options).await;
            }
            Some(_) => return Err(ApiError::method_not_supported(&target.definition().resource, "patch")),
        };
        let change = |old: Option<&Value>, warnings: &mut Vec<String>| match &applied {
            Some(applied) => target.applied(old, applied, options, warnings),
            None => target.patched(old, patch, options, warnings),
        };
        let unconditional = strategy.allow_unconditional_update();
        let is_read = !is_apply;
        let update = Update { strategy, change: &change, is_read, uid: "", create: is_apply, unconditional, options };
        target.update(&update).await
    }
}

impl Applied {
    fn read(text: &[u8]) -> Result<Applied> {
        let (object, findings) = strict::read_applied(text).map_err(|error| match yaml::decode(text) {
            // Upstream takes what begins like JSON for JSON at first.
            Err(why) if Format::guess(text) == Format::Yaml => {
                ApiError::bad_request(format!("error encoding patch: {why}"))
            }
            _ => error.into(),
        })?;
        Ok(Applied { object: if object.is_null() { Value::object() } else { object }, findings })
    }

    fn settle(&self, options: &WriteOptions, warnings: &mut Vec<String>) -> Result<()> {
        warnings.extend(strict::settle_applied(&self.findings, options.validation())?);
        Ok(())
    }
}

impl Target<'_> {
    fn patched(
        &self,
        old: Option<&Value>,
        patch: Patch<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let old = old.ok_or_else(|| ApiError::not_found(&self.definition().resource, self.request.name))?;
        let patched = self.patch_object(old, patch, options.validation())?;
        warnings.extend(patched.warnings);
        let mut new = patched.object;
        if type_member(&new, "apiVersion").is_empty() {
            return Err(ApiError::internal("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
        }
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_patched(&new)?;
        self.complete(&mut new)?;
        let mut new = self.owned(Some(old), new, options);
        warnings.extend(drop_repeated_owners(&mut new, AFTER_ADMISSION));
        Ok(new)
    }

    fn patch_object(&self, old: &Value, patch: Patch<'_>, validation: FieldValidation) -> Result<Patched, PatchError> {
        let definition = self.definition();
        let shape = definition.scheme.shape(self.request.version);
        let text = || match shape {
            Some((shapes, id)) if !definition.custom => canonical(shapes, id, old),
            _ => json::to_string(old),
        };
        let read = |text: &str| {
            let read = self.read_patched(text, validation != FieldValidation::Ignore)?;
            Ok(Read { object: read.object, findings: read.findings })
        };
        if let Patch::Merge(patch) = patch
            && let Some(object) = self.merged(old, patch)
        {
            return Ok(Patched { object, warnings: Vec::new() });
        }
        match (patch, shape) {
            (Patch::Json(patch), _) => strict::json(&text(), patch, validation, read),
            (Patch::Merge(patch), _) => strict::merge(&text(), patch, validation, read),
            (Patch::Strategic(patch), Some((shapes, id))) => {
                let mut patched = strict::strategic(shapes, id, old, patch, validation)?;
                // The object has its type from the resource here, whatever the patch says.
                keep_type(&mut patched.object, old);
                Ok(patched)
            }
            (Patch::Strategic(_) | Patch::Apply(_), _) => {
                Err(PatchError::Internal("the resource has no type to merge by".into()))
            }
        }
    }

    /// The merged object, where that takes no text and there is nothing to say about it.
    fn merged(&self, old: &Value, patch: &[u8]) -> Option<Value> {
        let definition = self.definition();
        if !definition.custom || !reads_back(old) {
            return None;
        }
        definition.scheme.read_value(self.request.version, strict::merge_value(old, patch)?)
    }

    fn applied(
        &self,
        old: Option<&Value>,
        applied: &Applied,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let definition = self.definition();
        let books = Books::new(self, old.is_none());
        let resource = books.resource(self, self.api_version());
        let force = options.force.unwrap_or(false);
        let new = resource.apply(old, &applied.object, &options.field_manager, force, self.now)?;
        let read = definition.scheme.read_applied(self.request.version, new);
        let mut new = read.map_err(|error| self.not_restored(&applied.object, &error))?;
        applied.settle(options, warnings)?;
        let uid = meta::uid(&new);
        if old.is_none() && !uid.is_empty() {
            let why =
                format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
            return Err(ApiError::conflict(&definition.resource, self.request.name, &why));
        }
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_name(&new)?;
        self.complete(&mut new)?;
        warnings.extend(drop_repeated_owners(&mut new, AFTER_ADMISSION));
        Ok(new)
    }

    /// Upstream's words for an applied object that does not fit its type; a bad request rather than an error of the
    /// server, as it is for the patch engine.
    fn not_restored(&self, applied: &Value, error: &str) -> ApiError {
        let (group, version) = (self.definition().group(), self.request.version);
        let kind = format!("{group}/{version}, Kind={}", self.definition().kind);
        let (namespace, name) = (meta::namespace(applied), meta::name(applied));
        ApiError::bad_request(format!(
            "failed to convert new object ({namespace}/{name}; {kind}) to proper version: unable to convert unstructured \
             object to {kind}: {error}"
        ))
    }

    /// The `Scale` that a patch makes of one, with its fields attributed to the writer.
    fn patched_scale(
        &self,
        scale: &Value,
        patch: Patch<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let (shapes, id) = scale_shape();
        let text = || canonical(shapes, id, scale);
        let read = |text: &str| {
            let read = read_typed(shapes, id, text.as_bytes(), Format::Json)?;
            check_scale(&read.object)?;
            Ok(Read { object: read.object, findings: read.findings })
        };
        let validation = options.validation();
        let patched = match patch {
            Patch::Json(patch) => strict::json(&text(), patch, validation, read),
            Patch::Merge(patch) => strict::merge(&text(), patch, validation, read),
            Patch::Strategic(patch) | Patch::Apply(patch) => strict::strategic(shapes, id, scale, patch, validation),
        }?;
        warnings.extend(patched.warnings);
        let mut new = patched.object;
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_name(&new)?;
        Ok(scale_resource().update(Some(scale), new, &options.field_manager, self.now))
    }

    fn applied_scale(
        &self,
        scale: &Value,
        applied: &Applied,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let force = options.force.unwrap_or(false);
        let new = scale_resource().apply(Some(scale), &applied.object, &options.field_manager, force, self.now)?;
        let (shapes, id) = scale_shape();
        let new = typed::decode(shapes, id, &new).map_err(|misfit| ApiError::bad_request(misfit.text))?.value;
        applied.settle(options, warnings)?;
        self.check_name(&new)?;
        Ok(new)
    }

    /// A patch must not make another object, or an object of another kind, which for custom resources is left to their
    /// validation.
    fn check_patched(&self, new: &Value) -> Result<()> {
        self.check_name(new)?;
        let definition = self.definition();
        if definition.custom {
            return Ok(());
        }
        let mut errors = Vec::new();
        for (member, expected) in [("kind", definition.kind.as_str()), ("apiVersion", self.api_version())] {
            let given = type_member(new, member);
            if given != expected {
                errors.push(Error::invalid(&Path::new(member), given, format!("must be {expected}")));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        let (group, _) = split_api_version(type_member(new, "apiVersion"));
        Err(ApiError::invalid(type_member(new, "kind"), group, meta::name(new), &errors))
    }
}

/// What is wrong with a patch that is no JSON where it has to be.
fn unreadable(patch: Patch<'_>) -> Option<ApiError> {
    let (Patch::Json(text) | Patch::Merge(text) | Patch::Strategic(text)) = patch else { return None };
    let error = sprag_decode::json::decode(text).err()?;
    let is_json = matches!(error.kind(), JsonErrorKind::NumberRange { .. });
    (!is_json).then(|| ApiError::bad_request("invalid JSON patch"))
}

/// Undoes what a patch did to the type of an object.
fn keep_type(new: &mut Value, old: &Value) {
    for member in ["apiVersion", "kind"] {
        new.insert(member, old.get(member).cloned().unwrap_or_default());
    }
}

/// Refuses a patched `Scale` that says it is something else.
fn check_scale(scale: &Value) -> Result<(), String> {
    match (type_member(scale, "apiVersion"), type_member(scale, "kind")) {
        ("" | "autoscaling/v1", "" | "Scale") => Ok(()),
        (version, kind) => {
            let kind = if kind.is_empty() { "Scale" } else { kind };
            let version = if version.is_empty() { "autoscaling/v1" } else { version };
            let (kind, version) = (quote::go(kind), quote::go(version));
            Err(format!("no kind {kind} is registered for version {version} in scheme {SCALE_SCHEME:?}"))
        }
    }
}
