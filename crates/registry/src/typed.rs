//! Strategies over Rust types: defaults of Kubernetes' conventions, generated rules, typed hooks.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use sprag_decode::typed;
use sprag_field::{Error, Errors, Matcher, Path, Policy, Source, enforce};
use sprag_shape::{Shapes, TypeId, apply_defaults};
use sprag_validate::{At, Request};
use sprag_value::{BridgeError, MAX_DEPTH, Value, from_value, to_value};

use crate::config::StrategyConfig;
use crate::gates::FeatureGates;
use crate::meta;
use crate::object_shape::{empty, fill_in, with_object_meta};
use crate::options::DeleteOptions;
use crate::resource::{Facts, Gated, Resource};
use crate::strategy::{Cx, GarbageCollection, ReadObject, ResetFields, Scheme, Strategy, Views};

type Convert = dyn Fn(&Value) -> Result<Value, BridgeError> + Send + Sync;
type Validate = fn(&Request<'_>, &Value, Option<&Value>, &mut Errors) -> Result<(), BridgeError>;

/// One version of a kind: its shape, its rules and the way to the hub and back.
pub(crate) struct VersionType {
    shapes: Shapes,
    shape: TypeId,
    validate: Validate,
    to_hub: Option<Box<Convert>>,
    from_hub: Option<Box<Convert>>,
}

type Types = Arc<BTreeMap<String, VersionType>>;

impl VersionType {
    pub(crate) fn hub<T: Resource>(facts: &Facts) -> VersionType {
        let (shapes, shape) = with_object_meta(facts.shapes, &facts.shape);
        VersionType { shapes, shape, validate: validate_value::<T>, to_hub: None, from_hub: None }
    }

    pub(crate) fn spoke<T: Resource, V: Resource>(
        facts: &Facts,
        to_hub: impl Fn(V) -> T + Send + Sync + 'static,
        from_hub: impl Fn(T) -> V + Send + Sync + 'static,
    ) -> VersionType {
        VersionType {
            to_hub: Some(Box::new(move |value| to_value(&to_hub(from_value(value)?)))),
            from_hub: Some(Box::new(move |value| to_value(&from_hub(from_value(value)?)))),
            ..VersionType::hub::<V>(facts)
        }
    }
}

fn validate_value<T: Resource>(
    request: &Request<'_>,
    new: &Value,
    old: Option<&Value>,
    errors: &mut Errors,
) -> Result<(), BridgeError> {
    let new: T = from_value(new)?;
    let old: Option<T> = old.map(from_value).transpose()?;
    T::validate_at(&At::root(request), &new, old.as_ref(), errors);
    Ok(())
}

/// Defaults from shapes, conversions between types.
#[derive(Default)]
pub(crate) struct TypedScheme {
    hub: String,
    types: Types,
}

impl TypedScheme {
    pub(crate) fn new(hub: String, types: Types) -> TypedScheme {
        TypedScheme { hub, types }
    }

    fn translate(&self, object: &Value, convert: &Convert, to: &str) -> Result<Value, String> {
        let mut converted = convert(object).map_err(|error| error.to_string())?;
        // Metadata is the same in all versions; it does not go through the types.
        for member in ["metadata", "kind", "apiVersion"] {
            converted.insert(member, object.get(member).cloned().unwrap_or_default());
        }
        drop_nulls(&mut converted, MAX_DEPTH);
        if let Some(ty) = self.types.get(to) {
            apply_defaults(&ty.shapes, ty.shape, &mut converted);
        }
        Ok(converted)
    }
}

impl Scheme for TypedScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        &self.hub
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        self.types.get(version).map(|ty| (&ty.shapes, ty.shape))
    }

    fn read(&self, version: &str, text: &[u8]) -> Result<ReadObject, String> {
        let ty = self.types.get(version).ok_or_else(|| format!("no type for version {version:?}"))?;
        let decoded = typed::decode_json(&ty.shapes, ty.shape, text).map_err(|error| error.to_string())?;
        let findings = decoded.findings.iter().map(ToString::to_string).collect();
        Ok(ReadObject { object: decoded.value, findings })
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        let ty = self.types.get(version).ok_or_else(|| format!("no type for version {version:?}"))?;
        fill_in(&ty.shapes, ty.shape, object);
        apply_defaults(&ty.shapes, ty.shape, object);
        Ok(())
    }

    fn convert(&self, mut object: Value, from: &str, to: &str) -> Result<Value, String> {
        if from == to {
            return Ok(object);
        }
        let unknown = |version: &str| format!("no conversion for version {version:?}");
        if from != self.hub {
            let ty = self.types.get(from).ok_or_else(|| unknown(from))?;
            let convert = ty.to_hub.as_deref().ok_or_else(|| unknown(from))?;
            object = self.translate(&object, convert, &self.hub)?;
        }
        if to != self.hub {
            let ty = self.types.get(to).ok_or_else(|| unknown(to))?;
            let convert = ty.from_hub.as_deref().ok_or_else(|| unknown(to))?;
            object = self.translate(&object, convert, to)?;
        }
        Ok(object)
    }
}

