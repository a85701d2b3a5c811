//! Resources of a program of tagged types: read from a folder or embedded, run by the plan interpreter.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_decode::{Decoded, Format, typed};
use sprag_field::{Errors, Policy};
use sprag_plan::{DefId, GatedField, GatedStep, HookTable, Program, Resource, ResourceScope};
use sprag_shape::{Shapes, TypeId, apply_defaults};
use sprag_validate::{Op, Request, object_meta};
use sprag_value::Value;

use crate::authority::{mark_hand_written, settle};
use crate::column::{Cell, Column};
use crate::conventions::Conventions;
use crate::definition::{Definition, Scope, Selectable, Version};
use crate::gated::{Gated, GatedFields, Step, without_disabled};
use crate::gates::FeatureGates;
use crate::meta;
use crate::names::{GroupResource, SimpleNameGenerator};
use crate::object_shape::{fill_in, with_object_meta};
use crate::strategy::{Cx, ResetFields, Scheme, Strategy, Views};
use crate::subresource::Subresource;
use crate::typed::read_typed;
use crate::usual::{Part, Usual};

/// Hand-written checks that threads share.
pub type SharedHooks = Arc<dyn HookTable + Send + Sync>;

/// A resource of a [`Program`], before it is a [`Definition`].
pub struct ProgramConfig {
    program: Arc<Program>,
    hooks: SharedHooks,
    policy: Policy,
}

impl ProgramConfig {
    /// Resources of a program, with the hand-written checks that its rules call.
    pub fn new(program: Arc<Program>, hooks: SharedHooks) -> ProgramConfig {
        ProgramConfig { program, hooks, policy: Policy::default() }
    }

    /// Sets which errors of tags count.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> ProgramConfig {
        self.policy = policy;
        self
    }

    /// The definition of one kind in one version of a group.
    ///
    /// The plural name is guessed from the kind, as upstream's `meta.UnsafeGuessKindToResource` does.
    pub fn define(&self, group: &str, version: &str, resource: &Resource) -> Definition {
        let (shapes, shape) = with_object_meta(self.program.shapes(), resource.shape);
        let facts = &resource.facts;
        let gated: Arc<[Gated]> = facts.gated.iter().map(Gated::from).collect();
        let usual = Arc::new(Usual::new(&shapes, shape, facts.has_spec, facts.has_status, &gated));
        let program = self.program.clone();
        let rules = Rules { program, hooks: self.hooks.clone(), policy: self.policy.clone(), def: resource.def };
        let rules = Arc::new(rules);
        let tagged = self.program.plan().root(resource.def).map(|root| root.subresources.as_slice());
        let tagged = tagged.unwrap_or_default().iter().filter_map(|path| path.strip_prefix('/'));
        let tagged = tagged.filter(|name| !name.is_empty() && *name != "status");
        let names = facts.has_status.then_some("status").into_iter().chain(tagged);
        let part = |name: &str| {
            let part = Part::new(usual.clone(), (&shapes, shape), name, &[]);
            Subresource::part(name, Arc::new(ProgramPart { rules: rules.clone(), part }))
        };
        let subresources = names.map(|name| Subresource::tagged(name, || part(name))).collect();
        let strategy: Arc<dyn Strategy> = Arc::new(ProgramStrategy { rules: rules.clone(), usual: usual.clone() });
        let columns = facts.columns.iter().map(column).chain([Column::age()]).collect();
        let selectable = facts.selectable.iter().map(|path| Selectable::new(&path.join("."))).collect();
        let plural = plural(&resource.kind);
        Definition {
            storage_prefix: plural.clone(),
            resource: GroupResource::new(group, plural),
            list_kind: format!("{}List", resource.kind),
            singular: resource.kind.to_lowercase(),
            kind: resource.kind.clone(),
            short_names: Vec::new(),
            categories: Vec::new(),
            scope: match facts.scope {
                Some(ResourceScope::Cluster) => Scope::Cluster,
                Some(ResourceScope::Namespaced) | None => Scope::Namespaced,
            },
            versions: vec![Version { columns, selectable, subresources, ..Version::new(version) }],
            storage_version: version.to_owned(),
            name_rule: Arc::new(object_meta::dns_subdomain),
            name_generator: Arc::new(SimpleNameGenerator),
            scheme: Arc::new(ProgramScheme { version: version.to_owned(), shapes, shape, gated }),
            create: strategy.clone(),
            update: strategy.clone(),
            delete: strategy,
            returns_deleted_object: false,
            is_cached: true,
            feature_gates: self.program.plan().gates(resource.def).into_iter().map(str::to_owned).collect(),
            conventions: &Conventions::BUILT_IN,
        }
    }
}

/// The values of a type that is only ever part of objects, as they are inside of an object under feature gates.
pub struct PartValues {
    shapes: Shapes,
    shape: TypeId,
    gated: GatedFields,
}

