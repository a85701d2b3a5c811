//! Resources of a program of tagged types: read from a folder or embedded, run by the plan interpreter.

mod scheme;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sprag_checks::object_meta::{FieldRules, Undeclared, Usage};
use sprag_checks::{Op, Request, object_meta};
use sprag_decode::{Decoded, typed};
use sprag_field::{Enforcement, Error, Errors};
use sprag_program::{
    DefId, GatedField, GatedStep, HookTable, NameFormat, Program, ProgramParts, Resource, ResourceScope,
};
use sprag_release::{Fact, Release};
use sprag_shape::{Shapes, TypeId, TypeShape, apply_defaults};
use sprag_value::{Time, Value};

use self::scheme::ProgramScheme;
use crate::authority::{enforces_beta, mark_hand_written, run_rules, settle};
use crate::column::{Cell, Column};
use crate::config::{StrategyConfig, SubresourceConfig};
use crate::conventions::Conventions;
use crate::definition::{Definition, Scope, Selectable, Version};
use crate::gated::{Gated, GatedFields, Step, without_disabled};
use crate::gates::FeatureGates;
use crate::names::{GroupResource, SimpleNameGenerator};
use crate::object_shape::{with_object_meta, with_object_meta_at};
use crate::options::DeleteOptions;
use crate::scale::ScalePaths;
use crate::spoke::Spoke;
use crate::strategy::{Cx, GarbageCollection, ResetFields, Strategy, Views};
use crate::subresource::Subresource;
use crate::typed::Complete;
use crate::usual::{Part, Usual};

/// Hand-written checks that threads share.
pub type SharedHooks = Arc<dyn HookTable + Send + Sync>;

/// The resources of a [`Program`].
pub struct ProgramConfig {
    program: Arc<Program>,
    /// Kinds whose shapes in the program have metadata.
    kinds: BTreeSet<DefId>,
    hooks: SharedHooks,
    policy: Enforcement,
    /// Stored objects may have been written by a newer release.
    drops_newer: bool,
}

impl ProgramConfig {
    /// Resources of a program, with the hand-written checks that its rules call.
    pub fn new(program: Arc<Program>, hooks: SharedHooks) -> ProgramConfig {
        ProgramConfig { program, kinds: BTreeSet::new(), hooks, policy: Enforcement::default(), drops_newer: false }
    }