/// The usual behaviour of a resource, with its hooks.
pub(crate) struct TypedStrategy<T> {
    config: Arc<StrategyConfig<T>>,
    types: Types,
    has_spec: bool,
    has_status: bool,
    /// What the status of a new object is; nothing when it is not there until somebody sets it.
    empty_status: Option<Value>,
    gated: Vec<Gated>,
}

impl<T: Resource> TypedStrategy<T> {
    pub(crate) fn new(config: Arc<StrategyConfig<T>>, types: Types, facts: &Facts) -> TypedStrategy<T> {
        let (shapes, shape) = with_object_meta(facts.shapes, &facts.shape);
        let empty_status = empty(&shapes, shape).remove("status");
        TypedStrategy {
            config,
            types,
            has_spec: facts.has_spec,
            has_status: facts.has_status,
            empty_status,
            gated: facts.gated.to_vec(),
        }
    }

    fn drop_disabled(&self, gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
        for gated in &self.gated {
            if !gates.enabled(&gated.gate) && !old.is_some_and(|old| gated.in_use(old)) {
                gated.drop_from(new);
            }
        }
        if let Some(hook) = &self.config.drop_disabled_fields {
            let old: Option<T> = old.and_then(|old| from_value(old).ok());
            change(new, |new: &mut T| hook(gates, new, old.as_ref()));
        }
    }
}

impl<T: Resource> Strategy for TypedStrategy<T> {
    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        match &self.empty_status {
            Some(status) => drop(new.insert("status", status.clone())),
            None if self.has_status => drop(new.remove("status")),
            None => {}
        }
        self.drop_disabled(cx.gates, new, None);
        if let Some(hook) = &self.config.prepare_for_create {
            change(new, |new| hook(cx, new));
        }
        if self.has_spec {
            meta::set(new, "generation", 1);
        } else {
            meta::remove(new, "generation");
        }
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        if self.has_status {
            copy_member(new, old, "status");
        }
        self.drop_disabled(cx.gates, new, Some(old));
        if let Some(hook) = &self.config.prepare_for_update {
            change_with(new, old, |new, old| hook(cx, new, old));
        }
        if self.has_spec {
            let changed = !same(new.get("spec"), old.get("spec"));
            meta::set(new, "generation", meta::generation(old).saturating_add(i64::from(changed)));
        }
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        if let Some(hook) = &self.config.validate {
            by_hand(errors, |errors| {
                hook(cx, &from_value(new.hub)?, errors);
                Ok(())
            });
        }
        declared(&self.types, &self.config, cx, Request::create(), new.requested, None, errors);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        if let Some(hook) = &self.config.validate_update {
            by_hand(errors, |errors| {
                hook(cx, &from_value(new.hub)?, &from_value(old.hub)?, errors);
                Ok(())
            });
        }
        declared(&self.types, &self.config, cx, Request::update(), new.requested, Some(old.requested), errors);
    }

    fn warnings_on_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        let Some(hook) = &self.config.warnings_on_create else { return Vec::new() };
        from_value(new).map(|new| hook(cx, &new)).unwrap_or_default()
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        let Some(hook) = &self.config.warnings_on_update else { return Vec::new() };
        with_both(new, old, |new, old| hook(cx, new, old)).unwrap_or_default()
    }

    fn allow_create_on_update(&self) -> bool {
        self.config.allow_create_on_update
    }

    fn allow_unconditional_update(&self) -> bool {
        self.config.allow_unconditional_update
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(self.has_status.then_some("status"))
    }

    fn check_graceful_delete(&self, _: &Cx<'_>, _: &Value, _: &mut DeleteOptions) -> bool {
        false
    }

    fn garbage_collection(&self) -> GarbageCollection {
        self.config.garbage_collection
    }
}

