//! Strategies over Rust types: defaults of Kubernetes' conventions, generated rules, typed hooks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sprag_checks::{At, Op, Request};
use sprag_decode::{Decoded, Format, typed};
use sprag_field::{Enforcement, Error, Errors, Path};
use sprag_program::{DefId, Program};
use sprag_shape::{Shapes, TypeId, apply_defaults};
use sprag_value::{BridgeError, Key, MAX_DEPTH, Value, from_value, to_value};

use crate::authority::{enforces_beta, mark_hand_written, run_rules, settle};
use crate::config::{StrategyConfig, SubresourceConfig};
use crate::gated::{Gated, without_disabled};
use crate::gates::FeatureGates;
use crate::object_shape::{fill_in, with_object_meta};
use crate::options::DeleteOptions;
use crate::resource::{EmbeddedRules, Facts, Resource};
use crate::strategy::{Cx, GarbageCollection, ResetFields, Scheme, Strategy, Views};
use crate::unreadable::Unreadable;
use crate::usual::{Part, Usual};

/// Defaulting beyond the declared defaults.
pub(crate) type Complete = dyn Fn(&mut Value) + Send + Sync;
type Convert = dyn Fn(&Value) -> Result<Value, BridgeError> + Send + Sync;
type Validate = fn(&Request<'_>, &Value, Option<&Value>, &mut Errors) -> Result<(), BridgeError>;

/// One version of a kind: its shape, its rules and the way to the hub and back.
#[derive(Clone)]
pub(crate) struct VersionType {
    shapes: Shapes,
    shape: TypeId,
    /// Its rules; none for the hub, whose type is at hand.
    validate: Option<Validate>,
    to_hub: Option<Arc<Convert>>,
    from_hub: Option<Arc<Convert>>,
    /// The fields that belong to features.
    gated: Cow<'static, [Gated]>,
    /// The rules as data.
    rules: Option<EmbeddedRules>,
}

type Types = Arc<BTreeMap<String, VersionType>>;

impl VersionType {
    pub(crate) fn hub(facts: &Facts) -> VersionType {
        let (shapes, shape) = with_object_meta(facts.shapes, facts.shape);
        VersionType {
            shapes,
            shape,
            validate: None,
            to_hub: None,
            from_hub: None,
            gated: facts.gated.clone(),
            rules: facts.rules,
        }
    }

    pub(crate) fn spoke<T: Resource, V: Resource>(
        facts: &Facts,
        to_hub: impl Fn(V) -> T + Send + Sync + 'static,
        from_hub: impl Fn(T) -> V + Send + Sync + 'static,
    ) -> VersionType {
        VersionType {
            to_hub: Some(Arc::new(move |value| to_value(&to_hub(from_value(value)?)))),
            from_hub: Some(Arc::new(move |value| to_value(&from_hub(from_value(value)?)))),
            validate: Some(validate_value::<V>),
            ..VersionType::hub(facts)
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
#[derive(Clone, Default)]
pub(crate) struct TypedScheme {
    hub: String,
    types: Types,
    complete: Option<Arc<Complete>>,
    canonicalize: Option<Arc<Complete>>,
}

impl TypedScheme {
    pub(crate) fn new(
        hub: String,
        types: Types,
        complete: Option<Arc<Complete>>,
        canonicalize: Option<Arc<Complete>>,
    ) -> TypedScheme {
        TypedScheme { hub, types, complete, canonicalize }
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

/// Reads an object of a type. Findings are a by-product of reading, so they are found in any case.
pub fn read_typed(shapes: &Shapes, ty: TypeId, text: &[u8], format: Format) -> Result<Decoded, Unreadable> {
    let decode = match format {
        Format::Json => typed::decode_json,
        Format::Yaml => typed::decode_yaml,
    };
    Ok(decode(shapes, ty, text)?)
}

impl Scheme for TypedScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        &self.hub
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        self.types.get(version).map(|ty| (&ty.shapes, ty.shape))
    }

    fn rules(&self, version: &str) -> Option<(Arc<Program>, DefId)> {
        let EmbeddedRules { program, def } = self.types.get(version)?.rules?;
        // Documents are made when definitions change, so nothing keeps the program in between.
        Some((Arc::new(Program::from_bytes(program).ok()?), DefId(def)))
    }

    fn read(&self, version: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, Unreadable> {
        let ty = self.types.get(version).ok_or_else(|| format!("no type for version {version:?}"))?;
        read_typed(&ty.shapes, ty.shape, text, format)
    }

    fn read_object(&self, version: &str, object: Value) -> Result<Decoded, Unreadable> {
        let ty = self.types.get(version).ok_or_else(|| format!("no type for version {version:?}"))?;
        Ok(typed::decode_parsed(&ty.shapes, ty.shape, &object)?)
    }

    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String> {
        let ty = self.types.get(version).ok_or_else(|| format!("no type for version {version:?}"))?;
        fill_in(&ty.shapes, ty.shape, object);
        apply_defaults(&ty.shapes, ty.shape, object);
        if let Some(complete) = &self.complete {
            complete(object);
        }
        Ok(())
    }

    fn canonicalize(&self, object: &mut Value) {
        if let Some(canonicalize) = &self.canonicalize {
            canonicalize(object);
        }
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

    fn with_gates(&self, gates: &FeatureGates) -> Option<Arc<dyn Scheme>> {
        let mut types: Option<BTreeMap<String, VersionType>> = None;
        for (version, ty) in &*self.types {
            if let Some(shapes) = without_disabled(&ty.shapes, ty.shape, &ty.gated, gates) {
                let ty = VersionType { shapes, ..ty.clone() };
                types.get_or_insert_with(|| (*self.types).clone()).insert(version.clone(), ty);
            }
        }
        types.map(|types| Arc::new(TypedScheme { types: Arc::new(types), ..self.clone() }) as Arc<dyn Scheme>)
    }
}

/// The usual behaviour of a resource, with its hooks.
pub(crate) struct TypedStrategy<T> {
    config: Arc<StrategyConfig<T>>,
    types: Types,
    usual: Arc<Usual>,
}

impl<T: Resource> TypedStrategy<T> {
    pub(crate) fn new(config: Arc<StrategyConfig<T>>, types: Types, usual: Arc<Usual>) -> TypedStrategy<T> {
        TypedStrategy { config, types, usual }
    }
}

impl<T: Resource> StrategyConfig<T> {
    /// Drops fields of features that are off: those that tags say, and those of the author's hook.
    fn drop_disabled(&self, usual: &Usual, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        let dropped = usual.drop_disabled(cx.gates, new, old);
        let Some(hook) = &self.drop_disabled_fields else { return dropped };
        let before = new.clone();
        match old {
            None => change(new, |new: &mut T| hook(cx.gates, new, None)),
            Some(old) => change_with(new, old, |new: &mut T, old| hook(cx.gates, new, Some(old))),
        }
        dropped || *new != before
    }
}

impl<T: Resource> Strategy for TypedStrategy<T> {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.config.drop_disabled(&self.usual, cx, new, old)
    }

    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        if self.config.wipes_status && self.config.keeps_status(cx.gates) {
            self.usual.start(new);
        }
        if let Some(hook) = &self.config.prepare_for_create {
            change(new, |new: &mut T| hook(cx, new));
        }
        self.usual.start_generation(new, self.config.generation);
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        if self.config.keeps_status(cx.gates) {
            self.usual.keep_status(new, old);
        }
        if let Some(hook) = &self.config.prepare_for_update {
            change_with(new, old, |new: &mut T, old| hook(cx, new, old));
        }
        self.usual.count_generation(new, old);
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        let config = &*self.config;
        let check = Check { types: &self.types, policy: &config.policy, cx };
        check.run(new, None, errors, |new: &T, _, errors| {
            config.validate.iter().for_each(|hook| hook(cx, new, errors));
        });
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        let config = &*self.config;
        let check = Check { types: &self.types, policy: &config.policy, cx };
        check.run(new, Some(old), errors, |new: &T, old, errors| {
            config.validate_update.iter().zip(old).for_each(|(hook, old)| hook(cx, new, old, errors));
        });
    }

    fn warnings_before_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        let Some(hook) = &self.config.warnings_before_create else { return Vec::new() };
        from_value(new).map(|new| hook(cx, &new)).unwrap_or_default()
    }

    fn check_graceful_delete(&self, cx: &Cx<'_>, object: &Value, options: &mut DeleteOptions) -> bool {
        let Some(hook) = &self.config.check_graceful_delete else { return false };
        from_value(object).is_ok_and(|object| hook(cx, &object, options))
    }

    fn warnings_on_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        let Some(hook) = &self.config.warnings_on_create else { return Vec::new() };
        from_value(new).map(|new| hook(cx, &new)).unwrap_or_default()
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        let Some(hook) = &self.config.warnings_on_update else { return Vec::new() };
        with_both(new, old, |new, old| hook(cx, new, old)).unwrap_or_default()
    }

    fn reads_namespace(&self) -> bool {
        self.config.reads_namespace
    }

    fn allow_create_on_update(&self) -> bool {
        self.config.allow_create_on_update
    }

    fn allow_unconditional_update(&self) -> bool {
        self.config.allow_unconditional_update
    }

    fn reset_fields(&self) -> ResetFields {
        self.usual.reset_fields(self.config.resets.as_ref())
    }

    fn garbage_collection(&self) -> GarbageCollection {
        self.config.garbage_collection
    }

    fn refuses_delete(&self, name: &str) -> Option<&'static str> {
        self.config.refuses_delete.as_ref().and_then(|hook| hook(name))
    }

    fn warnings_on_delete(&self, options: &DeleteOptions) -> Vec<String> {
        self.config.warnings_on_delete.as_ref().map(|hook| hook(options)).unwrap_or_default()
    }

    fn expires_in(&self) -> Option<Duration> {
        self.config.expires_in
    }
}

/// The usual behaviour of `/status` and other parts: everything but what they write is as it was.
pub(crate) struct PartStrategy<T> {
    config: Arc<StrategyConfig<T>>,
    own: SubresourceConfig<T>,
    types: Types,
    part: Part,
}

impl<T: Resource> PartStrategy<T> {
    pub(crate) fn new(
        config: Arc<StrategyConfig<T>>,
        own: SubresourceConfig<T>,
        types: Types,
        part: Part,
    ) -> PartStrategy<T> {
        PartStrategy { config, own, types, part }
    }
}

impl<T: Resource> Strategy for PartStrategy<T> {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.config.drop_disabled(&self.part.usual, cx, new, old)
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        self.part.reset_others(new, old);
        if let Some(hook) = &self.own.prepare_for_update {
            change_with(new, old, |new, old| hook(cx, new, old));
        }
        self.part.count_generation(new, old);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        let check = Check { types: &self.types, policy: &self.config.policy, cx };
        check.run(new, Some(old), errors, |new: &T, old, errors| {
            self.own.validate_update.iter().zip(old).for_each(|(hook, old)| hook(cx, new, old, errors));
        });
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        let Some(hook) = &self.own.warnings_on_update else { return Vec::new() };
        with_both(new, old, |new, old| hook(cx, new, old)).unwrap_or_default()
    }

    fn allow_unconditional_update(&self) -> bool {
        self.config.allow_unconditional_update
    }

    fn reset_fields(&self) -> ResetFields {
        self.part.reset_fields()
    }

    fn has_table(&self) -> bool {
        self.own.has_table
    }
}

