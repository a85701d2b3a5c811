//! Patching objects, all four ways.

use sprag_decode::typed::Unprinted;
use sprag_decode::{Decoded, Finding, Format, yaml};
use sprag_field::{Error, Path};
use sprag_patch::PatchError;
use sprag_patch::strict::{self, FieldValidation, Patched, Read};
use sprag_release::{Fact, Release};
use sprag_shape::to_go_json;
use sprag_value::json::{JsonErrorKind, as_written};
use sprag_value::{MAX_DEPTH, Value, json};

use super::decode::texts;
use super::{Write, type_member};
use crate::error::{ApiError, Result};
use crate::managed::FieldOwners;
use crate::meta;
use crate::names::split_api_version;
use crate::options::WriteOptions;

/// A change of an object, as it was sent.
#[derive(Clone, Copy, Debug)]
pub enum Patch<'a> {
    /// A list of operations.
    Json(&'a [u8]),
    /// The members that change.
    Merge(&'a [u8]),
    /// The members that change, with lists merged by key.
    Strategic(&'a [u8]),
    /// A server-side apply configuration, in YAML or JSON.
    Apply(&'a [u8]),
}

impl<'a> Patch<'a> {
    /// The body of the patch.
    pub(crate) fn text(&self) -> &'a [u8] {
        match self {
            Patch::Json(text) | Patch::Merge(text) | Patch::Strategic(text) | Patch::Apply(text) => text,
        }
    }
}

/// An applied configuration that was read.
pub(super) struct Applied {
    pub(super) object: Value,
    /// Keys that it repeats.
    findings: Vec<Finding>,
}

impl Applied {
    pub(super) fn read(release: Release, text: &[u8]) -> Result<Applied> {
        let (object, findings) = strict::read_applied(text).map_err(|error| named_by(release, error)).map_err(
            |error| match yaml::decode(text) {
                // Upstream takes what begins like JSON for JSON at first.
                Err(why) if Format::guess(text) == Format::Yaml => {
                    let is_yaml = release.has(Fact::AppliedIsYaml);
                    let what = if is_yaml { "decoding YAML: error converting YAML to JSON" } else { "encoding patch" };
                    ApiError::bad_request(format!("error {what}: {why}"))
                }
                _ => error.into(),
            },
        )?;
        Ok(Applied { object: if object.is_null() { Value::object() } else { object }, findings })
    }

    /// Refuses or reports keys that the configuration repeats.
    pub(super) fn settle(&self, release: Release, options: &WriteOptions, warnings: &mut Vec<String>) -> Result<()> {
        warnings.extend(
            strict::settle_applied(&self.findings, options.validation()).map_err(|error| named_by(release, error))?,
        );
        Ok(())
    }
}

/// An error about an applied configuration in the words of a release.
fn named_by(release: Release, error: PatchError) -> PatchError {
    match error {
        PatchError::BadRequest(text) if release.has(Fact::AppliedIsYaml) => {
            PatchError::BadRequest(text.replacen("decoding patch", "decoding YAML", 1))
        }
        error => error,
    }
}

impl Write<'_> {
    pub(super) fn patched(
        &self,
        old: &Value,
        patch: Patch<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(Value, Vec<Unprinted>)> {
        let patched = self.patch_object(old, patch, options.validation())?;
        warnings.extend(patched.warnings);
        let mut new = patched.object;
        if type_member(&new, "apiVersion").is_empty() {
            return Err(ApiError::internal("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
        }
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_patched(&new)?;
        self.complete(&mut new, &patched.unprinted)?;
        Ok((self.owned(Some(old), new, options), patched.unprinted))
    }

    fn patch_object(&self, old: &Value, patch: Patch<'_>, validation: FieldValidation) -> Result<Patched, PatchError> {
        let definition = self.definition();
        let shape = definition.scheme.shape(self.request.version);
        let text = || match definition.written_shape(self.request.version) {
            Some((shapes, id)) => to_go_json(shapes, id, old),
            None => json::to_string(old),
        };
        self.check_syntax(patch)?;
        let read = |text: &str| {
            let read = self.read_patched(text, validation != FieldValidation::Ignore)?;
            Ok(Read { object: read.value, unprinted: read.unprinted, findings: texts(&read.findings) })
        };
        if let Patch::Merge(patch) = patch
            && let Some(object) = self.merged(old, patch)
        {
            return Ok(Patched { object, unprinted: Vec::new(), warnings: Vec::new() });
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

    /// Refuses a patch that is not JSON, unless the release leaves that to what reads it.
    pub(super) fn check_syntax(&self, patch: Patch<'_>) -> Result<(), PatchError> {
        match patch {
            Patch::Json(text) | Patch::Merge(text) | Patch::Strategic(text)
                if !self.context.gates.release().has(Fact::PatchSyntaxByDecoder) =>
            {
                strict::check_json(text)
            }
            _ => Ok(()),
        }
    }

    /// The merged object, where that takes no text and there is nothing to say about it.
    fn merged(&self, old: &Value, patch: &[u8]) -> Option<Value> {
        let merge = || if reads_back(old) { strict::merge_value(old, patch) } else { None };
        let merged = self.definition().scheme.read_value(self.request.version, &merge)?;
        let has_type = self.has_kind(&merged) && type_member(&merged, "apiVersion") == self.api_version();
        has_type.then_some(merged)
    }

    pub(super) fn applied(
        &self,
        old: Option<&Value>,
        applied: &Applied,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<(Value, Vec<Unprinted>)> {
        let definition = self.definition();
        let owners = FieldOwners::new(self, old.is_none());
        let (force, manager) = (options.force.unwrap_or(false), &options.field_manager);
        let new = owners.resource(self).apply(old, &applied.object, manager, force, self.context.now)?;
        let read = definition.scheme.read_applied(self.request.version, new);
        let Decoded { value: mut new, unprinted, .. } =
            read.map_err(|error| self.not_restored(&applied.object, &error))?;
        applied.settle(self.context.gates.release(), options, warnings)?;
        let uid = meta::uid(&new);
        if old.is_none() && !uid.is_empty() {
            let why =
                format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
            return Err(ApiError::conflict(&definition.resource, self.request.name, &why));
        }
        meta::match_namespace(&mut new, self.namespace())?;
        self.check_name(&new)?;
        self.complete(&mut new, &unprinted)?;
        Ok((new, unprinted))
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

    /// A patch must not make another object, or an object of another kind unless that is left to validation.
    fn check_patched(&self, new: &Value) -> Result<()> {
        self.check_name(new)?;
        let definition = self.definition();
        if !definition.conventions.refuses_other_kinds_early {
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

impl Patch<'_> {
    /// Returns the error of a patch that has to be JSON and is not. Upstream reads the patch before it looks for the
    /// object, so this comes before an error about a missing one.
    pub fn syntax_error(self, release: Release) -> Option<ApiError> {
        if release.has(Fact::PatchSyntaxByDecoder) {
            return None;
        }
        let (Patch::Json(text) | Patch::Merge(text) | Patch::Strategic(text)) = self else { return None };
        let error = sprag_decode::json::decode(text).err()?;
        let is_json = matches!(error.kind(), JsonErrorKind::NumberRange { .. });
        (!is_json).then(|| ApiError::bad_request("invalid JSON patch"))
    }
}

/// Undoes what a patch did to the type of an object.
fn keep_type(new: &mut Value, old: &Value) {
    for member in ["apiVersion", "kind"] {
        new.insert(member, old.get(member).cloned().unwrap_or_default());
    }
}

/// True if parsing the text of an object surely yields that object. Its metadata has no fractions.
fn reads_back(object: &Value) -> bool {
    let Some(members) = object.as_object() else { return false };
    members.iter().filter(|(key, _)| key.as_str() != "metadata").all(|(_, member)| is_exact(member, MAX_DEPTH))
}

/// True if there are no fractions that come back as integers because there is nothing behind the point.
fn is_exact(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Float(number) => matches!(as_written(*number), Value::Float(_)),
        Value::Array(elements) => elements.iter().all(|element| is_exact(element, depth)),
        Value::Object(members) => members.values().all(|member| is_exact(member, depth)),
        _ => true,
    }
}