/// The usual behaviour of `/status`: everything but the status is as it was.
pub(crate) struct StatusStrategy<T> {
    config: Arc<StrategyConfig<T>>,
    types: Types,
    others: Vec<String>,
}

/// The members of metadata that a write of the status does not reset: they say which object is meant and who writes.
const KEPT_METADATA: [&str; 5] = ["name", "namespace", "uid", "resourceVersion", "managedFields"];

impl<T: Resource> StatusStrategy<T> {
    pub(crate) fn new(config: Arc<StrategyConfig<T>>, types: Types, facts: &Facts) -> StatusStrategy<T> {
        let (shapes, shape) = with_object_meta(facts.shapes, &facts.shape);
        let other = |json: &&str| !["status", "apiVersion", "kind"].contains(json);
        let others = shapes.sorted_fields(shape).map(|field| field.json.as_ref()).filter(other);
        StatusStrategy { config, types, others: others.map(str::to_owned).collect() }
    }
}

impl<T: Resource> Strategy for StatusStrategy<T> {
    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        reset_all_but(new, old, "status");
        if let Some(hook) = &self.config.status.prepare_for_update {
            change_with(new, old, |new, old| hook(cx, new, old));
        }
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        if let Some(hook) = &self.config.status.validate_update {
            by_hand(errors, |errors| {
                hook(cx, &from_value(new.hub)?, &from_value(old.hub)?, errors);
                Ok(())
            });
        }
        declared(&self.types, &self.config, cx, Request::update(), new.requested, Some(old.requested), errors);
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        let Some(hook) = &self.config.status.warnings_on_update else { return Vec::new() };
        with_both(new, old, |new, old| hook(cx, new, old)).unwrap_or_default()
    }

    fn allow_unconditional_update(&self) -> bool {
        self.config.allow_unconditional_update
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(self.others.iter().map(String::as_str))
    }
}

/// Makes an object the old one in all but one member, and in what says which object is meant.
pub fn reset_all_but(new: &mut Value, old: &Value, member: &str) {
    let sent = std::mem::replace(new, old.clone());
    copy_member(new, &sent, member);
    for member in KEPT_METADATA {
        meta::copy(new, &sent, member);
    }
}

fn copy_member(to: &mut Value, from: &Value, member: &str) {
    match from.get(member) {
        Some(value) => drop(to.insert(member, value.clone())),
        None => drop(to.remove(member)),
    }
}

fn same(a: Option<&Value>, b: Option<&Value>) -> bool {
    let null = Value::Null;
    a.unwrap_or(&null).semantic_eq(b.unwrap_or(&null))
}

