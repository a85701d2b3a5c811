//! The seam between the pipeline and a kind: what differs from resource to resource.
//!
//! The pipeline passes [`Value`]s; a type in the program's own language exists only inside of a strategy. Generated
//! code, the plan interpreter and custom resources are three implementations of the same two traits.

use std::sync::Arc;
use std::time::Duration;

use sprag_checks::At;
use sprag_checks::object_meta::{FieldRules, Undeclared};
use sprag_decode::protobuf::{self, ProtobufError};
use sprag_decode::{Decoded, Format};
use sprag_field::{Error, Errors};
use sprag_patch::strict;
use sprag_program::{DefId, Program};
use sprag_release::Release;
use sprag_shape::{Shapes, TypeId};
use sprag_value::{Time, Value, json};

use crate::counters::Counters;
use crate::definition::Definition;
use crate::gates::FeatureGates;
use crate::names::GroupResource;
use crate::observer::Observer;
use crate::options::{DeleteOptions, Propagation};
use crate::unreadable::Unreadable;

/// The user of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// Extra attributes.
    pub extra: Vec<(String, Vec<String>)>,
}

/// The request context of a strategy.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// The resource.
    pub definition: &'a Definition,
    /// The version that was asked for.
    pub version: &'a str,
    /// The subresource as rules see it: `/` for the object itself, otherwise `/status` and the like.
    pub subresource: &'a str,
    /// The namespace, empty for none.
    pub namespace: &'a str,
    /// The labels of the namespace, if they are known and [`Strategy::reads_namespace`].
    pub namespace_labels: Option<&'a Value>,
    /// The name in the request, empty when the object is new.
    pub name: &'a str,
    /// The user.
    pub user: &'a User,
    /// The feature gates.
    pub gates: &'a FeatureGates,
    /// The time.
    pub now: Time,
    /// Counters of internal problems.
    pub counters: &'a Counters,
    /// The observer of durations.
    pub observer: Option<&'a dyn Observer>,
    /// The request as declared rules see it that hooks call: they judge values as new ones.
    pub called: sprag_checks::Request<'a>,
}

impl Cx<'_> {
    /// The place of the object, for declared rules that hooks call.
    pub fn root(&self) -> At<'_> {
        At::root(&self.called)
    }
}

/// One object in the two forms that validation needs.
#[derive(Clone, Copy)]
pub struct Views<'a> {
    /// In the version that hooks are written for.
    pub hub: &'a Value,
    /// In the version that was asked for, which rules are written for.
    pub requested: &'a Value,
}

/// Default deletion propagation of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GarbageCollection {
    /// They are deleted.
    #[default]
    DeleteDependents,
    /// They stay.
    OrphanDependents,
    /// The resource has no dependents.
    Unsupported,
}

/// Reset fields: a write cannot change them, so its manager does not own them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResetFields(pub Vec<Vec<String>>);

/// The behaviour of a kind on writes. Every method has the default that most kinds want or that does nothing; one
/// object may serve all verbs, or one each.
pub trait Strategy: Send + Sync {
    /// Drops fields of features that are off, unless the old object uses them; returns whether there were any. Nobody comes
    /// to own a field that is dropped.
    fn drop_disabled_fields(&self, cx: &Cx<'_>, new: &mut Value, old: Option<&Value>) -> bool {
        let _ = (cx, new, old);
        false
    }

    /// Brings a new object into order: wipes what the client cannot say, sets what the server says.
    fn prepare_for_create(&self, cx: &Cx<'_>, new: &mut Value) {
        let _ = (cx, new);
    }

    /// Brings a changed object into order.
    fn prepare_for_update(&self, cx: &Cx<'_>, new: &mut Value, old: &Value) {
        let _ = (cx, new, old);
    }

    /// Checks a new object.
    fn validate(&self, cx: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        let _ = (cx, new, errors);
    }

    /// Checks a changed object.
    fn validate_update(&self, cx: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        let _ = (cx, new, old, errors);
    }

