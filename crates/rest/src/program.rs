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
use crate::meta;
use crate::names::{GroupResource, SimpleNameGenerator};
use crate::object_shape::{fill_in, with_object_meta};
use crate::resource::{Gated, Step};
use crate::strategy::{Cx, ResetFields, Scheme, Strategy, Views};
use crate::subresource::Subresource;
use crate::typed::read_typed;
use crate::unreadable::Unreadable;
use crate::usual::{Usual, all_but_status, reset_all_but};

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
        let gated = facts.gated.iter().map(Gated::from).collect();
        let usual = Usual::new(&shapes, shape, facts.has_spec, facts.has_status, gated);
        let others = all_but_status(&shapes, shape);
        let program = self.program.clone();
        let rules = Rules { program, hooks: self.hooks.clone(), policy: self.policy.clone(), def: resource.def };
        let rules = Arc::new(rules);
        let subresources = self.program.plan().root(resource.def).map(|root| root.subresources.as_slice());
        let named = subresources.unwrap_or_default().iter().filter_map(|path| path.strip_prefix('/'));
        let mut names: Vec<&str> = named.filter(|name| !name.is_empty() && *name != "status").collect();
        if facts.has_status {
            names.insert(0, "status");
        }
        let strategy: Arc<dyn Strategy> = Arc::new(ProgramStrategy { rules: rules.clone(), usual });
        let part = |name: &str| match name {
            "status" => Arc::new(ProgramStatus { rules: rules.clone(), others: others.clone() }) as Arc<dyn Strategy>,
            _ => strategy.clone(),
        };
        let columns = facts.columns.iter().map(column).chain([Column::age()]).collect();
        let selectable = facts.selectable.iter().map(|path| Selectable::new(&path.join("."))).collect();
        let subresources = names.iter().map(|name| Subresource::part(*name, part(name))).collect();
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
            scheme: Arc::new(ProgramScheme { version: version.to_owned(), shapes, shape }),
            create: strategy.clone(),
            update: strategy.clone(),
            delete: strategy,
            returns_deleted_object: false,
            is_cached: true,
            conventions: &Conventions::BUILT_IN,
        }
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
}

impl Scheme for ProgramScheme {
    fn hub<'a>(&'a self, _: &'a str) -> &'a str {
        &self.version
    }

    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)> {
        (version == self.version).then_some((&self.shapes, self.shape))
    }

    fn read(&self, _: &str, text: &[u8], format: Format, _: bool) -> Result<Decoded, Unreadable> {
        read_typed(&self.shapes, self.shape, text, format)
    }

    fn read_object(&self, _: &str, object: Value) -> Result<Decoded, Unreadable> {
        Ok(typed::decode_parsed(&self.shapes, self.shape, &object)?)
    }

    fn complete(&self, _: &str, object: &mut Value) -> Result<(), String> {
        fill_in(&self.shapes, self.shape, object);
        apply_defaults(&self.shapes, self.shape, object);
        Ok(())
    }

    fn convert(&self, object: Value, _: &str, _: &str) -> Result<Value, String> {
        Ok(object)
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
            self.program.validate(&*self.hooks, &request, self.def, new.requested, old, errors);
        }
        settle(cx, &self.policy, errors);
    }
}

/// The usual behaviour of a resource, with the rules of its program.
struct ProgramStrategy {
    rules: Arc<Rules>,
    usual: Usual,
}

impl Strategy for ProgramStrategy {
    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        self.usual.start(cx.gates, new);
        if self.usual.has_generation {
            meta::set(new, "generation", 1);
        } else {
            meta::remove(new, "generation");
        }
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        self.usual.keep_status(cx.gates, new, old);
        self.usual.count_generation(new, old);
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, None, errors);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, Some(old), errors);
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(self.usual.has_status.then_some("status"))
    }
}

/// The usual behaviour of `/status`: everything but the status stays as it was.
struct ProgramStatus {
    rules: Arc<Rules>,
    others: Vec<String>,
}

impl Strategy for ProgramStatus {
    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        reset_all_but(new, old, "status");
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.rules.validate(cx, new, Some(old), errors);
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(self.others.iter().map(String::as_str))
    }
}
