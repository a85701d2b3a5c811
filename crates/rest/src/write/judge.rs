//! Judging the new object: prepare, metadata, rules, warnings.

use sprag_checks::object_meta::{self, Rules, Usage};
use sprag_decode::typed::Unprinted;
use sprag_field::{Error, Errors, Path, Tolerated, status};
use sprag_release::{Fact, Release};
use sprag_value::{Key, Object, Value};

use super::input::{Input, Read};
use super::{Write, drop_repeated_owners, type_member};
use crate::allocate::{Allocation, Allocator, Claim};
use crate::authority::mark_hand_written;
use crate::error::{ApiError, Result};
use crate::managed::FieldOwners;
use crate::meta;
use crate::names::split_api_version;
use crate::observer::timed;
use crate::strategy::{Plain, Strategy, Views};

/// The suffix of upstream's second warning about repeated owners.
const AFTER_ADMISSION: &str = " after mutating admission happens";

/// The stored object in the two versions that a write needs.
pub struct Old {
    /// In the version that hooks see.
    pub hub: Value,
    /// In the version of the request.
    pub requested: Value,
}

/// The result of validation.
#[derive(Debug)]
pub struct Judged {
    /// The object to store, in the version of the hub.
    pub object: Value,
    /// Validation errors; empty if the object is accepted.
    pub errors: Vec<Error>,
    /// Warnings that are sent whether the write succeeds or not.
    pub warnings: Vec<String>,
    /// Errors that do not refuse it, if the context [asks for them](crate::Context::lists_tolerated).
    pub tolerated: Tolerated,
    /// True if the object is known to have all its defaults, and nothing that is dropped when it is read.
    pub is_complete: bool,
    /// The values that it was given and that no other object may be given before it is stored.
    pub claimed: Vec<Claim>,
}