    /// Warnings about a new object before it is brought into order, whether it is valid or not.
    fn warnings_before_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        let _ = (cx, new);
        Vec::new()
    }

    /// Warnings on a new object that is valid.
    fn warnings_on_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        let _ = (cx, new);
        Vec::new()
    }

    /// Warnings on a changed object that is valid.
    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        let _ = (cx, new, old);
        Vec::new()
    }

    /// The reason why creates are rejected at the moment, if they are.
    fn refuses_create(&self) -> Option<&str> {
        None
    }

    /// True if rules depend on the labels of the namespace.
    fn reads_namespace(&self) -> bool {
        false
    }

    /// True if an update of an object that does not exist creates it.
    fn allow_create_on_update(&self) -> bool {
        false
    }

    /// The number of times that the rules for updates check the metadata as that of a new object, in a release that keeps errors that
    /// repeat others.
    fn metadata_as_new(&self, release: Release) -> usize {
        let _ = release;
        0
    }

    /// True if the rules for updates check how the metadata changed, in a release that keeps errors that repeat others.
    fn metadata_as_changed(&self) -> bool {
        true
    }

    /// The member in which values that are not printed, as empty lists, count as changes for `metadata.generation`, if any.
    // As upstream's strategies that compare by reflect.DeepEqual.
    fn counts_unprinted(&self) -> Option<&'static str> {
        None
    }

    /// True if an update may leave out the resource version.
    fn allow_unconditional_update(&self) -> bool {
        true
    }

    /// The fields that [`Strategy::prepare_for_create`] and [`Strategy::prepare_for_update`] wipe or reset.
    fn reset_fields(&self) -> ResetFields {
        ResetFields::default()
    }

    /// The same while features are on or off as they are.
    fn reset_fields_with(&self, gates: &FeatureGates) -> ResetFields {
        let _ = gates;
        self.reset_fields()
    }

    /// True if the object can be deleted gracefully; sets `grace_period_seconds` if so.
    fn check_graceful_delete(&self, cx: &Cx<'_>, object: &Value, options: &mut DeleteOptions) -> bool {
        let _ = (cx, object, options);
        false
    }

    /// Changes an object whose delete begins and which stays for a while.
    fn mark_deleting(&self, object: &mut Value) {
        let _ = object;
    }

    /// The prefix of upstream's error for a failed delete precondition, where a kind has its own delete code.
    fn failed_precondition(&self) -> Option<&'static str> {
        None
    }

    /// The deletion propagation if the request asks not to orphan dependents.
    fn unorphaned(&self, object: &Value) -> Propagation {
        let _ = object;
        Propagation::Background
    }

    /// True if something beside its finalizers keeps an object that is being deleted.
    fn holds(&self, object: &Value) -> bool {
        let _ = object;
        false
    }

    /// True if all objects of a collection can be deleted by one request.
    fn allow_delete_collection(&self) -> bool {
        true
    }

    /// True if a part of an object is only ever replaced as a whole: neither read nor patched.
    fn replace_only(&self) -> bool {
        false
    }

    /// True if answers of a part of an object can be tables.
    // As upstream's rest.TableConvertor, which few parts but `/status` implement.
    fn has_table(&self) -> bool {
        true
    }

    /// After which time without a write an object is gone.
    fn expires_in(&self) -> Option<Duration> {
        None
    }

    /// The default deletion propagation.
    fn garbage_collection(&self) -> GarbageCollection {
        GarbageCollection::DeleteDependents
    }

    /// The reason why the object of this name may not be deleted, whether it exists or not.
    fn refuses_delete(&self, name: &str) -> Option<&'static str> {
        let _ = name;
        None
    }

    /// Warnings about a delete, whatever becomes of it.
    fn warnings_on_delete(&self, options: &DeleteOptions) -> Vec<String> {
        let _ = options;
        Vec::new()
    }
}

/// Objects that could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotConverted<E> {
    /// The reason.
    pub error: E,
    /// True if the webhook did not answer: the same would become of any other object.
    pub is_unreachable: bool,
}

impl From<String> for NotConverted<String> {
    fn from(error: String) -> Self {
        NotConverted { error, is_unreachable: false }
    }
}

/// Decoding, defaulting and conversion of a kind.
pub trait Scheme: Send + Sync {
    /// The version in which hooks see objects that were sent in this one.
    fn hub<'a>(&'a self, requested: &'a str) -> &'a str;

    /// The shape of objects in a version.
    fn shape(&self, version: &str) -> Option<(&Shapes, TypeId)>;

    /// The rules of fields of metadata that all objects have.
    fn metadata_rules(&self) -> &dyn FieldRules {
        &Undeclared
    }

    /// Gives errors about an object the values that they print in the release of the scheme.
    fn show_values(&self, errors: &mut [Error]) {
        let _ = errors;
    }

    /// True if a tag declares the rule for names.
    fn declares_name(&self) -> bool {
        false
    }

    /// The rules that tags declare for a version, where they are to be published: as a program and the type in it.
    fn rules(&self, version: &str) -> Option<(Arc<Program>, DefId)> {
        let _ = version;
        None
    }

    /// Reads the text of an object in a version: the object as lenient decoding yields it, and what strict decoding refuses in
    /// upstream's order. An error is in the words of upstream's decoder. Nobody asks for findings unless `strict`, so that
    /// what costs time to find need not be found.
    fn read(&self, version: &str, text: &[u8], format: Format, strict: bool) -> Result<Decoded, Unreadable>;