    /// The same, for callers that define many of the types: the definitions of `kinds` share the shapes of the program, to which
    /// their metadata is added. A type is either a kind or part of other kinds, since metadata is added to a kind wherever it is
    /// used.
    pub fn for_kinds(
        release: Release,
        parts: ProgramParts,
        hooks: SharedHooks,
        kinds: impl Fn(&Resource) -> bool,
    ) -> ProgramConfig {
        let kinds: Vec<&Resource> = parts.resources.iter().filter(|resource| kinds(resource)).collect();
        let mut shapes = with_object_meta_at(parts.shapes, kinds.iter().map(|kind| kind.shape));
        if release.has(Fact::WritesNoCreationTime) {
            write_creation_time(&mut shapes);
        }
        let shapes = if release.has(Fact::NamesEmbeddedStructs) { shapes } else { shapes.hiding_embedded() };
        let kinds = kinds.iter().map(|kind| kind.def).collect();
        let program = Arc::new(Program::new(ProgramParts { shapes, ..parts }));
        let drops_newer = release != Release::NEWEST;
        ProgramConfig { kinds, drops_newer, ..ProgramConfig::new(program, hooks) }
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Sets which errors of tags count.
    #[must_use]
    pub fn policy(mut self, policy: Enforcement) -> ProgramConfig {
        self.policy = policy;
        self
    }

    /// The definition of one kind in one version of a group.
    pub fn define(&self, group: &str, version: &str, resource: &Resource) -> Definition {
        self.resource(group, version, resource).define()
    }

    /// One kind in one version of a group, before it is a [`Definition`].
    pub fn resource(&self, group: &str, version: &str, resource: &Resource) -> ProgramResource {
        let shapes = if self.kinds.contains(&resource.def) {
            self.program.shapes().clone()
        } else {
            Arc::new(with_object_meta(self.program.shapes(), resource.shape).0)
        };
        ProgramResource {
            program: self.program.clone(),
            publishes_rules: !self.kinds.contains(&resource.def),
            drops_newer: self.drops_newer,
            shapes,
            hooks: self.hooks.clone(),
            group: group.to_owned(),
            version: version.to_owned(),
            resource: resource.clone(),
            strategy: StrategyConfig::new().policy(self.policy.clone()),
            parts: Vec::new(),
            scale: ScalePaths::default(),
            convertible: None,
            field_annotations: &[],
            complete: None,
            complete_with: None,
            stamp: None,
            completes_by_empty_lists: false,
            canonicalize: None,
            shared: None,
            spokes: Vec::new(),
            metadata_rules: &Undeclared,
            show_values: None,
        }
    }
}

/// Lets all metadata be written with its creation time, which it does not have inside of objects and in those that are not stored.
fn write_creation_time(shapes: &mut Shapes) {
    let is_metadata = |(_, ty): &(u32, &TypeShape)| ty.name == "v1.ObjectMeta";
    let found: Vec<TypeId> = (0..).zip(shapes.types()).filter(is_metadata).map(|(at, _)| TypeId(at)).collect();
    for id in found {
        shapes.change_field(id, "creationTimestamp", |field| {
            field.omit_empty = false;
            field.omit_zero = false;
            field.ty.nullable = false;
        });
    }
}

/// Gives errors about an object of a type the values that they print.
pub type ShowValues = fn(TypeId, &mut [Error]);

/// Tells why upstream cannot convert an object to its internal type.
pub type Convertible = fn(&Value) -> Result<(), String>;

/// One kind of a [`Program`], with hooks where it differs from the usual.
pub struct ProgramResource {
    program: Arc<Program>,
    /// Documents of kinds that share shapes are those of upstream, which have no rules.
    publishes_rules: bool,
    drops_newer: bool,
    shapes: Arc<Shapes>,
    hooks: SharedHooks,
    group: String,
    version: String,
    resource: Resource,
    strategy: StrategyConfig<Value>,
    parts: Vec<(String, SubresourceConfig<Value>)>,
    scale: ScalePaths,
    convertible: Option<Convertible>,
    field_annotations: &'static [&'static str],
    complete: Option<Arc<Complete>>,
    complete_with: Option<Arc<CompleteWith>>,
    stamp: Option<Arc<Stamp>>,
    completes_by_empty_lists: bool,
    canonicalize: Option<Arc<Complete>>,
    shared: Option<Shared>,
    spokes: Vec<Spoke>,
    metadata_rules: &'static dyn FieldRules,
    show_values: Option<ShowValues>,
}

/// Sets defaults that depend on the time.
type Stamp = dyn Fn(&mut Value, Time) + Send + Sync;

/// Makes the function that sets defaults while features are on or off as they are.
type CompleteWith = dyn Fn(&FeatureGates) -> Arc<Complete> + Send + Sync;

/// Objects that another resource stores, too.
#[derive(Clone)]
struct Shared {
    place: GroupResource,
    adopt: Arc<dyn Fn(Value) -> Value + Send + Sync>,
}

impl ProgramResource {
    /// Sets the rules of fields of metadata that all objects have.
    #[must_use]
    pub fn metadata_rules(mut self, rules: &'static dyn FieldRules) -> Self {
        self.metadata_rules = rules;
        self
    }

    /// Sets what gives errors the values that they print.
    #[must_use]
    pub fn show_values(mut self, show: ShowValues) -> Self {
        self.show_values = Some(show);
        self
    }

