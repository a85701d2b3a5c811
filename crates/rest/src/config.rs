//! Resource declarations of an API author: one expression per resource, with hooks where it differs from the default.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use sprag_checks::object_meta;
use sprag_field::{Enforcement, Errors};
use sprag_release::Releases;
use sprag_value::Value;

use crate::column::Column;
use crate::conventions::Conventions;
use crate::definition::{Definition, Scope, Selectable, Version};
use crate::gates::FeatureGates;
use crate::names::{GroupResource, NameGenerator, NameRule, SimpleNameGenerator};
use crate::object_shape::with_object_meta;
use crate::options::DeleteOptions;
use crate::resource::{Facts, Resource};
use crate::scale::ScalePaths;
use crate::strategy::{Cx, GarbageCollection, Plain, Strategy};
use crate::subresource::{Subresource, SubresourceKind};
use crate::typed::{Complete, PartStrategy, TypedScheme, TypedStrategy, VersionType};
use crate::usual::{Part, Usual};

/// The member that most kinds count changes of.
const SPEC: &str = "spec";

/// A check of a new object.
pub type ValidateHook<T> = dyn Fn(&Cx<'_>, &T, &mut Errors) + Send + Sync;
/// A check of a changed object: new, then old.
pub type ValidateUpdateHook<T> = dyn Fn(&Cx<'_>, &T, &T, &mut Errors) + Send + Sync;
/// Warnings on a new object.
pub type WarningsHook<T> = dyn Fn(&Cx<'_>, &T) -> Vec<String> + Send + Sync;
/// Warnings on a changed object: new, then old.
pub type WarningsUpdateHook<T> = dyn Fn(&Cx<'_>, &T, &T) -> Vec<String> + Send + Sync;
/// Warnings about a delete.
pub type WarningsDeleteHook = dyn Fn(&DeleteOptions) -> Vec<String> + Send + Sync;
/// Returns the reason why the object of this name may not be deleted.
pub type RefuseDeleteHook = dyn Fn(&str) -> Option<&'static str> + Send + Sync;
/// A change of a new object.
pub type PrepareHook<T> = dyn Fn(&Cx<'_>, &mut T) + Send + Sync;
/// A change of a changed object: new, then old.
pub type PrepareUpdateHook<T> = dyn Fn(&Cx<'_>, &mut T, &T) + Send + Sync;
/// True if an object is deleted gracefully; sets the grace period if so.
pub type GracefulDeleteHook<T> = dyn Fn(&Cx<'_>, &T, &mut DeleteOptions) -> bool + Send + Sync;
/// Removes fields of features that are off, unless the old object uses them.
pub type DropHook<T> = dyn Fn(&FeatureGates, &mut T, Option<&T>) + Send + Sync;

/// Hooks of a resource: typed, each optional.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each off or on")]
pub struct StrategyConfig<T> {
    pub(crate) validate: Option<Box<ValidateHook<T>>>,
    pub(crate) validate_update: Option<Box<ValidateUpdateHook<T>>>,
    pub(crate) warnings_on_create: Option<Box<WarningsHook<T>>>,
    pub(crate) warnings_on_update: Option<Box<WarningsUpdateHook<T>>>,
    pub(crate) warnings_on_delete: Option<Box<WarningsDeleteHook>>,
    pub(crate) refuses_delete: Option<Box<RefuseDeleteHook>>,
    pub(crate) prepare_for_create: Option<Box<PrepareHook<T>>>,
    pub(crate) prepare_for_update: Option<Box<PrepareUpdateHook<T>>>,
    pub(crate) drop_disabled_fields: Option<Box<DropHook<T>>>,
    pub(crate) warnings_before_create: Option<Box<WarningsHook<T>>>,
    pub(crate) check_graceful_delete: Option<Box<GracefulDeleteHook<T>>>,
    pub(crate) status: SubresourceConfig<T>,
    pub(crate) allow_create_on_update: bool,
    pub(crate) allow_unconditional_update: bool,
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) policy: Enforcement,
    pub(crate) generation: bool,
    pub(crate) generation_of: &'static str,
    pub(crate) counts_unprinted: bool,
    pub(crate) expires_in: Option<Duration>,
    pub(crate) wipes_status: bool,
    pub(crate) status_gate: Option<&'static str>,
    pub(crate) resets: Option<Vec<Vec<String>>>,
    pub(crate) reads_namespace: bool,
    pub(crate) metadata_as_new: Vec<Releases>,
    pub(crate) metadata_as_changed: bool,
    pub(crate) rules_again: Releases,
}

/// Hooks of a subresource that writes a part of the object: `/status`, `/resize` and the like.
///
/// ```
/// # struct Widget;
/// use sprag_rest::SubresourceConfig;
///
/// let resize = SubresourceConfig::<Widget>::new().writes(["spec.resources"]);
/// ```
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each off or on")]
pub struct SubresourceConfig<T> {
    pub(crate) validate_update: Option<Box<ValidateUpdateHook<T>>>,
    pub(crate) warnings_on_update: Option<Box<WarningsUpdateHook<T>>>,
    pub(crate) prepare_for_update: Option<Box<PrepareUpdateHook<T>>>,
    pub(crate) writes: Vec<Vec<String>>,
    pub(crate) resets_by_hook: bool,
    pub(crate) resets: Option<Vec<Vec<String>>>,
    pub(crate) has_table: bool,
    pub(crate) metadata_as_new: bool,
    pub(crate) metadata_as_changed: bool,
}

/// Hooks of `/status`.
pub type StatusConfig<T> = SubresourceConfig<T>;

/// Generates the setter of a hook.
macro_rules! hooks {
    ($($(#[$doc:meta])* $name:ident($($arg:ty),*) $(-> $out:ty)?;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, hook: impl Fn($($arg),*) $(-> $out)? + Send + Sync + 'static) -> Self {
            self.$name = Some(Box::new(hook));
            self
        }
    )*};
}

impl<T> Default for StrategyConfig<T> {
    fn default() -> Self {
        StrategyConfig {
            validate: None,
            validate_update: None,
            warnings_on_create: None,
            warnings_on_update: None,
            warnings_on_delete: None,
            refuses_delete: None,
            prepare_for_create: None,
            prepare_for_update: None,
            drop_disabled_fields: None,
            warnings_before_create: None,
            check_graceful_delete: None,
            status: SubresourceConfig::default(),
            allow_create_on_update: false,
            allow_unconditional_update: true,
            garbage_collection: GarbageCollection::DeleteDependents,
            policy: Enforcement::default(),
            generation: true,
            generation_of: SPEC,
            counts_unprinted: false,
            expires_in: None,
            wipes_status: true,
            status_gate: None,
            resets: None,
            reads_namespace: false,
            metadata_as_new: vec![Releases::ALL],
            metadata_as_changed: true,
            rules_again: Releases::NONE,
        }
    }
}

impl<T> Default for SubresourceConfig<T> {
    fn default() -> Self {
        SubresourceConfig {
            validate_update: None,
            warnings_on_update: None,
            prepare_for_update: None,
            writes: Vec::new(),
            resets_by_hook: false,
            resets: None,
            has_table: true,
            metadata_as_new: false,
            metadata_as_changed: true,
        }
    }
}

impl<T> StrategyConfig<T> {
    /// Nothing differs.
    pub fn new() -> Self {
        Self::default()
    }

    hooks! {
        /// Checks new objects, beside the rules of tags.
        validate(&Cx<'_>, &T, &mut Errors);
        /// Checks changed objects, beside the rules of tags.
        validate_update(&Cx<'_>, &T, &T, &mut Errors);
        /// Warnings on new objects.
        warnings_on_create(&Cx<'_>, &T) -> Vec<String>;
        /// Warnings on changed objects.
        warnings_on_update(&Cx<'_>, &T, &T) -> Vec<String>;
        /// Warnings about deletes, whatever becomes of them.
        warnings_on_delete(&DeleteOptions) -> Vec<String>;
        /// Tells why the object of a name cannot be deleted by a request of its own.
        refuses_delete(&str) -> Option<&'static str>;
        /// Changes new objects before they are checked.
        prepare_for_create(&Cx<'_>, &mut T);
        /// Changes changed objects before they are checked.
        prepare_for_update(&Cx<'_>, &mut T, &T);
        /// Drops fields of features that are off, beside what tags say.
        drop_disabled_fields(&FeatureGates, &mut T, Option<&T>);
        /// Warnings about new objects before they are changed, whether they are valid or not.
        warnings_before_create(&Cx<'_>, &T) -> Vec<String>;
        /// Tells if an object is deleted gracefully, and sets the grace period if so.
        check_graceful_delete(&Cx<'_>, &T, &mut DeleteOptions) -> bool;
    }

    /// Sets where `/status` differs.
    #[must_use]
    pub fn status(mut self, status: SubresourceConfig<T>) -> Self {
        self.status = status;
        self
    }

    /// Lets updates create objects that do not exist.
    #[must_use]
    pub fn allow_create_on_update(mut self, allow: bool) -> Self {
        self.allow_create_on_update = allow;
        self
    }

    /// Lets updates leave out the resource version.
    #[must_use]
    pub fn allow_unconditional_update(mut self, allow: bool) -> Self {
        self.allow_unconditional_update = allow;
        self
    }

    /// Sets what happens to dependents when a delete does not say.
    #[must_use]
    pub fn garbage_collection(mut self, policy: GarbageCollection) -> Self {
        self.garbage_collection = policy;
        self
    }

    /// Leaves `metadata.generation` alone, as kinds do that are older than it.
    #[must_use]
    pub fn without_generation(mut self) -> Self {
        self.generation = false;
        self
    }

    /// Lets new objects say their status, as nodes do.
    #[must_use]
    pub fn keep_status_on_create(mut self) -> Self {
        self.wipes_status = false;
        self
    }

    /// True if writes of the whole object do not say its status.
    pub(crate) fn keeps_status(&self, gates: &FeatureGates) -> bool {
        self.status_gate.is_none_or(|gate| gates.enabled(gate))
    }

    /// Lets writes of the whole object say its status while a gate is off.
    #[must_use]
    pub fn wipes_status_with(mut self, gate: &'static str) -> Self {
        self.status_gate = Some(gate);
        self
    }

    /// Lets rules depend on the labels of the namespace, [`Cx::namespace_labels`].
    #[must_use]
    pub fn reads_namespace(mut self) -> Self {
        self.reads_namespace = true;
        self
    }

    /// Sets in which releases an update checks the metadata as that of a new object, once for each of these. Only releases that keep
    /// errors that repeat others show it.
    // As upstream's strategies whose ValidateUpdate calls Validate, some of them twice.
    #[must_use]
    pub fn metadata_as_new<const N: usize>(mut self, releases: [Releases; N]) -> Self {
        self.metadata_as_new = releases.to_vec();
        self
    }

    /// Leaves the rules for changes of metadata to the code for all kinds. Only releases that keep errors that repeat others show it.
    // As upstream's strategies whose ValidateUpdate does not call ValidateObjectMetaUpdate.
    #[must_use]
    pub fn no_metadata_as_changed(mut self) -> Self {
        self.metadata_as_changed = false;
        self
    }

    /// Sets the releases in which an update runs the rules for new objects once more. Only releases that keep errors that repeat
    /// others show it.
    #[must_use]
    pub fn rules_again(mut self, releases: Releases) -> Self {
        self.rules_again = releases;
        self
    }

    /// Lets `metadata.generation` count changes of this member, of kinds that have another one in place of a spec.
    #[must_use]
    pub fn generation_of(mut self, member: &'static str) -> Self {
        self.generation_of = member;
        self
    }

    /// Lets `metadata.generation` count every update with empty lists or maps that are left out when they are printed.
    #[must_use]
    pub fn counts_unprinted(mut self) -> Self {
        self.counts_unprinted = true;
        self
    }

    /// Tells if a hook does what the usual behaviour would. Settings, rules and warnings are no such code.
    pub(crate) fn has_own_code(&self) -> bool {
        self.prepare_for_create.is_some()
            || self.prepare_for_update.is_some()
            || self.drop_disabled_fields.is_some()
            || self.check_graceful_delete.is_some()
            || self.status.has_own_code()
    }

    /// The member whose changes are counted.
    pub(crate) fn counted(&self, has_spec: bool) -> Option<&'static str> {
        (self.generation && (has_spec || self.generation_of != SPEC)).then_some(self.generation_of)
    }

    /// Removes objects that were not written for this long.
    #[must_use]
    pub fn expires_in(mut self, time: Duration) -> Self {
        self.expires_in = Some(time);
        self
    }

    /// The reset fields of writes to the whole object, by dotted path. By default the status.
    #[must_use]
    pub fn resets(mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.resets = Some(dotted(paths));
        self
    }

    /// Leaves authority to the hooks: errors of tags are only observed.
    #[must_use]
    pub fn legacy_shadow(mut self) -> Self {
        self.policy.legacy_shadow = true;
        self
    }

    /// Sets which errors of tags count.
    #[must_use]
    pub fn policy(mut self, policy: Enforcement) -> Self {
        self.policy = policy;
        self
    }
}

impl<T> SubresourceConfig<T> {
    /// Nothing differs.
    pub fn new() -> Self {
        Self::default()
    }

    hooks! {
        /// Checks objects that were changed through it, beside the rules of tags.
        validate_update(&Cx<'_>, &T, &T, &mut Errors);
        /// Warnings about objects that were changed through it.
        warnings_on_update(&Cx<'_>, &T, &T) -> Vec<String>;
        /// Changes objects that were changed through it before they are checked.
        prepare_for_update(&Cx<'_>, &mut T, &T);
    }

    /// Tells if a hook replaces what the usual behaviour does.
    pub(crate) fn has_own_code(&self) -> bool {
        self.prepare_for_update.is_some() || self.resets_by_hook
    }

    /// The fields that it writes, by dotted path; all others stay as they are stored. By default `/status` writes `status`, and
    /// another subresource everything but `status` and `metadata`. Changes of the spec count as a new generation.
    #[must_use]
    pub fn writes(mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.writes = dotted(paths);
        self
    }

    /// The reset fields of the subresource, by dotted path. By default all that it does not write.
    #[must_use]
    pub fn resets(mut self, paths: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.resets = Some(dotted(paths));
        self
    }

    /// Leaves it to `prepare_for_update` to reset what it does not write. Writers own all that they sent, whatever became of
    /// it.
    #[must_use]
    pub fn resets_by_hook(mut self) -> Self {
        self.resets_by_hook = true;
        self
    }

    /// Checks the metadata as that of a new object, too. Only releases that keep errors that repeat others show it.
    #[must_use]
    pub fn metadata_as_new(mut self) -> Self {
        self.metadata_as_new = true;
        self
    }

    /// Leaves the rules for changes of metadata to the code for all kinds. Only releases that keep errors that repeat others show it.
    #[must_use]
    pub fn no_metadata_as_changed(mut self) -> Self {
        self.metadata_as_changed = false;
        self
    }

    /// Refuses to answer with a table.
    #[must_use]
    pub fn without_table(mut self) -> Self {
        self.has_table = false;
        self
    }
}

fn dotted(paths: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Vec<String>> {
    paths.into_iter().map(|path| path.as_ref().split('.').map(str::to_owned).collect()).collect()
}

/// A typed resource, declared in one expression: `RestConfig::<Widget>::new("example.com", "v1", "widgets")` is a whole one.
/// The example `widgets` of this workspace shows each of the knobs.
pub struct RestConfig<T> {
    definition: Definition,
    hub: String,
    facts: Facts,
    strategy: StrategyConfig<T>,
    types: BTreeMap<String, VersionType>,
    versions: Vec<(String, Facts)>,
    columns: Option<Vec<Column>>,
    selectable: Option<Vec<Selectable>>,
    subresources: Vec<Subresource>,
    parts: Vec<(String, SubresourceConfig<T>)>,
    overrides: Overrides,
    complete: Option<Arc<Complete>>,
    canonicalize: Option<Arc<Complete>>,
    marker: PhantomData<fn() -> T>,
}

#[derive(Default)]
struct Overrides {
    create: Option<Arc<dyn Strategy>>,
    update: Option<Arc<dyn Strategy>>,
    delete: Option<Arc<dyn Strategy>>,
    status: Option<Arc<dyn Strategy>>,
}

impl Overrides {
    fn are_there(&self) -> bool {
        [&self.create, &self.update, &self.delete, &self.status].into_iter().any(Option::is_some)
    }
}

impl<T: Resource> RestConfig<T> {
    /// A resource in a group, in the version that `T` is the type of.
    pub fn new(group: impl Into<String>, version: impl Into<String>, resource: impl Into<String>) -> Self {
        let facts = T::facts();
        let hub = version.into();
        let resource = GroupResource::new(group, resource);
        let kind = facts.kind.to_string();
        let nothing: Arc<dyn Strategy> = Arc::new(Plain);
        let definition = Definition {
            storage_prefix: resource.resource.clone(),
            resource,
            list_kind: format!("{kind}List"),
            singular: kind.to_lowercase(),
            kind,
            short_names: Vec::new(),
            categories: Vec::new(),
            scope: Scope::Namespaced,
            versions: Vec::new(),
            storage_version: hub.clone(),
            name_rule: Arc::new(object_meta::dns_subdomain),
            name_generator: Arc::new(SimpleNameGenerator),
            scheme: Arc::new(TypedScheme::default()),
            create: nothing.clone(),
            update: nothing.clone(),
            delete: nothing,
            returns_deleted_object: false,
            unstored: None,
            is_cached: true,
            allocator: None,
            feature_gates: Vec::new(),
            gated_fields: Vec::new(),
            has_own_strategy: false,
            conventions: &Conventions::BUILT_IN,
        };
        RestConfig {
            definition,
            versions: vec![(hub.clone(), facts.clone())],
            types: BTreeMap::from([(hub.clone(), VersionType::hub(&facts))]),
            hub,
            facts,
            strategy: StrategyConfig::default(),
            columns: None,
            selectable: None,
            subresources: Vec::new(),
            parts: Vec::new(),
            overrides: Overrides::default(),
            complete: None,
            canonicalize: None,
            marker: PhantomData,
        }
    }

    /// Also serves another version, with the conversions from it and to it.
    #[must_use]
    pub fn version<V: Resource>(
        mut self,
        name: impl Into<String>,
        to_hub: impl Fn(V) -> T + Send + Sync + 'static,
        from_hub: impl Fn(T) -> V + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let facts = V::facts();
        self.types.insert(name.clone(), VersionType::spoke::<T, V>(&facts, to_hub, from_hub));
        self.versions.push((name, facts));
        self
    }

    /// Stores objects in another version than that of `T`.
    #[must_use]
    pub fn store_as(mut self, version: impl Into<String>) -> Self {
        self.definition.storage_version = version.into();
        self
    }

    /// Completes objects in the version of `T` beyond the defaults that tags declare.
    #[must_use]
    pub fn complete(mut self, complete: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.complete = Some(Arc::new(complete));
        self
    }

    /// Brings valid objects in the version of `T` into the form that they have once they were stored. Unlike defaults, this
    /// has no influence on field ownership.
    #[must_use]
    pub fn canonicalize(mut self, canonicalize: impl Fn(&mut Value) + Send + Sync + 'static) -> Self {
        self.canonicalize = Some(Arc::new(canonicalize));
        self
    }

    /// Objects do not live in namespaces.
    #[must_use]
    pub fn cluster_scoped(mut self) -> Self {
        self.definition.scope = Scope::Cluster;
        self
    }

    /// Other names that clients may type.
    #[must_use]
    pub fn short_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.definition.short_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Groups of resources that clients may name at once.
    #[must_use]
    pub fn categories(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.definition.categories = names.into_iter().map(Into::into).collect();
        self
    }

    /// The singular name, when it is not the kind in lower case.
    #[must_use]
    pub fn singular(mut self, name: impl Into<String>) -> Self {
        self.definition.singular = name.into();
        self
    }

    /// The rule for names; DNS subdomains by default.
    #[must_use]
    pub fn name_rule(mut self, rule: Arc<NameRule>) -> Self {
        self.definition.name_rule = rule;
        self
    }

    /// The generator for `generateName`.
    #[must_use]
    pub fn name_generator(mut self, generator: impl NameGenerator + 'static) -> Self {
        self.definition.name_generator = Arc::new(generator);
        self
    }

    /// Columns of tables, in place of those that tags declare.
    #[must_use]
    pub fn columns(mut self, columns: impl IntoIterator<Item = Column>) -> Self {
        self.columns = Some(columns.into_iter().collect());
        self
    }

    /// Fields that selectors may name, in place of those that tags declare.
    #[must_use]
    pub fn selectable_fields(mut self, fields: impl IntoIterator<Item = Selectable>) -> Self {
        self.selectable = Some(fields.into_iter().collect());
        self
    }

    /// Sets the hooks of the resource.
    #[must_use]
    pub fn strategy(mut self, strategy: StrategyConfig<T>) -> Self {
        self.strategy = strategy;
        self
    }

    /// Another strategy for creates.
    #[must_use]
    pub fn create_strategy(mut self, strategy: impl Strategy + 'static) -> Self {
        self.overrides.create = Some(Arc::new(strategy));
        self
    }

    /// Another strategy for updates.
    #[must_use]
    pub fn update_strategy(mut self, strategy: impl Strategy + 'static) -> Self {
        self.overrides.update = Some(Arc::new(strategy));
        self
    }

    /// Another strategy for deletes.
    #[must_use]
    pub fn delete_strategy(mut self, strategy: impl Strategy + 'static) -> Self {
        self.overrides.delete = Some(Arc::new(strategy));
        self
    }

    /// Another strategy for `/status`.
    #[must_use]
    pub fn status_strategy(mut self, strategy: impl Strategy + 'static) -> Self {
        self.overrides.status = Some(Arc::new(strategy));
        self
    }

    /// Also has `/scale`.
    #[must_use]
    pub fn scale(self, paths: ScalePaths) -> Self {
        self.subresource(Subresource { name: "scale".into(), kind: SubresourceKind::Scale(paths) })
    }

    /// Also has a subresource that writes a part of the object, as `/resize` of pods does. It runs the rules of the whole
    /// object, with its name for `+k8s:ifSubresource`. A type with `+k8s:supportsSubresource="/resize"` has it without this
    /// call; with it, hooks and the fields that it writes can be said.
    #[must_use]
    pub fn part(mut self, name: impl Into<String>, config: SubresourceConfig<T>) -> Self {
        self.parts.push((name.into(), config));
        self
    }

    /// Also has this subresource.
    #[must_use]
    pub fn subresource(mut self, subresource: Subresource) -> Self {
        self.subresources.push(subresource);
        self
    }

    /// The finished definition.
    pub fn define(self) -> Definition {
        let RestConfig { mut definition, hub, facts, mut strategy, types, versions, .. } = self;
        definition.gated_fields = facts.gated.to_vec();
        definition.has_own_strategy = strategy.has_own_code()
            || self.overrides.are_there()
            || self.parts.iter().any(|(_, part)| part.has_own_code());
        let status = std::mem::take(&mut strategy.status);
        let strategy = Arc::new(strategy);
        let types = Arc::new(types);
        let (shapes, shape) = with_object_meta(facts.shapes, facts.shape);
        let shapes = Arc::new(shapes);
        let counted = strategy.counted(facts.has_spec);
        let usual = Arc::new(Usual::new(&shapes, shape, counted, facts.has_status, &facts.gated));
        let part = |name: &str, config: SubresourceConfig<T>| {
            let part = Part::new(usual.clone(), (&shapes, shape), name, &config);
            let part = PartStrategy::new(strategy.clone(), config, types.clone(), part);
            Subresource::part(name, Arc::new(part))
        };
        let mut subresources = Vec::new();
        if let Some(status) = self.overrides.status {
            subresources.push(Subresource::part("status", status));
        } else if facts.has_status {
            subresources.push(part("status", status));
        }
        subresources.extend(self.parts.into_iter().map(|(name, config)| part(&name, config)));
        subresources.extend(self.subresources);
        for name in T::SUBRESOURCES.iter().filter_map(|path| path.strip_prefix('/')).filter(|name| !name.is_empty()) {
            if !subresources.iter().any(|known| known.name == name) {
                subresources.push(Subresource::tagged(name, &ScalePaths::default(), || {
                    part(name, SubresourceConfig::default())
                }));
            }
        }
        let typed: Arc<dyn Strategy> = Arc::new(TypedStrategy::new(strategy.clone(), types.clone(), usual.clone()));
        let gates: BTreeSet<&str> =
            versions.iter().flat_map(|(_, facts)| facts.gates.iter().map(AsRef::as_ref)).collect();
        definition.feature_gates = gates.into_iter().map(str::to_owned).collect();
        definition.versions = versions
            .into_iter()
            .map(|(name, facts)| Version {
                columns: self.columns.clone().unwrap_or_else(|| with_age(&facts.columns)),
                selectable: self.selectable.clone().unwrap_or_else(|| facts.selectable.to_vec()),
                subresources: subresources.clone(),
                ..Version::new(name)
            })
            .collect();
        definition.scheme = Arc::new(TypedScheme::new(hub, types, self.complete, self.canonicalize));
        definition.create = self.overrides.create.unwrap_or_else(|| typed.clone());
        definition.update = self.overrides.update.unwrap_or_else(|| typed.clone());
        definition.delete = self.overrides.delete.unwrap_or(typed);
        definition
    }
}

impl<T: Resource> From<RestConfig<T>> for Definition {
    fn from(config: RestConfig<T>) -> Self {
        config.define()
    }
}

/// Tables end with the age of objects unless their author says otherwise.
fn with_age(columns: &[Column]) -> Vec<Column> {
    columns.iter().cloned().chain([Column::age()]).collect()
}