impl PartValues {
    /// The values of a type of a program.
    pub fn new(program: &Program, part: &Resource, gates: &FeatureGates) -> PartValues {
        let gated: Vec<Gated> = part.facts.gated.iter().map(Gated::from).collect();
        let shapes = without_disabled(program.shapes(), part.shape, &gated, gates);
        let shapes = shapes.unwrap_or_else(|| program.shapes().clone());
        PartValues { gated: GatedFields::new(&shapes, part.shape, &gated), shape: part.shape, shapes }
    }

    /// Reads a value and sets its defaults. An error is in the words of upstream's decoder.
    pub fn read(&self, value: &Value) -> Result<Decoded, String> {
        let decoded = typed::decode_parsed(&self.shapes, self.shape, value).map_err(|misfit| misfit.to_string());
        let mut decoded = decoded?;
        apply_defaults(&self.shapes, self.shape, &mut decoded.value);
        Ok(decoded)
    }

    /// Drops fields of features that are off, unless the old value uses them.
    pub fn drop_disabled(&self, gates: &FeatureGates, new: &mut Value, old: Option<&Value>) {
        self.gated.drop_disabled(gates, new, old);
    }
}

fn plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    match singular.chars().last() {
        Some('s') => singular + "es",
        Some('y') => singular[..singular.len() - 1].to_owned() + "ies",
        _ => singular + "s",
    }
}

fn column(column: &sprag_plan::Column) -> Column {
    let path: Vec<Cow<'static, str>> = column.path.iter().map(|part| Cow::Owned(part.clone())).collect();
    Column {
        name: column.name.clone().into(),
        kind: Cow::Borrowed(column.ty.name()),
        format: column.format.clone().into(),
        description: column.description.clone().into(),
        priority: column.priority,
        cell: Cell::Field(path.into()),
    }
}

impl From<&GatedField> for Gated {
    fn from(field: &GatedField) -> Gated {
        let step = |step: &GatedStep| match step {
            GatedStep::Field(name) => Step::Field(name.clone().into()),
            GatedStep::Each => Step::Each,
        };
        Gated { gate: field.gate.clone().into(), path: field.path.iter().map(step).collect() }
    }
}

/// Reads and completes objects by their shape.
struct ProgramScheme {
    version: String,
    shapes: Shapes,
    shape: TypeId,
    gated: Arc<[Gated]>,
}

impl Scheme for ProgramScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        &self.version
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        (version == self.version).then_some((&self.shapes, self.shape))
    }

    fn read(&self, _: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, String> {
        read_typed(&self.shapes, self.shape, text, format)
    }

    fn read_object(&self, _: &str, object: Value) -> Result<Decoded, String> {
        typed::decode_parsed(&self.shapes, self.shape, &object).map_err(|misfit| misfit.to_string())
    }

    fn complete(&self, _: &str, object: &mut Value) -> Result<(), String> {
        fill_in(&self.shapes, self.shape, object);
        apply_defaults(&self.shapes, self.shape, object);
        Ok(())
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> Result<Value, String> {
        Ok(object)
    }

    fn with_gates(&self, gates: &FeatureGates) -> Option<Arc<dyn Scheme>> {
        let shapes = without_disabled(&self.shapes, self.shape, &self.gated, gates)?;
        Some(Arc::new(ProgramScheme { version: self.version.clone(), shapes, gated: self.gated.clone(), ..*self }))
    }
}

/// The rules of one type.
struct Rules {
    program: Arc<Program>,
    hooks: SharedHooks,
    policy: Policy,
    def: DefId,
}

impl Rules {
    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, old: Option<Views<'_>>, errors: &mut Errors) {
        mark_hand_written(errors);
        if self.policy.runs() {
            let op = if old.is_some() { Op::Update } else { Op::Create };
            let request = Request { op, options: cx.gates.options(), subresource: cx.subresource };
            let old = old.map(|old| old.requested);
            self.program.validate_object(&*self.hooks, &request, self.def, new.requested, old, errors);
        }
        settle(cx, &self.policy, errors);
    }
}

/// The usual behaviour of a resource, with the rules of its program.
struct ProgramStrategy {
    rules: Arc<Rules>,
    usual: Arc<Usual>,
}

impl Strategy for ProgramStrategy {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.usual.drop_disabled(cx.gates, new, old)
    }

    fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
        self.usual.start(new);
        if self.usual.has_generation {
            meta::set(new, "generation", 1);
        } else {
            meta::remove(new, "generation");
        }
    }

    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        self.usual.keep_status(new, old);
        self.usual.count_generation(new, old);
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, None, errors);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, Some(old), errors);
    }

    fn reset_fields(&self) -> ResetFields {
        self.usual.reset_fields()
    }
}

/// The usual behaviour of `/status` and other parts: everything but what they write stays as it was.
struct ProgramPart {
    rules: Arc<Rules>,
    part: Part,
}

impl Strategy for ProgramPart {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.part.usual.drop_disabled(cx.gates, new, old)
    }

    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        self.part.reset_others(new, old);
        self.part.count_generation(new, old);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, Some(old), errors);
    }

    fn reset_fields(&self) -> ResetFields {
        self.part.reset_fields()
    }
}