/// One validation: hooks on the hub version, rules on the requested one.
struct Check<'a> {
    types: &'a Types,
    policy: &'a Enforcement,
    cx: &'a Cx<'a>,
}

impl Check<'_> {
    fn run<T: Resource>(
        &self,
        new: Views<'_>,
        old: Option<Views<'_>>,
        errors: &mut Errors,
        hook: impl FnOnce(&T, Option<&T>, &mut Errors),
    ) {
        if let Err(error) = self.try_run(new, old, errors, hook) {
            errors.push(Error::internal(&Path::ROOT, error));
        }
        settle(self.cx, self.policy, new.requested, old.map(|old| old.requested), errors);
    }

    /// An object in the version of the hub is read once, for hooks and rules alike.
    fn try_run<T: Resource>(
        &self,
        new: Views<'_>,
        old: Option<Views<'_>>,
        errors: &mut Errors,
        hook: impl FnOnce(&T, Option<&T>, &mut Errors),
    ) -> Result<(), String> {
        let read = |value: &Value| from_value::<T>(value).map_err(|error| error.to_string());
        let new_hub = read(new.hub)?;
        let old_hub = old.map(|old| read(old.hub)).transpose()?;
        hook(&new_hub, old_hub.as_ref(), errors);
        // Errors about metadata are hand-written, too, and a hook may put its own before them.
        mark_hand_written(errors);
        let version = self.cx.version;
        let ty = self.types.get(version).ok_or_else(|| format!("no rules for version {version}"))?;
        let Cx { gates, subresource, .. } = self.cx;
        let request =
            Request { op: op(old), options: gates.options(), subresource, beta: enforces_beta(self.policy, self.cx) };
        let mut unreadable = Ok(());
        run_rules(self.cx, self.policy, request.op, errors, |errors| match ty.validate {
            None => drop(T::validate_at(&At::root(&request), &new_hub, old_hub.as_ref(), errors)),
            Some(validate) => unreadable = validate(&request, new.requested, old.map(|old| old.requested), errors),
        });
        unreadable.map_err(|error| error.to_string())
    }
}