impl Write<'_> {
    /// The stored object as a write needs it.
    pub fn old(&self, stored: Value) -> Result<Old> {
        let definition = self.definition();
        let stored = self.with_creation_times(stored);
        let hub = definition.convert(stored.clone(), &definition.storage_version, self.hub())?;
        Ok(Old { hub, requested: self.requested(stored)? })
    }

    /// A stored object of a built-in kind as a release reads it that writes creation times wherever there is metadata.
    fn with_creation_times(&self, stored: Value) -> Value {
        let definition = self.definition();
        let is_built_in = !definition.conventions.coerces_stored_objects;
        if !is_built_in || !self.context.gates.release().has(Fact::WritesNoCreationTime) {
            return stored;
        }
        definition.scheme.read_stored(&definition.storage_version, stored.clone()).unwrap_or(stored)
    }

    /// Prepares and validates the object that a write makes: steps and order of upstream's `rest.BeforeCreate` and
    /// `rest.BeforeUpdate`.
    ///
    /// An error is a failure to judge, or a conflict; what is wrong with the object is in [`Judged::errors`].
    pub fn judge(&self, input: &Input<'_>, read: Read, old: Option<&Old>) -> Result<Judged> {
        let Read { object: mut new, mut warnings, taken, is_pruned, unprinted, scale: _ } = read;
        if input.bypasses_strategy() {
            let object = self.definition().convert(new, self.request.version, self.hub())?;
            let tolerated = Tolerated::default();
            let claimed = Vec::new();
            return Ok(Judged { object, errors: Vec::new(), warnings, tolerated, is_complete: false, claimed });
        }
        // Paths are those of the version that was read.
        let unprinted = if self.hub() == self.request.version { unprinted } else { Vec::new() };
        warnings.extend(drop_repeated_owners(&mut new, AFTER_ADMISSION)?);
        let strategy: &dyn Strategy = match old {
            None => &*self.definition().create,
            Some(_) if input.is_by_server() => &Plain,
            Some(_) => self.update_strategy()?,
        };
        let hub = self.without_disabled_fields(strategy, &new, old);
        // A shared value would be copied before it is changed.
        drop(new);
        let allocation =
            Allocation::new(&taken, input.options().is_dry_run(), self.context.entropy, self.context.gates);
        let outcome = hub.and_then(|mut new| match old {
            // As upstream's Store.Update: what an update creates is wiped after plug-ins, what a create creates before.
            None if !input.is_wiped() => {
                meta::wipe_system_fields(&mut new);
                self.judge_new(new, allocation, &unprinted, is_pruned)
            }
            None => self.judge_new(new, allocation, &unprinted, is_pruned),
            Some(old) => self.judge_changed(strategy, input, new, old, allocation, (&unprinted, is_pruned)),
        });
        match outcome {
            Ok(mut judged) => {
                warnings.append(&mut judged.warnings);
                Ok(Judged { warnings, ..judged })
            }
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// The object, or how upstream refuses it.
    pub fn accepted(&self, judged: Judged) -> Result<Judged> {
        if judged.errors.is_empty() {
            return Ok(judged);
        }
        let definition = self.definition();
        let new = &judged.object;
        let (kind, group) = if definition.conventions.errors_name_sent_type {
            (type_member(new, "kind"), split_api_version(type_member(new, "apiVersion")).0)
        } else {
            (definition.kind.as_str(), definition.place().group.as_str())
        };
        let error = ApiError::invalid(kind, group, meta::name(new), &judged.errors);
        Err(error.with_warnings(judged.warnings))
    }

    fn judge_new(
        &self,
        mut new: Value,
        mut allocation: Allocation<'_>,
        unprinted: &[Unprinted],
        is_pruned: bool,
    ) -> Result<Judged> {
        let definition = self.definition();
        let entropy = self.context.entropy;
        // A plug-in may have changed it. As upstream's rest.BeforeCreate.
        meta::match_namespace(&mut new, self.namespace())?;
        meta::fill_system_fields(&mut new, self.context.now, entropy);
        let base = meta::text(&new, "generateName");
        if meta::name(&new).is_empty() && !base.is_empty() {
            let name = self.guarded(|| definition.name_generator.generate(base, entropy))?;
            meta::set(&mut new, "name", name);
            unshare_labels(&mut new);
        }
        let refusal = self.allocate(&mut new, None, &mut allocation)?;
        if !refusal.is_empty() {
            return self.conclude(new, refusal, is_pruned, |_| Vec::new());
        }
        let members = new.as_object().map(Object::len);
        let mut warnings = self.guarded(|| definition.create.warnings_before_create(&self.cx(), &new))?;
        self.guarded(|| definition.create.prepare_for_create(&self.cx(), &mut new))?;
        // A member that was taken away may have a default.
        let is_complete = is_pruned && new.as_object().map(Object::len) == members;
        for value in unprinted {
            value.restore(&mut new);
        }
        let errors = self.timed(|| self.errors_of_new(&new))?;
        let warnings_of = |new: &Value| definition.create.warnings_on_create(&self.cx(), new);
        let mut judged = self.conclude(new, errors, is_complete, warnings_of)?;
        for value in unprinted {
            value.print(&mut judged.object);
        }
        warnings.append(&mut judged.warnings);
        Ok(Judged { warnings, claimed: allocation.into_claimed(), ..judged })
    }

    /// Gives an object the values that no other object holds, where its kind has such; returns why that cannot be.
    pub(crate) fn allocate(
        &self,
        new: &mut Value,
        old: Option<&Value>,
        allocation: &mut Allocation<'_>,
    ) -> Result<Errors> {
        let mut errors = self.sink();
        if let Some(allocator) = self.allocator() {
            self.guarded(|| allocator.allocate(new, old, allocation, &mut errors))??;
        }
        Ok(errors)
    }

    /// The allocator of the written object; `None` for subresources.
    pub fn allocator(&self) -> Option<&dyn Allocator> {
        self.definition().allocator.as_deref().filter(|_| self.request.subresource.is_empty())
    }

    /// The object in the hub version, without fields of disabled features, which are not owned either.
    fn without_disabled_fields(&self, strategy: &dyn Strategy, new: &Value, old: Option<&Old>) -> Result<Value> {
        let definition = self.definition();
        let version = self.request.version;
        let mut hub = definition.convert(new.clone(), version, self.hub())?;
        let old = old.map(|old| &old.hub);
        if self.guarded(|| strategy.drop_disabled_fields(&self.cx(), &mut hub, old))? {
            let left = definition.convert(hub.clone(), self.hub(), version)?;
            let owners = FieldOwners::new(self, old.is_none());
            owners.resource(self).disown_removed(new, &left, &mut hub);
        }
        Ok(hub)
    }

    fn judge_changed(
        &self,
        strategy: &dyn Strategy,
        input: &Input<'_>,
        mut new: Value,
        old: &Old,
        mut allocation: Allocation<'_>,
        (unprinted, is_pruned): (&[Unprinted], bool),
    ) -> Result<Judged> {
        let unconditional = input.is_unconditional() || strategy.allow_unconditional_update();
        self.check_resource_version(&mut new, &old.hub, unconditional)?;
        if !input.is_by_server() {
            let refusal = self.allocate(&mut new, Some(&old.hub), &mut allocation)?;
            if !refusal.is_empty() {
                return self.conclude(new, refusal, is_pruned, |_| Vec::new());
            }
        }
        self.prepare_for_update(strategy, &mut new, &old.hub)?;
        if let Some(member) = strategy.counts_unprinted()
            && unprinted.iter().any(|value| value.is_below(member))
        {
            meta::set_generation(&mut new, meta::generation(&old.hub).saturating_add(1));
        }
        for value in unprinted {
            value.restore(&mut new);
        }
        let errors = self.timed(|| self.errors_of_changed(strategy, &new, old))?;
        let warnings = |new: &Value| strategy.warnings_on_update(&self.cx(), new, &old.hub);
        let mut judged = self.conclude(new, errors, is_pruned, warnings)?;
        for value in unprinted {
            value.print(&mut judged.object);
        }
        keep_unchanged_times(&mut judged.object, &old.hub);
        judged.claimed = allocation.into_claimed();
        Ok(judged)
    }

    fn prepare_for_update(&self, strategy: &dyn Strategy, new: &mut Value, old: &Value) -> Result<()> {
        meta::match_namespace(new, self.namespace())?;
        meta::copy(new, old, "generation");
        self.guarded(|| strategy.prepare_for_update(&self.cx(), new, old))?;
        if meta::uid(new).is_empty() {
            meta::copy(new, old, "uid");
        }
        for member in ["creationTimestamp", "deletionTimestamp"] {
            if meta::get(old, member).is_some() {
                meta::copy(new, old, member);
            }
        }
        if meta::get(new, "deletionGracePeriodSeconds").is_none() {
            meta::copy(new, old, "deletionGracePeriodSeconds");
        }
        Ok(())
    }

    fn timed<R>(&self, validate: impl FnOnce() -> R) -> R {
        timed(self.context.observer, |observer, took| observer.validated(self.definition(), took), validate)
    }

    fn sink(&self) -> Errors {
        let errors = Errors::of(self.context.gates.release());
        if self.context.lists_tolerated { errors.listing_tolerated() } else { errors }
    }

    fn errors_of_new(&self, new: &Value) -> Result<Errors> {
        let mut errors = self.sink();
        self.strategy_errors_of_new(new, &mut errors)?;
        // As upstream's rest.ValidateCreate: rules for all names come after those of the kind.
        if errors.is_empty() {
            let path = Path::new("metadata");
            for (member, usage) in [("generateName", Usage::Prefix), ("name", Usage::Name)] {
                let name = meta::text(new, member);
                object_meta::path_segment(name, usage, &mut |detail| {
                    errors.push(Error::invalid(&path.child(member), name, detail));
                });
            }
        }
        Ok(errors)
    }

    /// The same for a changed object. Upstream checks metadata in the generic code and again in each strategy, so what is
    /// wrong there is said twice.
    fn errors_of_changed(&self, strategy: &dyn Strategy, new: &Value, old: &Old) -> Result<Errors> {
        let mut errors = self.sink();
        let path = Path::new("metadata");
        let rules = self.metadata_rules(&object_meta::path_segment);
        object_meta::validate_create(metadata(new), &rules, &path, &mut errors);
        let mark = errors.len();
        object_meta::validate_update(metadata(new), metadata(&old.hub), rules.fields, &path, &mut errors);
        let mut again = errors.since(mark).to_vec();
        let release = self.context.gates.release();
        if release.has(Fact::KeepsRepeatedErrors) {
            again = if strategy.metadata_as_changed() { again } else { Vec::new() };
            let mut as_new = errors.another();
            let declares_name = self.definition().scheme.declares_name();
            let rules = Rules { name: &*self.definition().name_rule, declares_name, ..rules };
            for _ in 0..strategy.metadata_as_new(release) {
                object_meta::validate_create(metadata(new), &rules, &path, &mut as_new);
            }
            again.extend(as_new);
        }
        self.strategy_errors_of_changed(strategy, new, old, again, &mut errors)?;
        Ok(errors)
    }

    fn metadata_rules<'r>(&'r self, name: &'r object_meta::NameRule<'r>) -> Rules<'r> {
        let definition = self.definition();
        let fields = definition.scheme.metadata_rules();
        Rules { namespaced: definition.namespaced(), name, declares_name: false, fields }
    }

    fn strategy_errors_of_new(&self, new: &Value, errors: &mut Errors) -> Result<()> {
        let definition = self.definition();
        if self.has_type(new) {
            let declares_name = definition.scheme.declares_name();
            let rules = Rules { declares_name, ..self.metadata_rules(&*definition.name_rule) };
            object_meta::validate_create(metadata(new), &rules, &Path::new("metadata"), errors);
            mark_hand_written(errors);
        }
        let requested = definition.convert(new.clone(), self.hub(), self.request.version)?;
        let views = Views { hub: new, requested: &requested };
        self.guarded(|| definition.create.validate(&self.cx(), views, errors))
    }

    fn strategy_errors_of_changed(
        &self,
        strategy: &dyn Strategy,
        new: &Value,
        old: &Old,
        of_metadata: Vec<Error>,
        errors: &mut Errors,
    ) -> Result<()> {
        if self.has_type(new) {
            errors.extend(of_metadata);
        }
        mark_hand_written(errors);
        let requested = self.definition().convert(new.clone(), self.hub(), self.request.version)?;
        let new = Views { hub: new, requested: &requested };
        let old = Views { hub: &old.hub, requested: &old.requested };
        self.guarded(|| strategy.validate_update(&self.cx(), new, old, errors))
    }

    /// True if an object in the version of the hub says so; upstream's strategies check the metadata of no other object.
    fn has_type(&self, object: &Value) -> bool {
        self.has_kind(object) && type_member(object, "apiVersion") == self.info.api_version(self.hub())
    }

    /// Validates a decoded object by the strategy alone, without the checks that upstream's generic code makes around
    /// it: for tests of a strategy. A write is judged by [`Write::judge`].
    #[cfg(feature = "testing")]
    pub fn judge_by_strategy(&self, new: &Value, old: Option<&Old>) -> Result<Judged> {
        let definition = self.definition();
        let mut errors = self.sink();
        let Some(old) = old else {
            let mut new = self.without_disabled_fields(&*definition.create, new, None)?;
            self.guarded(|| definition.create.prepare_for_create(&self.cx(), &mut new))?;
            self.strategy_errors_of_new(&new, &mut errors)?;
            return self.conclude(new, errors, false, |new| definition.create.warnings_on_create(&self.cx(), new));
        };
        let strategy = self.update_strategy()?;
        let mut new = self.without_disabled_fields(strategy, new, Some(old))?;
        self.guarded(|| strategy.prepare_for_update(&self.cx(), &mut new, &old.hub))?;
        let mut of_metadata = errors.another();
        let fields = definition.scheme.metadata_rules();
        let path = Path::new("metadata");
        object_meta::validate_update(metadata(&new), metadata(&old.hub), fields, &path, &mut of_metadata);
        self.strategy_errors_of_changed(strategy, &new, old, of_metadata.into_vec(), &mut errors)?;
        self.conclude(new, errors, false, |new| strategy.warnings_on_update(&self.cx(), new, &old.hub))
    }

    /// Adds what is only done for a valid object: warnings of the strategy, then the canonical form.
    fn conclude(
        &self,
        mut object: Value,
        mut errors: Errors,
        is_complete: bool,
        more_warnings: impl FnOnce(&Value) -> Vec<String>,
    ) -> Result<Judged> {
        let mut warnings: Vec<String> =
            errors.warnings.drain(..).map(|warning| format!("{}: {}", warning.field, warning.message)).collect();
        let tolerated = errors.take_tolerated();
        let tolerated =
            Tolerated { forgiven: status::bounded(tolerated.forgiven), shadowed: status::bounded(tolerated.shadowed) };
        if errors.is_empty() {
            let release = self.context.gates.release();
            warnings.extend(self.guarded(|| more_warnings(&object))?.into_iter().map(|text| worded(release, text)));
            self.guarded(|| self.definition().scheme.canonicalize(&mut object))?;
        } else {
            self.definition().scheme.show_values(errors.since_mut(0));
        }
        let errors = status::bounded(errors.into_vec());
        Ok(Judged { object, errors, warnings, tolerated, is_complete, claimed: Vec::new() })
    }
}

