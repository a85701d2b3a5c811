//! A `MutatingAdmissionPolicy`, compiled: what it makes of an object.

use sprag_cel::{Scratch, Val};
use sprag_kinds::admissionregistration::expression::Returns;
use sprag_patch::{apply, json_patch};
use sprag_registry::Attributes;
use sprag_rest::Release;
use sprag_rest::{ApiError, Definition, Format, scale_shape, split_api_version};
use sprag_value::{Object, Value, json};

use super::activation::{Activation, BUDGET, Frame, Runner};
use super::conditions::Conditions;
use super::expression::{Composer, Expression, Uses, Variables};
use super::native::{Numbers, bytes_flaws, check_names, to_json};
use super::request::{self, Params, Subject};
use super::source::Compile;
use super::validation::visible_namespace;
use crate::matching::Matched;

/// The mutations of a policy.
pub(crate) struct Mutator {
    pub(crate) conditions: Conditions,
    pub(crate) mutations: Vec<Mutation>,
    pub(crate) variables: Variables,
    pub(crate) has_params: bool,
    /// True if it runs again when something changed after it.
    pub(crate) is_reinvoked: bool,
    uses: Uses,
}

/// One mutation.
pub(crate) enum Mutation {
    /// An `Object` that is merged into the object.
    Apply(Expression),
    /// `JSONPatch` operations.
    Patch(Expression),
}

/// Errors of mutations.
pub(crate) enum MutationError {
    /// The policy failed; its failure policy decides what that means.
    Policy(String),
    /// The answer to the request, whatever the failure policy.
    Status(ApiError),
}

impl From<String> for MutationError {
    fn from(why: String) -> MutationError {
        MutationError::Policy(why)
    }
}

impl Compile for Mutator {
    // As upstream's mutating.compilePolicy.
    fn compile(spec: &Value, has_params: bool, release: Release) -> Mutator {
        let mut composer = Composer::new(has_params, release);
        composer.define_all(spec.get("variables"));
        let conditions = Conditions::compile(spec.get("matchConditions"), &mut composer);
        let list = spec.get("mutations").and_then(Value::as_array).into_iter().flatten();
        let mutations = list.filter_map(|mutation| {
            let mut expression = |member: &str, returns: Returns| {
                let mutation = mutation.get(member).filter(|mutation| !mutation.is_null())?;
                Some(composer.compile_patch(mutation.text("expression"), returns))
            };
            match mutation.text("patchType") {
                "JSONPatch" => expression("jsonPatch", Returns::Patches).map(Mutation::Patch),
                "ApplyConfiguration" => expression("applyConfiguration", Returns::Object).map(Mutation::Apply),
                _ => None,
            }
        });
        let mutations = mutations.collect();
        let is_reinvoked = spec.text("reinvocationPolicy") == "IfNeeded";
        let Composer { variables, uses, .. } = composer;
        Mutator { conditions, mutations, variables, has_params, is_reinvoked, uses }
    }
}

impl Mutator {
    /// The object that a mutation makes, with defaults.
    // As upstream's mutating.dispatcher.dispatchOne.
    pub(crate) fn mutate(
        &self,
        mutation: &Mutation,
        subject: &Subject<'_>,
        matched: &Matched,
        params: Option<&Value>,
        namespace: Option<&Value>,
    ) -> Result<Value, MutationError> {
        let request = self.uses.request.then(|| request::value(subject.attributes, matched));
        let namespace = if self.uses.namespace { namespace.map(visible_namespace) } else { None };
        let scratch = Scratch::default();
        let activation = Activation {
            request: request.as_ref().map_or(Val::Null, Val::from),
            namespace_object: namespace.as_ref().map_or(Val::Null, Val::from),
            ..subject.activation(Params::new(self.has_params, params))
        };
        let frame = activation.frame(&scratch).map_err(|trap| trap.to_string())?;
        let object = subject.object.unwrap_or(&Value::Null);
        let kind = Kind { attributes: subject.attributes, matched };
        match mutation {
            Mutation::Apply(expression) => {
                let configuration = self.configuration(expression, &frame, &scratch)?;
                kind.merged(object, configuration)
            }
            Mutation::Patch(expression) => {
                let patch = self.patch(expression, &frame, &scratch)?;
                kind.patched(object, &patch)
            }
        }
    }