    /// Sets where the resource differs from the usual.
    #[must_use]
    pub fn strategy(mut self, strategy: StrategyConfig<Value>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Refuses to read objects that upstream decodes but cannot convert to its internal type, in the words of its error.
    #[must_use]
    pub fn convertible(mut self, check: Convertible) -> Self {
        self.convertible = Some(check);
        self
    }

    /// Names annotations that are fields of upstream's internal type.
    #[must_use]
    pub fn field_annotations(mut self, names: &'static [&'static str]) -> Self {
        self.field_annotations = names;
        self
    }

    /// Completes objects beyond the defaults that tags declare.
    #[must_use]
    pub fn complete(mut self, complete: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.complete = Some(Arc::new(complete));
        self
    }

    /// The same with defaults that depend on feature gates: the function is made once for the gates of a server.
    #[must_use]
    pub fn complete_with<C>(mut self, make: impl Fn(&FeatureGates) -> C + Send + Sync + 'static) -> Self
    where
        C: Fn(&mut Value) + Send + Sync + 'static,
    {
        self.complete_with = Some(Arc::new(move |gates: &FeatureGates| -> Arc<Complete> { Arc::new(make(gates)) }));
        self
    }

    /// Sets defaults that depend on the time of the request.
    #[must_use]
    pub fn stamp(mut self, stamp: impl Fn(&mut Value, Time) + Send + Sync + 'static) -> Self {
        self.stamp = Some(Arc::new(stamp));
        self
    }

    /// Lets what completes objects tell lists that are empty from those that are not set.
    #[must_use]
    pub fn completes_by_empty_lists(mut self) -> Self {
        self.completes_by_empty_lists = true;
        self
    }

    /// Brings valid objects into the form that they have once they were stored. Unlike defaults, this has no influence on
    /// field ownership.
    #[must_use]
    pub fn canonicalize(mut self, canonicalize: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.canonicalize = Some(Arc::new(canonicalize));
        self
    }

    /// Stores objects in the place of a resource that is another view of them, with the way from there.
    #[must_use]
    pub fn share_storage(
        mut self,
        place: GroupResource,
        adopt: impl Fn(Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.shared = Some(Shared { place, adopt: Arc::new(adopt) });
        self
    }

    /// Also serves another version, whose defaults are those that it declares and completes, with the conversions from it and
    /// to it. Hooks see objects in the version of this one, which is also the one that is stored.
    #[must_use]
    pub fn version(
        mut self,
        other: ProgramResource,
        to_hub: impl Fn(&Value) -> Value + Send + Sync + 'static,
        from_hub: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.spokes.push(Spoke {
            version: other.version,
            shapes: other.shapes,
            shape: other.resource.shape,
            def: other.resource.def,
            complete: other.complete,
            to_hub: Arc::new(to_hub),
            from_hub: Arc::new(from_hub),
        });
        self
    }

    /// Sets where a subresource that writes a part of the object differs from the usual.
    #[must_use]
    pub fn part(mut self, name: impl Into<String>, config: SubresourceConfig<Value>) -> Self {
        self.parts.push((name.into(), config));
        self
    }

    /// Sets where the object keeps what `/scale` shows, for a type with `+k8s:supportsSubresource="/scale"`.
    #[must_use]
    pub fn scale(mut self, paths: ScalePaths) -> Self {
        self.scale = paths;
        self
    }

    /// The shape of its objects, with metadata.
    pub fn shape(&self) -> (Arc<Shapes>, TypeId) {
        (self.shapes.clone(), self.resource.shape)
    }

    /// The finished definition. Its names are guessed from the kind, as upstream's `meta.UnsafeGuessKindToResource` does;
    /// its columns and selectable fields are those that tags declare.
    pub fn define(self) -> Definition {
        let ProgramResource { program, shapes, resource, mut strategy, mut parts, version, scale, spokes, .. } = self;
        let (facts, shape) = (&resource.facts, resource.shape);
        let gated: Arc<[Gated]> = facts.gated.iter().map(Gated::from).collect();
        let counted = strategy.counted(facts.has_spec);
        let usual = Arc::new(Usual::new(&shapes, shape, counted, facts.has_status, &gated));
        let tagged = program.plan().root(resource.def).map(|root| root.subresources.clone()).unwrap_or_default();
        let defs: Vec<(String, DefId)> = std::iter::once((version.clone(), resource.def))
            .chain(spokes.iter().map(|spoke| (spoke.version.clone(), spoke.def)))
            .collect();
        let gates: BTreeSet<&str> = defs.iter().flat_map(|(_, def)| program.plan().options(*def)).collect();
        let feature_gates = gates.into_iter().map(str::to_owned).collect();
        let published = self.publishes_rules.then(|| (program.clone(), resource.def));
        let rules = Arc::new(Rules { program, hooks: self.hooks, defs });
        let has_own_strategy = strategy.has_own_code() || parts.iter().any(|(_, part)| part.has_own_code());
        let gated_fields = gated.to_vec();
        parts.push(("status".to_owned(), std::mem::take(&mut strategy.status)));
        let config = Arc::new(strategy);
        let part = |name: &str, own: SubresourceConfig<Value>| {
            let part = Part::new(usual.clone(), (&shapes, shape), name, &own);
            Subresource::part(name, Arc::new(ProgramPart { rules: rules.clone(), config: config.clone(), own, part }))
        };
        let names = subresource_names(facts.has_status, &tagged, &parts);
        let subresources = names.iter().map(|name| {
            let own = parts.iter().position(|(part, _)| part == name).map(|at| parts.swap_remove(at).1);
            match own {
                Some(own) => part(name, own),
                None => Subresource::tagged(name, &scale, || part(name, SubresourceConfig::default())),
            }
        });
        let subresources: Vec<Subresource> = subresources.collect();
        let columns: Vec<Column> = facts.columns.iter().map(column).chain([Column::age()]).collect();
        let selectable: Vec<Selectable> =
            facts.selectable.iter().map(|path| Selectable::new(&path.join("."))).collect();
        let plural = resource.plural();
        let strategy: Arc<dyn Strategy> = Arc::new(ProgramStrategy { rules, config, usual });
        let complete_with = self.complete_with;
        let complete = complete_with.as_ref().map(|make| make(&FeatureGates::default())).or(self.complete);
        let (stamp, canonicalize) = (self.stamp, self.canonicalize);
        let shared = self.shared;
        let (convertible, field_annotations) = (self.convertible, self.field_annotations);
        Definition {
            storage_prefix: plural.clone(),
            resource: GroupResource::new(self.group, plural),
            list_kind: format!("{}List", resource.kind),
            singular: resource.kind.to_lowercase(),
            kind: resource.kind.clone(),
            short_names: Vec::new(),
            categories: Vec::new(),
            scope: match facts.scope {
                Some(ResourceScope::Cluster) => Scope::Cluster,
                Some(ResourceScope::Namespaced) | None => Scope::Namespaced,
            },
            versions: std::iter::once(&version)
                .chain(spokes.iter().map(|spoke| &spoke.version))
                .map(|version| Version {
                    columns: columns.clone(),
                    selectable: selectable.clone(),
                    subresources: subresources.clone(),
                    ..Version::new(version)
                })
                .collect(),
            storage_version: version.clone(),
            name_rule: Arc::new(name_rule(facts.name_format)),
            name_generator: Arc::new(SimpleNameGenerator),
            scheme: Arc::new(ProgramScheme {
                version,
                rules: published,
                shapes,
                shape,
                gated,
                convertible,
                field_annotations,
                complete,
                complete_with,
                stamp,
                completes_by_empty_lists: self.completes_by_empty_lists,
                canonicalize,
                shared,
                spokes: spokes.into(),
                metadata_rules: self.metadata_rules,
                declares_name: facts.name_format.is_some(),
                drops_newer: self.drops_newer,
                show_values: self.show_values,
            }),
            create: strategy.clone(),
            update: strategy.clone(),
            delete: strategy,
            returns_deleted_object: false,
            unstored: None,
            is_cached: true,
            allocator: None,
            feature_gates,
            gated_fields,
            has_own_strategy,
            conventions: &Conventions::BUILT_IN,
        }
    }
}

/// The values of a type that is only ever part of objects, as they are inside of an object under feature gates.
pub struct PartValues {
    shapes: Arc<Shapes>,
    shape: TypeId,
    gated: GatedFields,
}

impl PartValues {
    /// The values of a type of a program.
    pub fn new(program: &Program, part: &Resource, gates: &FeatureGates) -> PartValues {
        let gated: Vec<Gated> = part.facts.gated.iter().map(Gated::from).collect();
        let shapes = without_disabled(program.shapes(), part.shape, &gated, gates);
        let shapes = shapes.map_or_else(|| program.shapes().clone(), Arc::new);
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

/// The names of the subresources that write parts of the object: `status` first, then those of tags, then those of hooks.
fn subresource_names(has_status: bool, tagged: &[String], parts: &[(String, SubresourceConfig<Value>)]) -> Vec<String> {
    let tagged = tagged.iter().filter_map(|path| path.strip_prefix('/')).filter(|name| !name.is_empty());
    let named = tagged.chain(parts.iter().map(|(name, _)| name.as_str())).filter(|name| *name != "status");
    let mut seen = BTreeSet::new();
    let names = has_status.then_some("status").into_iter().chain(named);
    names.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

fn column(column: &sprag_program::Column) -> Column {
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

/// The rule for names that a declaration asks for.
fn name_rule(format: Option<NameFormat>) -> fn(&str, Usage, &mut dyn FnMut(Cow<'static, str>)) {
    match format {
        Some(NameFormat::DnsLabel) => object_meta::dns_label,
        Some(NameFormat::PathSegment) => object_meta::path_segment,
        Some(NameFormat::DnsSubdomain) | None => object_meta::dns_subdomain,
    }
}

/// The rules of one kind.
struct Rules {
    program: Arc<Program>,
    hooks: SharedHooks,
    /// The type of each version, that of the hub first.
    defs: Vec<(String, DefId)>,
}

impl Rules {
    fn validate(&self, cx: &Cx<'_>, policy: &Enforcement, new: Views<'_>, old: Option<Views<'_>>, errors: &mut Errors) {
        // Errors about metadata are hand-written, too.
        mark_hand_written(errors);
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request =
            Request { op, options: cx.gates.options(), subresource: cx.subresource, beta: enforces_beta(policy, cx) };
        let old = old.map(|old| old.requested);
        let Some((_, def)) = self.defs.iter().find(|(version, _)| version == cx.version).or(self.defs.first()) else {
            return;
        };
        run_rules(cx, policy, op, errors, |errors| {
            self.program.validate_object(&*self.hooks, &request, *def, new.requested, old, errors);
        });
        settle(cx, policy, new.requested, old, errors);
    }
}

/// The usual behaviour of a resource, with the rules of its program and its hooks.
struct ProgramStrategy {
    rules: Arc<Rules>,
    config: Arc<StrategyConfig<Value>>,
    usual: Arc<Usual>,
}

impl StrategyConfig<Value> {
    /// Drops fields of features that are off: those that tags say, and those of the author's hook.
    fn drop_disabled_values(&self, usual: &Usual, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        let dropped = usual.drop_disabled(cx.gates, new, old);
        let Some(hook) = &self.drop_disabled_fields else { return dropped };
        let before = new.clone();
        hook(cx.gates, new, old);
        dropped || *new != before
    }
}

impl Strategy for ProgramStrategy {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.config.drop_disabled_values(&self.usual, cx, new, old)
    }

    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        if self.config.wipes_status && self.config.keeps_status(cx.gates) {
            self.usual.start(new);
        }
        if let Some(hook) = &self.config.prepare_for_create {
            hook(cx, new);
        }
        self.usual.start_generation(new, self.config.generation);
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        if self.config.keeps_status(cx.gates) {
            self.usual.keep_status(new, old);
        }
        if let Some(hook) = &self.config.prepare_for_update {
            hook(cx, new, old);
        }
        self.usual.count_generation(new, old);
    }

    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        self.config.validate.iter().for_each(|hook| hook(cx, new.hub, errors));
        self.rules.validate(cx, &self.config.policy, new, None, errors);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.config.validate_update.iter().for_each(|hook| hook(cx, new.hub, old.hub, errors));
        let release = cx.gates.release();
        if release.has(Fact::KeepsRepeatedErrors) && self.config.rules_again.contains(release) {
            self.config.validate.iter().for_each(|hook| hook(cx, new.hub, errors));
        }
        self.rules.validate(cx, &self.config.policy, new, Some(old), errors);
    }

    fn metadata_as_new(&self, release: Release) -> usize {
        self.config.metadata_as_new.iter().filter(|releases| releases.contains(release)).count()
    }

    fn metadata_as_changed(&self) -> bool {
        self.config.metadata_as_changed
    }

    fn warnings_before_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        self.config.warnings_before_create.as_ref().map(|hook| hook(cx, new)).unwrap_or_default()
    }

    fn warnings_on_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        self.config.warnings_on_create.as_ref().map(|hook| hook(cx, new)).unwrap_or_default()
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        self.config.warnings_on_update.as_ref().map(|hook| hook(cx, new, old)).unwrap_or_default()
    }

    fn reads_namespace(&self) -> bool {
        self.config.reads_namespace
    }

    fn allow_create_on_update(&self) -> bool {
        self.config.allow_create_on_update
    }

    fn counts_unprinted(&self) -> Option<&'static str> {
        self.config.counts_unprinted.then_some(self.config.generation_of)
    }

    fn allow_unconditional_update(&self) -> bool {
        self.config.allow_unconditional_update
    }

    fn reset_fields(&self) -> ResetFields {
        self.usual.reset_fields(self.config.resets.as_ref())
    }

    fn reset_fields_with(&self, gates: &FeatureGates) -> ResetFields {
        if self.config.keeps_status(gates) { self.reset_fields() } else { ResetFields::default() }
    }

    fn check_graceful_delete(&self, cx: &Cx<'_>, object: &Value, options: &mut DeleteOptions) -> bool {
        self.config.check_graceful_delete.as_ref().is_some_and(|hook| hook(cx, object, options))
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

/// The usual behaviour of `/status` and other parts: everything but what they write stays as it was.
struct ProgramPart {
    rules: Arc<Rules>,
    config: Arc<StrategyConfig<Value>>,
    own: SubresourceConfig<Value>,
    part: Part,
}

impl Strategy for ProgramPart {
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        self.config.drop_disabled_values(&self.part.usual, cx, new, old)
    }

    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        self.part.reset_others(new, old);
        if let Some(hook) = &self.own.prepare_for_update {
            hook(cx, new, old);
        }
        self.part.count_generation(new, old);
    }

    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        self.own.validate_update.iter().for_each(|hook| hook(cx, new.hub, old.hub, errors));
        self.rules.validate(cx, &self.config.policy, new, Some(old), errors);
    }

    fn metadata_as_new(&self, _: Release) -> usize {
        usize::from(self.own.metadata_as_new)
    }

    fn metadata_as_changed(&self) -> bool {
        self.own.metadata_as_changed
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        self.own.warnings_on_update.as_ref().map(|hook| hook(cx, new, old)).unwrap_or_default()
    }

    fn allow_create_on_update(&self) -> bool {
        self.config.allow_create_on_update
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