    /// Reads an object in a version from its protobuf message, without its type. An error is in the words of upstream's
    /// decoder.
    fn read_message(&self, version: &str, message: &[u8]) -> Result<Value, ProtobufError> {
        let shape = self.shape(version);
        let no_type = || ProtobufError::Content(format!("no type for version {version:?}"));
        let (shapes, id) = shape.ok_or_else(no_type)?;
        protobuf::decode(shapes, id, message)
    }

    /// Reads an object that was parsed already, as one of several in a file is.
    fn read_object(&self, version: &str, object: Value) -> Result<Decoded, Unreadable> {
        self.read(version, json::to_string(&object).as_bytes(), Format::Json, true)
    }

    /// Reads an object that was written some time ago, under other rules perhaps: what is malformed in its metadata is
    /// dropped where the kind tolerates that.
    fn read_stored(&self, version: &str, object: Value) -> Result<Value, String> {
        Ok(self.read_object(version, object)?.value)
    }

    /// Returns the result of decoding the text of a value, if there would be no findings and the scheme can do without
    /// the text. The value is made by schemes that can, and nothing when it cannot be made without text.
    fn read_value(&self, version: &str, value: &dyn Fn() -> Option<Value>) -> Option<Value> {
        let _ = (version, value);
        None
    }

    /// Decodes an applied object into its version. Errors have upstream's text.
    fn read_applied(&self, version: &str, object: Value) -> Result<Decoded, String> {
        match self.shape(version) {
            Some((shapes, id)) => {
                let read = strict::restore(shapes, id, &object)?;
                Ok(Decoded { value: read.object, unprinted: read.unprinted, findings: Vec::new() })
            }
            None => Ok(Decoded::new(object, Vec::new())),
        }
    }

    /// Sets defaults that depend on the time of the request, after [`Scheme::complete`].
    fn stamp(&self, object: &mut Value, now: Time) {
        let _ = (object, now);
    }

    /// Sets defaults and drops what the version does not know.
    fn complete(&self, version: &str, object: &mut Value) -> Result<(), String>;

    /// The same for an object from the store, which may have been written under other rules.
    fn complete_stored(&self, version: &str, object: &mut Value) -> Result<(), String> {
        self.complete(version, object)
    }

    /// True if [`Scheme::complete`] tells lists that are empty from those that are not set.
    fn completes_by_empty_lists(&self) -> bool {
        false
    }

    /// Brings a valid object into the form that it has once it was stored. Ownership of fields is settled by then.
    // As upstream's RESTCreateStrategy.Canonicalize.
    fn canonicalize(&self, object: &mut Value) {
        let _ = object;
    }

    /// Annotations that are fields of upstream's internal type: metadata that is shown alone lacks them.
    fn field_annotations(&self) -> &'static [&'static str] {
        &[]
    }

    /// The position in upstream's source where the scheme of the kind is made. Kinds with the same position share a scheme.
    fn place_in_source(&self) -> &'static str {
        "pkg/api/legacyscheme/scheme.go:30"
    }

    /// The resource in whose place objects are stored, when two resources are two views of the same objects.
    fn stored_as(&self) -> Option<&GroupResource> {
        None
    }

    /// An object that was written through another resource with the same place, in the version we store.
    fn adopt(&self, object: Value) -> Result<Value, String> {
        Ok(object)
    }

    /// The object in another version of its group.
    fn convert(&self, object: Value, from: &str, to: &str) -> Result<Value, String>;

    /// The same for many objects at once.
    fn convert_all(&self, objects: Vec<Value>, from: &str, to: &str) -> Result<Vec<Value>, NotConverted<String>> {
        let converted = objects.into_iter().map(|object| self.convert(object, from, to));
        converted.collect::<Result<_, _>>().map_err(NotConverted::from)
    }

    /// True if a webhook converts objects, which takes time and can fail.
    fn converts_remotely(&self) -> bool {
        false
    }

    /// The scheme while features are on or off as they are, if that makes a difference: fields of features that are off have
    /// no default.
    fn with_gates(&self, gates: &FeatureGates) -> Option<Arc<dyn Scheme>> {
        let _ = gates;
        None
    }

    /// Changes whenever [`Scheme::complete`] or [`Scheme::convert`] would answer differently than before.
    fn generation(&self) -> u64 {
        0
    }
}

/// A strategy with nothing special.
pub struct Plain;

impl Strategy for Plain {}

impl ResetFields {
    /// These top-level fields.
    pub fn top_level(fields: impl IntoIterator<Item = impl Into<String>>) -> ResetFields {
        ResetFields(fields.into_iter().map(|field| vec![field.into()]).collect())
    }
}