/// A warning in the words of a release.
// As upstream's validation.GetWarningsForIP and GetWarningsForCIDR.
fn worded(release: Release, text: String) -> String {
    if release.has(Fact::NonStandardAddressesAreInvalid) || !text.contains(": non-standard ") {
        return text;
    }
    text.replacen(" is invalid: use ", " will be considered invalid in a future Kubernetes release: use ", 1)
}

/// Makes labels an object of their own, which defaults may share with labels of a template.
// As upstream's Store.Create, which makes a deep copy for each generated name.
fn unshare_labels(object: &mut Value) {
    let labels = meta::get(object, "labels").and_then(Value::as_object);
    let own: Option<Object> =
        labels.map(|labels| labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
    if let Some(own) = own {
        meta::set(object, "labels", Value::Object(own));
    }
}

fn metadata(object: &Value) -> &Value {
    object.get("metadata").unwrap_or(&Value::Null)
}

/// Treats an update that changes only `managedFields` timestamps as a no-op.
// As upstream's fieldmanager.IgnoreManagedFieldsTimestampsTransformer.
fn keep_unchanged_times(new: &mut Value, old: &Value) {
    let managers = |object: &Value| meta::get(object, "managedFields").cloned();
    let before = managers(old);
    let after = managers(new);
    if before != after && same_but(new, old, "metadata", same_metadata) && same_managers(before, after) {
        meta::copy(new, old, "managedFields");
    }
}

fn same_metadata(new: &Value, old: &Value) -> bool {
    same_but(new, old, "managedFields", |_, _| true)
}

/// True if managed fields differ in their times at most.
fn same_managers(before: Option<Value>, after: Option<Value>) -> bool {
    let entries = |managers: Option<Value>| managers.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let before = entries(before);
    let after = entries(after);
    before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| same_but(a, b, "time", |_, _| true))
}

/// True if two objects have the same members, but for one that is compared by `same`.
fn same_but(a: &Value, b: &Value, member: &str, same: impl Fn(&Value, &Value) -> bool) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { return a == b };
    let of = |object: &Object| object.get(member).cloned().unwrap_or_default();
    let is_other = |(key, _): &(&Key, &Value)| key.as_str() != member;
    a.iter().filter(is_other).eq(b.iter().filter(is_other)) && same(&of(a), &of(b))
}