    fn run<'a>(
        &'a self,
        expression: &'a Expression,
        frame: &'a Frame<'a>,
        scratch: &'a Scratch,
    ) -> Result<Val<'a>, String> {
        if let Err(why) = &expression.program {
            return Err(why.clone());
        }
        Runner::new(frame, &self.variables, scratch, BUDGET).run(expression)?
    }

    fn configuration<'a>(
        &'a self,
        expression: &'a Expression,
        frame: &'a Frame<'a>,
        scratch: &'a Scratch,
    ) -> Result<Value, String> {
        let cx = scratch.cx();
        match self.run(expression, frame, scratch)? {
            Val::Made(made) => {
                check_names(made)?;
                let mut flaws = Vec::new();
                bytes_flaws(&cx, Val::Made(made), "", &mut flaws);
                if !flaws.is_empty() {
                    let flaws = flaws.join("\n  ");
                    return Err(format!(
                        "error applying patch: failed to convert patch object to typed object: {flaws}"
                    ));
                }
                to_json(&cx, Val::Made(made), Numbers::Kept)
            }
            other => Err(format!("unsupported return type from ApplyConfiguration expression: {}", other.type_name())),
        }
    }

    // As upstream's jsonPatcher.evaluatePatchExpression.
    fn patch<'a>(
        &'a self,
        expression: &'a Expression,
        frame: &'a Frame<'a>,
        scratch: &'a Scratch,
    ) -> Result<Value, String> {
        let cx = scratch.cx();
        let value = self.run(expression, frame, scratch)?;
        let Some(list) = value.as_list() else {
            return Err("type mismatch: JSONPatchType.expression should evaluate to array".to_owned());
        };
        let mut operations = Vec::with_capacity(list.len());
        for element in list.iter(&cx) {
            let Val::Made(made) = element.map_err(|trap| trap.to_string())? else {
                return Err("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch".to_owned());
            };
            let text = |name: &str| match made.get(name) {
                Some(Val::String(text)) => text,
                _ => "",
            };
            let mut operation = Object::from([("op", Value::from(text("op"))), ("path", Value::from(text("path")))]);
            if !text("from").is_empty() {
                operation.insert("from", text("from"));
            }
            if let Some(value) = made.get("value") {
                if let Val::Made(made) = value {
                    check_names(made)?;
                }
                let value = to_json(&cx, value, Numbers::Json).map_err(|why| {
                    format!("JSONPath valueExpression evaluated to a type that could not marshal to JSON: {why}")
                })?;
                operation.insert("value", value);
            }
            operations.push(Value::Object(operation));
        }
        Ok(Value::Array(operations.into()))
    }
}

/// The kind of the object that is changed.
struct Kind<'a> {
    attributes: &'a Attributes<'a>,
    matched: &'a Matched,
}

impl Kind<'_> {
    fn version(&self) -> &str {
        self.matched.version(self.attributes)
    }

    // As upstream's applyConfigPatcher.Patch.
    fn merged(&self, object: &Value, mut configuration: Value) -> Result<Value, MutationError> {
        let definition = self.attributes.definition;
        let shape = if self.attributes.is_versioned() {
            definition.scheme.shape(self.version())
        } else if self.matched.kind(self.attributes).kind == "Scale" {
            Some(scale_shape())
        } else {
            None
        };
        let Some((shapes, ty)) = shape else {
            let kind = self.matched.kind(self.attributes);
            let message = format!(
                "Resource kind {}/{}, Kind={} not found. There can be a delay between when CustomResourceDefinitions are \
                 created and when they are available.",
                kind.group, kind.version, kind.kind
            );
            return Err(MutationError::Status(ApiError::new(503, "ServiceUnavailable", message, None)));
        };
        for member in ["apiVersion", "kind"] {
            if let Some(value) = object.get(member) {
                configuration.insert(member, value.clone());
            }
        }
        let merged = apply::merge_configuration(shapes, ty, object, &configuration)
            .map_err(|why| format!("error applying patch: {why}"))?;
        if !self.attributes.is_versioned() {
            return Ok(merged);
        }
        let read = if definition.conventions.writes_zero_values {
            definition.scheme.read_applied(self.version(), merged)?.value
        } else {
            merged
        };
        self.completed(read)
    }

    // As upstream's jsonPatcher.Patch.
    fn patched(&self, object: &Value, patch: &Value) -> Result<Value, MutationError> {
        let patched = json_patch::apply(&json::to_string(object), json::to_string(patch).as_bytes());
        let text = match patched {
            Ok(text) => text,
            Err(error) => {
                let why = error.to_string();
                // A test that fails drops the whole patch.
                return if why.ends_with(": test failed") {
                    Ok(object.clone())
                } else {
                    Err(format!("JSON Patch: {why}").into())
                };
            }
        };
        let internal = |why: String| MutationError::Status(ApiError::internal(why));
        if !self.attributes.is_versioned() || !self.attributes.definition.conventions.writes_zero_values {
            let value = json::parse(text.as_bytes()).map_err(|error| internal(error.to_string()))?;
            return if self.attributes.is_versioned() { self.completed(value) } else { Ok(value) };
        }
        let other = self.other_kind(&text);
        let (definition, version) = match &other {
            Some((definition, version)) => (&**definition, version.as_str()),
            None => (self.attributes.definition, self.version()),
        };
        let decoded = definition.scheme.read(version, text.as_bytes(), Format::Json, true);
        let decoded = decoded.map_err(|error| internal(error.to_string()))?;
        if !decoded.findings.is_empty() {
            let findings: Vec<String> = decoded.findings.iter().map(ToString::to_string).collect();
            return Err(internal(format!("strict decoding error: {}", findings.join(", "))));
        }
        self.completed(decoded.value)
    }

    /// The kind that a patch made of the object: it is read as one of those.
    fn other_kind(&self, text: &str) -> Option<(std::sync::Arc<Definition>, String)> {
        let value = json::parse(text.as_bytes()).ok()?;
        let member = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let (group, version) = split_api_version(member("apiVersion"));
        let own = self.matched.kind(self.attributes);
        if member("kind") == own.kind && group == own.group && version == own.version {
            return None;
        }
        let found = self.attributes.registry.definitions_like(|definition| {
            definition.kind == member("kind") && definition.group() == group && definition.version(version).is_some()
        });
        found.into_iter().next().map(|definition| (definition, version.to_owned()))
    }

    /// The object with defaults.
    fn completed(&self, mut object: Value) -> Result<Value, MutationError> {
        self.attributes.definition.scheme.complete(self.version(), &mut object)?;
        Ok(object)
    }
}