/// Runs the rules that tags declare, in the version of the request, and keeps what counts.
fn declared<T>(
    types: &Types,
    config: &StrategyConfig<T>,
    cx: &Cx<'_>,
    request: Request<'_>,
    new: &Value,
    old: Option<&Value>,
    errors: &mut Errors,
) {
    let Some(ty) = types.get(cx.version) else {
        return errors.push(Error::internal(&Path::ROOT, format_args!("no rules for version {}", cx.version)));
    };
    if !config.policy.runs() {
        return;
    }
    let request = request.with_options(cx.gates.options()).with_subresource(cx.subresource);
    if let Err(error) = (ty.validate)(&request, new, old, errors) {
        errors.push(Error::internal(&Path::ROOT, error));
    }
    if !errors.is_empty() {
        cx.counters.count_mismatches(mismatches(errors.since(0), &config.policy));
        let warnings = std::mem::take(&mut errors.warnings);
        *errors = enforce(std::mem::take(errors).into_vec(), &config.policy).enforced.into();
        errors.warnings = warnings;
    }
}

/// How many errors only one side found: of hand-written errors, those that rules are meant to find too; of rules, all
/// while hand-written code has the authority.
fn mismatches(errors: &[Error], policy: &Policy) -> usize {
    let matcher =
        Matcher::new().by_kind().by_origin().require_origin_when_invalid().by_field_normalized(&policy.normalization);
    let (by_hand, declared): (Vec<&Error>, Vec<&Error>) =
        errors.iter().partition(|error| error.source == Source::HandWritten);
    let covered = by_hand.iter().filter(|error| error.covered_by_declarative);
    let missed = covered.filter(|error| !declared.iter().any(|rule| matcher.matches(error, rule))).count();
    if !policy.legacy_shadow {
        return missed;
    }
    missed + declared.iter().filter(|rule| !by_hand.iter().any(|error| matcher.matches(error, rule))).count()
}

/// Runs a hook whose errors are those of hand-written code.
fn by_hand(errors: &mut Errors, hook: impl FnOnce(&mut Errors) -> Result<(), BridgeError>) {
    let mark = errors.len();
    if let Err(error) = hook(errors) {
        errors.push(Error::internal(&Path::ROOT, error));
    }
    for error in errors.since_mut(mark) {
        error.source = Source::HandWritten;
    }
}

fn with_both<T: Resource, R>(new: &Value, old: &Value, hook: impl FnOnce(&T, &T) -> R) -> Option<R> {
    Some(hook(&from_value(new).ok()?, &from_value(old).ok()?))
}

fn change_with<T: Resource>(value: &mut Value, old: &Value, hook: impl FnOnce(&mut T, &T)) {
    if let Ok(old) = from_value::<T>(old) {
        change(value, |new| hook(new, &old));
    }
}

/// Lets a hook change an object through its type. Only members that the hook changed are written back, so that a type
/// which knows less than the object loses nothing.
fn change<T: Resource>(value: &mut Value, hook: impl FnOnce(&mut T)) {
    let Ok(mut typed) = from_value::<T>(value) else { return };
    let before = members(&typed);
    hook(&mut typed);
    let after = members(&typed);
    write_changes(value, &before, &after, &["metadata"]);
}

fn members<T: Serialize>(typed: &T) -> Value {
    let mut members = to_value(typed).unwrap_or_default();
    drop_nulls(&mut members, MAX_DEPTH);
    members
}

fn write_changes(value: &mut Value, before: &Value, after: &Value, open: &[&str]) {
    let (Some(before), Some(after)) = (before.as_object(), after.as_object()) else { return };
    let removed = before.keys().filter(|key| !after.contains_key(key));
    for key in removed {
        value.remove(key);
    }
    for (key, now) in after {
        let then = before.get(key);
        if then == Some(now) {
            continue;
        }
        match (value.get_mut(key), then) {
            (Some(inner), Some(then)) if open.contains(&key.as_str()) => write_changes(inner, then, now, &[]),
            _ => drop(value.insert(key.as_str(), now.clone())),
        }
    }
}

/// A type writes unset members as null where it does not say otherwise; stored objects have none of those.
fn drop_nulls(value: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.iter_mut().for_each(|(_, value)| drop_nulls(value, depth));
        }
        Value::Array(items) => items.as_mut_slice().iter_mut().for_each(|value| drop_nulls(value, depth)),
        _ => {}
    }
}