fn op(old: Option<Views<'_>>) -> Op {
    if old.is_some() { Op::Update } else { Op::Create }
}

fn with_both<T: Resource, R>(new: &Value, old: &Value, hook: impl FnOnce(&T, &T) -> R) -> Option<R> {
    Some(hook(&from_value(new).ok()?, &from_value(old).ok()?))
}

fn change_with<T: Resource>(value: &mut Value, old: &Value, hook: impl FnOnce(&mut T, &T)) {
    if let Ok(old) = from_value::<T>(old) {
        change(value, |new| hook(new, &old));
    }
}

/// Lets hooks change an object through its type, and writes back what is different then. A type whose metadata knows
/// less than the object's, which has a uid by now, cannot remove what it does not know.
fn change<T: Resource>(value: &mut Value, hook: impl FnOnce(&mut T)) {
    let Ok(mut typed) = from_value::<T>(value) else { return };
    hook(&mut typed);
    let mut after = to_value(&typed).unwrap_or_default();
    drop_nulls(&mut after, MAX_DEPTH);
    let metadata = after.remove("metadata").unwrap_or_default();
    write_back(value, &after, &["metadata", "apiVersion", "kind"]);
    let knows_all = metadata.get("uid").is_some();
    if let Some(members) = value.get_mut("metadata") {
        let known: Vec<Key> = members.as_object().into_iter().flat_map(|members| members.keys().cloned()).collect();
        let kept: Vec<&str> =
            if knows_all { SERVER_METADATA.to_vec() } else { known.iter().map(Key::as_str).collect() };
        write_back(members, &metadata, &kept);
    }
}

/// Members of metadata that no type has: the server's own.
const SERVER_METADATA: [&str; 2] = ["managedFields", "selfLink"];

/// Makes members what they are now; those that are kept stay even if they are not there any more.
fn write_back(value: &mut Value, after: &Value, kept: &[&str]) {
    let Some(after) = after.as_object() else { return };
    let gone = |key: &str, value: &Value| !value.is_null() && !after.contains_key(key) && !kept.contains(&key);
    if value.as_object().is_some_and(|members| members.iter().any(|(key, value)| gone(key, value)))
        && let Some(members) = value.as_object_mut()
    {
        members.retain(|key, value| !gone(key, value));
    }
    for (key, now) in after {
        if !value.get(key).is_some_and(|then| then.semantic_eq(now)) {
            value.insert(key.as_str(), now.clone());
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
