//! Validation of definitions: every check of creating and updating a `CustomResourceDefinition`.
//!
//! Works on definitions in the form [`crd::prepare`](crate::crd::prepare) leaves them in. Versions that all say the
//! same are judged once and reported under the members that `v1beta1` had for that (`spec.validation` and so on),
//! as upstream reports them.

mod approval;
mod columns;
mod conversion;
mod cost;
mod defaults;
#[doc(hidden)]
pub mod fuzz;
mod hub;
mod lists;
mod metadata;
mod names;
mod openapi;
mod options;
mod report;
mod rules;
mod schema;
mod selectable;
mod spec;
mod stored;
mod structural;
mod subresources;
#[cfg(test)]
mod tests;
mod types;
mod unsupported;
mod walk;
mod warnings;
pub mod webhook;

use sprag_checks::object_meta;
use sprag_field::{Errors, Path};
use sprag_release::Release;

use self::hub::Hub;
use self::options::Options;
use crate::crd::Crd;
use crate::go_syntax;

pub use self::approval::Approval;
pub use self::conversion::has_bad_ca_bundle;
pub use self::cost::{EXPRESSION_COST_LIMIT, TOTAL_COST_LIMIT};
pub use self::report::{CostPart, Remedy, RuleCost, Unbounded, rule_costs};

/// The API server's verdict on a definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Validation errors; empty if accepted.
    pub errors: Errors,
    /// Warnings, as the API server sends them.
    pub warnings: Vec<String>,
}

/// Judges a new definition as a release does.
pub fn create(crd: &Crd, release: Release) -> Verdict {
    let hub = Hub::new(crd);
    let options = Options::create(release);
    let mut errors = Errors::of(release);
    metadata::validate(crd, &mut errors);
    object_meta::drop_repeated(&mut errors, 0);
    spec::validate(&hub, &options, &mut errors);
    validate_status(crd, &mut errors);
    approval::validate(crd, None, &mut errors);
    spec::refuse_preserve_unknown_fields(crd, None, &mut errors);
    go_syntax::convert(release, errors.since_mut(0));
    Verdict { errors, warnings: warnings::all(&hub, release) }
}

/// Judges a definition that replaces another, as a release does. What upstream tolerates because the old one has it already is
/// tolerated.
pub fn update(new: &Crd, old: &Crd, release: Release) -> Verdict {
    let mut errors = Errors::of(release);
    validate_metadata(new, old, &mut errors);
    validate_update(new, old, &mut errors);
    Verdict { errors, warnings: warnings::added(&Hub::new(new), &Hub::new(old), release) }
}

/// Judges a new status of a definition.
pub fn update_status(new: &Crd, old: &Crd, release: Release) -> Verdict {
    let mut errors = Errors::of(release);
    validate_metadata(new, old, &mut errors);
    validate_status_update(new, &mut errors);
    Verdict { errors, warnings: Vec::new() }
}

/// Checks all but the metadata of a definition that replaces another, as the release of the sink does.
pub fn validate_update(new: &Crd, old: &Crd, errors: &mut Errors) {
    let hub = Hub::new(new);
    let old_hub = Hub::new(old);
    let mark = errors.len();
    spec::validate(&hub, &Options::update(&hub, &old_hub, errors.release()), errors);
    spec::refuse_changes(new, old, errors);
    validate_status(new, errors);
    approval::validate(new, Some(old), errors);
    spec::refuse_preserve_unknown_fields(new, Some(old), errors);
    go_syntax::convert(errors.release(), errors.since_mut(mark));
}

/// Checks all but the metadata of a definition with a new status.
pub fn validate_status_update(new: &Crd, errors: &mut Errors) {
    names::validate(&new.status.accepted_names, &Path::new("status").child("acceptedNames"), errors);
}

/// Warnings of a release on a definition: all of them when it is new, otherwise those that `old` does not have.
pub fn warnings(new: &Crd, old: Option<&Crd>, release: Release) -> Vec<String> {
    match old {
        None => warnings::all(&Hub::new(new), release),
        Some(old) => warnings::added(&Hub::new(new), &Hub::new(old), release),
    }
}

fn validate_metadata(new: &Crd, old: &Crd, errors: &mut Errors) {
    object_meta::validate_update(
        &new.metadata,
        &old.metadata,
        &object_meta::Undeclared,
        &Path::new("metadata"),
        errors,
    );
    object_meta::drop_repeated(errors, 0);
}

fn validate_status(crd: &Crd, errors: &mut Errors) {
    let status = Path::new("status");
    names::validate(&crd.status.accepted_names, &status.child("acceptedNames"), errors);
    stored::validate(crd, &status.child("storedVersions"), errors);
}
