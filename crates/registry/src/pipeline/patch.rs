//! Patching objects, all four ways.

use std::sync::LazyLock;

use sprag_decode::{Format, json as decode_json, typed};
use sprag_field::{Error, Path};
use sprag_patch::{json_patch, merge_patch, strategic};
use sprag_shape::{Field, Kind, ListType, Shapes, TypeId, TypeRef, TypeShape, canonical};
use sprag_value::{Value, json};

use super::Update;
use crate::error::{ApiError, Result};
use crate::managed::{Books, scale_shape};
use crate::meta;
use crate::options::{Write, WriteOptions};
use crate::registry::{Answer, Registry, Request, Target};
use crate::strategy::{ReadObject, Strategy};
use crate::subresource::SubresourceKind;

/// A change of an object, as it was sent.
#[derive(Clone, Debug)]
pub enum Patch<'a> {
    /// A list of operations.
    Json(&'a [u8]),
    /// The members that change.
    Merge(&'a [u8]),
    /// The members that change, with lists merged by key.
    Strategic(&'a [u8]),
    /// What a manager wants the object to be.
    Apply(Value),
}

impl Registry {
    /// Changes an object, or the part of it that a subresource lets change. Apply creates it if need be.
    pub async fn patch(&self, request: &Request<'_>, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let is_apply = matches!(patch, Patch::Apply(_));
        options.validate(if is_apply { Write::Apply } else { Write::Patch })?;
        let strategy: &dyn Strategy = match target.subresource()?.map(|subresource| &subresource.kind) {
            None => &*target.definition().update,
            Some(SubresourceKind::Part(strategy)) => &**strategy,
            Some(SubresourceKind::Scale(paths)) => {
                let change = |scale: &Value, _: &mut Vec<String>| target.patched_scale(scale, &patch);
                return target.change_scale(paths, &change, options).await;
            }
            Some(_) => return Err(ApiError::method_not_supported(&target.definition().resource, "patch")),
        };
        let change = |old: Option<&Value>, warnings: &mut Vec<String>| match &patch {
            Patch::Apply(applied) => target.applied(old, applied, options),
            patch => target.patched(old, patch, options, warnings),
        };
        let uid = match &patch {
            Patch::Apply(applied) => meta::uid(applied),
            _ => "",
        };
        let unconditional = strategy.allow_unconditional_update();
        let update = Update { strategy, change: &change, uid, create: is_apply, unconditional, options };
        target.update(&update).await
    }

    /// Reads the text of an object for a request and does with strict findings what the options say: refuses it, or
    /// returns them as warnings beside the object.
    pub fn read(
        &self,
        request: &Request<'_>,
        text: &[u8],
        format: Format,
        options: &WriteOptions,
    ) -> Result<(Value, Vec<String>)> {
        let target = self.resolve(request)?;
        let kind = &target.definition().kind;
        let refused = |detail: &str| {
            let version = request.version;
            ApiError::bad_request(format!("{kind} in version {version:?} cannot be handled as a {kind}: {detail}"))
        };
        let strict = options.field_validation != "Ignore";
        let read =
            target.definition().scheme.read(request.version, text, format, strict).map_err(|error| refused(&error))?;
        let mut warnings = Vec::new();
        settle(read.findings, options, &mut warnings).map_err(|detail| refused(&detail))?;
        Ok((read.object, warnings))
    }
}

impl Patch<'_> {
    /// What strict decoding refuses in the text of the patch itself.
    fn findings(&self, options: &WriteOptions) -> Result<Vec<String>> {
        if options.field_validation == "Ignore" {
            return Ok(Vec::new());
        }
        let refused = |error: String| ApiError::bad_request(format!("error decoding patch: {error}"));
        Ok(match self {
            Patch::Json(text) => {
                let (shapes, id) = &*OPERATIONS;
                let decoded = typed::decode_json(shapes, *id, text).map_err(|error| refused(error.to_string()))?;
                decoded.findings.iter().map(|finding| format!("json patch {finding}")).collect()
            }
            // What is no JSON is refused by whoever applies it, in other words.
            Patch::Merge(text) | Patch::Strategic(text) => decode_json::decode_strict(text)
                .map(|decoded| decoded.findings.iter().map(ToString::to_string).collect())
                .unwrap_or_default(),
            Patch::Apply(_) => Vec::new(),
        })
    }
}

/// The operations of a JSON patch, as upstream reads them to find what it does not know.
static OPERATIONS: LazyLock<(Shapes, TypeId)> = LazyLock::new(|| {
    let [text, any, operation] = [0, 1, 2].map(TypeId).map(TypeRef::value);
    let fields = vec![
        Field::new("op", "Op", text),
        Field::new("path", "Path", text),
        Field::new("from", "From", text),
        Field::new("value", "Value", any),
    ];
    let shapes = Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Any),
        TypeShape::new("handlers.jsonPatchOp", Kind::of_fields(fields.into())),
        TypeShape::new("", Kind::List { elem: operation, list: ListType::Unset }),
    ]);
    (shapes, TypeId(3))
});

