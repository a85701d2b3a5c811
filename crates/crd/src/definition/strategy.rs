//! The strategy of definitions.

use sprag_decode::typed;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Cx, GarbageCollection, ResetFields, Strategy, Views, meta};
use sprag_schema::accept;
use sprag_schema::crd::{Crd, ReadError, prepare, shapes};
use sprag_value::{Time, Value};

use super::CLEANUP_FINALIZER;
use crate::condition::{self, Condition};

/// Creates, updates and deletes of whole definitions.
pub(super) struct DefinitionStrategy;

impl Strategy for DefinitionStrategy {
    fn prepare_for_create(&self, _: &Cx<'_>, new: &mut Value) {
        prepare::for_create(new);
        // The status has all members of its type from the start: nobody comes to own them later.
        let (shapes, id) = (shapes::shapes(), shapes::definition());
        *new = match typed::decode_parsed(shapes, id, new) {
            Ok(decoded) => decoded.value,
            Err(_) => typed::round_trip(shapes, id, new),
        };
    }

    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        prepare::for_update(new, old);
    }

    /// Validates the definition; metadata is checked again by rules that know the form of the name.
    fn validate(&self, _: &Cx<'_>, new: Views<'_>, errors: &mut Errors) {
        match Crd::read(new.hub) {
            Ok(crd) => *errors = accept::create(&crd, errors.release()).errors,
            Err(error) => errors.push(unreadable(&error)),
        }
    }

    fn validate_update(&self, _: &Cx<'_>, new: Views<'_>, old: Views<'_>, errors: &mut Errors) {
        match (Crd::read(new.hub), Crd::read(old.hub)) {
            (Ok(new), Ok(old)) => accept::validate_update(&new, &old, errors),
            (Err(error), _) | (_, Err(error)) => errors.push(unreadable(&error)),
        }
    }

    fn warnings_on_create(&self, cx: &Cx<'_>, new: &Value) -> Vec<String> {
        Crd::read(new).map(|new| accept::warnings(&new, None, cx.gates.release())).unwrap_or_default()
    }

    fn warnings_on_update(&self, cx: &Cx<'_>, new: &Value, old: &Value) -> Vec<String> {
        match (Crd::read(new), Crd::read(old)) {
            (Ok(new), Ok(old)) => accept::warnings(&new, Some(&old), cx.gates.release()),
            _ => Vec::new(),
        }
    }

    fn allow_unconditional_update(&self) -> bool {
        false
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(["status"])
    }

    /// The first delete of a definition waits for its objects to go.
    fn holds(&self, object: &Value) -> bool {
        !meta::is_deleting(object)
    }

    fn failed_precondition(&self) -> Option<&'static str> {
        Some("precondition failed")
    }

    /// Upstream marks definitions by code of its own, which does not count a generation.
    fn mark_deleting(&self, object: &mut Value) {
        if condition::find(object, "Terminating").is_some() {
            return;
        }
        meta::set(object, "generation", meta::generation(object).saturating_sub(1));
        meta::remove(object, "deletionGracePeriodSeconds");
        let mut finalizers: Vec<String> = meta::finalizers(object).map(str::to_owned).collect();
        if !finalizers.iter().any(|finalizer| finalizer == CLEANUP_FINALIZER) {
            finalizers.push(CLEANUP_FINALIZER.to_owned());
        }
        meta::set(object, "finalizers", finalizers);
        let now: Time = meta::text(object, "deletionTimestamp").parse().unwrap_or(Time::from_unix(0, 0));
        let pending = Condition {
            ty: "Terminating",
            status: "True",
            reason: "InstanceDeletionPending",
            message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon".into(),
        };
        condition::set(object, &pending, now);
    }

    fn garbage_collection(&self) -> GarbageCollection {
        GarbageCollection::Unsupported
    }
}

/// Updates of the status. Upstream lets them change metadata as well.
pub(super) struct StatusStrategy;

impl Strategy for StatusStrategy {
    fn prepare_for_update(&self, _: &Cx<'_>, new: &mut Value, old: &Value) {
        new.insert("spec", old.get("spec").cloned().unwrap_or_default());
    }

    fn validate_update(&self, _: &Cx<'_>, new: Views<'_>, _: Views<'_>, errors: &mut Errors) {
        match Crd::read(new.hub) {
            Ok(crd) => accept::validate_status_update(&crd, errors),
            Err(error) => errors.push(unreadable(&error)),
        }
    }

    fn allow_unconditional_update(&self) -> bool {
        false
    }

    fn reset_fields(&self) -> ResetFields {
        ResetFields::top_level(["spec"])
    }

    fn has_table(&self) -> bool {
        false
    }
}

fn unreadable(error: &ReadError) -> Error {
    Error::internal(&Path::ROOT, error)
}