impl Target<'_> {
    fn patched(
        &self,
        old: Option<&Value>,
        patch: &Patch<'_>,
        options: &WriteOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Value> {
        let old = old.ok_or_else(|| ApiError::not_found(&self.definition().resource, self.request.name))?;
        let scheme = &self.definition().scheme;
        let mut findings = patch.findings(options)?;
        let (text, quoted) = self.patched_text(old, patch)?;
        let quoted = quoted.as_deref().unwrap_or(&text);
        let ReadObject { object: mut new, findings: of_object } = scheme
            .read(self.request.version, text.as_bytes(), Format::Json, options.field_validation != "Ignore")
            .map_err(|error| ApiError::invalid_patch(quoted, error))?;
        findings.extend(of_object);
        settle(findings, options, warnings).map_err(|detail| ApiError::invalid_patch(quoted, detail))?;
        self.complete(&mut new)?;
        self.check_patched(&new)?;
        Ok(self.owned(Some(old), new, options))
    }

    /// The text of the patched object, and what errors quote in its place.
    fn patched_text(&self, old: &Value, patch: &Patch<'_>) -> Result<(String, Option<String>)> {
        let definition = self.definition();
        let shape = definition.scheme.shape(self.request.version);
        let text = || match shape {
            Some((shapes, id)) if !definition.custom => canonical(shapes, id, old),
            _ => json::to_string(old),
        };
        match patch {
            Patch::Json(patch) => Ok((json_patch::apply(&text(), patch)?, None)),
            Patch::Merge(patch) => Ok((merge_patch::apply(&text(), patch)?, None)),
            Patch::Strategic(patch) => {
                let (shapes, id) = shape.ok_or_else(|| ApiError::internal("strategic merge needs a type"))?;
                let mut patch = json::parse(patch).map_err(|error| ApiError::bad_request(error.to_string()))?;
                let merged = strategic::merge(shapes, id, old, &mut patch)?;
                Ok((json::to_string(&merged), Some(strategic::quote(&patch))))
            }
            Patch::Apply(_) => Err(ApiError::internal("an applied object is no patch of text")),
        }
    }

    fn patched_scale(&self, scale: &Value, patch: &Patch<'_>) -> Result<Value> {
        let text = match patch {
            Patch::Json(patch) => json_patch::apply(&json::to_string(scale), patch)?,
            Patch::Merge(patch) => merge_patch::apply(&json::to_string(scale), patch)?,
            Patch::Strategic(patch) => {
                let mut patch = json::parse(patch).map_err(|error| ApiError::bad_request(error.to_string()))?;
                let (shapes, id) = scale_shape();
                json::to_string(&strategic::merge(shapes, id, scale, &mut patch)?)
            }
            Patch::Apply(applied) => {
                self.check_name(applied)?;
                return Ok(applied.clone());
            }
        };
        json::parse(text.as_bytes()).map_err(|error| ApiError::invalid_patch(&text, error.to_string()))
    }

    fn applied(&self, old: Option<&Value>, applied: &Value, options: &WriteOptions) -> Result<Value> {
        let mut applied = applied.clone();
        // The name and namespace of a request need not be repeated in the namespace of the object.
        meta::match_namespace(&mut applied, self.namespace())?;
        let books = Books::new(self, old.is_none());
        let api_version = self.api_version();
        let resource = books.resource(self, &api_version);
        let force = options.force.unwrap_or(false);
        let mut new = resource.apply(old, &applied, &options.field_manager, force, self.now)?;
        self.complete(&mut new)?;
        self.check_name(&new)?;
        Ok(new)
    }

    /// A patch must not make another object, or an object of another kind.
    fn check_patched(&self, new: &Value) -> Result<()> {
        self.check_name(new)?;
        let definition = self.definition();
        let expected = self.api_version();
        let text = |member: &str| new.get(member).and_then(Value::as_str).unwrap_or_default();
        let mut errors = Vec::new();
        for (member, expected) in [("kind", definition.kind.as_str()), ("apiVersion", &expected)] {
            if text(member) != expected {
                let detail = format!("must be {expected}");
                errors.push(Error::invalid(&Path::new(member), text(member), detail));
            }
        }
        if errors.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(text("kind"), definition.group(), meta::name(new), &errors))
    }
}

/// Strict findings are an error, warnings or nothing.
fn settle(findings: Vec<String>, options: &WriteOptions, warnings: &mut Vec<String>) -> Result<(), String> {
    match options.field_validation.as_str() {
        "Ignore" => Ok(()),
        "Strict" if !findings.is_empty() => Err(format!("strict decoding error: {}", findings.join(", "))),
        _ => {
            warnings.extend(findings);
            Ok(())
        }
    }
}
