//! Options of writes, deletes, lists and watches.

use sprag_checks::object_meta;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_patch::strict::FieldValidation;
use sprag_value::{Value, json};

use crate::error::{ApiError, Result};
use crate::gates::FeatureGates;

/// Options of a create, update or patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteOptions {
    /// `All` for a request that must not be stored.
    pub dry_run: Vec<String>,
    /// The field manager that makes the change.
    pub field_manager: String,
    /// True if the field manager is made up for a client that names none: plug-ins do not see it then.
    pub default_manager: bool,
    /// `Strict`, `Warn`, `Ignore` or nothing.
    pub field_validation: String,
    /// True if an apply takes fields from other managers.
    pub force: Option<bool>,
}

/// The options object of a write, for its errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionsKind {
    /// `CreateOptions`.
    Create,
    /// `UpdateOptions`.
    Update,
    /// `PatchOptions`.
    Patch,
    /// `PatchOptions` of a server-side apply.
    Apply,
}

/// The deletion propagation policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They stay and lose their owner.
    Orphan,
    /// They are deleted afterwards.
    Background,
    /// They are deleted first.
    Foreground,
}

/// Options of a delete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// `All` for a request that must not be stored.
    pub dry_run: Vec<String>,
    /// The grace period in seconds.
    pub grace_period_seconds: Option<i64>,
    /// The uid that the object must have.
    pub uid: Option<String>,
    /// The resource version that the object must have.
    pub resource_version: Option<String>,
    /// The older form of [`DeleteOptions::propagation_policy`].
    pub orphan_dependents: Option<bool>,
    /// The `propagationPolicy` as sent.
    pub propagation_policy: Option<String>,
    /// True to remove an object that cannot be read, and only then.
    pub ignore_store_read_error: Option<bool>,
}

/// Options of a list or watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Labels that objects must have.
    pub label_selector: String,
    /// Fields that objects must have.
    pub field_selector: String,
    /// At most so many objects; 0 and less for all.
    pub limit: i64,
    /// The continue token.
    pub continue_token: String,
    /// The state to read, or to begin after.
    pub resource_version: String,
    /// The `resourceVersionMatch`.
    pub resource_version_match: String,
    /// True if a watch begins with what is there.
    pub send_initial_events: Option<bool>,
    /// True if a watch tells how far it is.
    pub allow_watch_bookmarks: bool,
}

impl WriteOptions {
    /// The options of a manager.
    pub fn by(field_manager: impl Into<String>) -> WriteOptions {
        WriteOptions { field_manager: field_manager.into(), ..WriteOptions::default() }
    }

    /// True if nothing may be stored.
    pub fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty()
    }

    /// The field validation mode.
    pub fn validation(&self) -> FieldValidation {
        match self.field_validation.as_str() {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            _ => FieldValidation::Warn,
        }
    }

    /// Refuses what upstream refuses.
    pub fn validate(&self, write: OptionsKind) -> Result<()> {
        let mut errors = Errors::new();
        match write {
            OptionsKind::Apply if self.field_manager.is_empty() => {
                errors.push(Error::required(&Path::new("fieldManager"), "is required for apply patch"));
            }
            OptionsKind::Create | OptionsKind::Update | OptionsKind::Patch if self.force.is_some() => {
                errors.push(Error::forbidden(&Path::new("force"), "may not be specified for non-apply patch"));
            }
            _ => {}
        }
        object_meta::field_manager(&self.field_manager, &Path::new("fieldManager"), &mut errors);
        validate_dry_run(&self.dry_run, &mut errors);
        if !["", "Ignore", "Strict", "Warn"].contains(&self.field_validation.as_str()) {
            let supported = ["", "Ignore", "Strict", "Warn"];
            let path = Path::new("fieldValidation");
            errors.push(Error::not_supported(&path, self.field_validation.as_str(), &supported));
        }
        let kind = match write {
            OptionsKind::Create => "CreateOptions",
            OptionsKind::Update => "UpdateOptions",
            OptionsKind::Patch | OptionsKind::Apply => "PatchOptions",
        };
        refuse(kind, errors)
    }
}

const IGNORE_READ_ERROR: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

impl DeleteOptions {
    /// Options that ask for a propagation.
    pub fn propagation(policy: Propagation) -> DeleteOptions {
        DeleteOptions { propagation_policy: Some(policy.name().to_owned()), ..DeleteOptions::default() }
    }

    /// True if nothing may be stored.
    pub fn is_dry_run(&self) -> bool {
        !self.dry_run.is_empty()
    }

    /// Refuses what upstream refuses.
    pub fn validate(&self) -> Result<()> {
        let mut errors = Errors::new();
        let path = Path::new("propagationPolicy");
        if let Some(policy) = &self.propagation_policy {
            if self.orphan_dependents.is_some() {
                let detail = "orphanDependents and deletionPropagation cannot be both set";
                errors.push(Error::invalid(&path, BadValue::json_str(policy), detail));
            }
            if Propagation::from_name(policy).is_none() {
                let supported = ["Foreground", "Background", "Orphan", "nil"];
                errors.push(Error::not_supported(&path, BadValue::json_str(policy), &supported));
            }
        }
        validate_dry_run(&self.dry_run, &mut errors);
        self.refuse_with_read_error(&mut errors);
        refuse("DeleteOptions", errors)
    }

    /// Refuses what upstream refuses of a delete of many objects.
    pub fn validate_for_many(&self) -> Result<()> {
        self.validate()?;
        let mut errors = Errors::new();
        if self.ignores_read_error() {
            let detail = "is not allowed with DELETECOLLECTION, try again after removing the option";
            errors.push(Error::invalid(&Path::new(IGNORE_READ_ERROR), true, detail));
        }
        refuse("DeleteOptions", errors)
    }

    /// True if an object is removed that cannot be read, and only then.
    pub fn ignores_read_error(&self) -> bool {
        self.ignore_store_read_error == Some(true)
    }

    fn refuse_with_read_error(&self, errors: &mut Errors) {
        let others = [
            (self.propagation_policy.is_some(), "propagationPolicy"),
            (self.orphan_dependents.is_some(), "orphanDependents"),
            (self.grace_period_seconds.is_some(), "gracePeriodSeconds"),
            (self.uid.is_some() || self.resource_version.is_some(), "preconditions"),
        ];
        let path = Path::new(IGNORE_READ_ERROR);
        for (_, other) in others.into_iter().filter(|(set, _)| *set && self.ignores_read_error()) {
            errors.push(Error::invalid(&path, true, format!("cannot be set together with .{other}")));
        }
    }

    /// The requested propagation, in either form; `unorphaned` is the meaning of `orphanDependents: false`.
    pub fn requested_propagation(&self, unorphaned: impl FnOnce() -> Propagation) -> Option<Propagation> {
        match self.orphan_dependents {
            Some(true) => Some(Propagation::Orphan),
            Some(false) => Some(unorphaned()),
            None => self.propagation_policy.as_deref().and_then(Propagation::from_name),
        }
    }
}

impl Propagation {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Propagation::Orphan => "Orphan",
            Propagation::Background => "Background",
            Propagation::Foreground => "Foreground",
        }
    }

    fn from_name(name: &str) -> Option<Propagation> {
        [Propagation::Orphan, Propagation::Background, Propagation::Foreground]
            .into_iter()
            .find(|policy| policy.name() == name)
    }
}

const EXACT: &str = "Exact";
const NOT_OLDER_THAN: &str = "NotOlderThan";

impl ListOptions {
    /// True if the state at one resource version is asked for.
    pub fn is_exact(&self) -> bool {
        self.resource_version_match == EXACT
    }

    /// Refuses what upstream refuses in a list.
    pub fn validate_list(&self) -> Result<()> {
        let mut errors = Errors::new();
        let path = Path::new("resourceVersionMatch");
        let requested = self.resource_version_match.as_str();
        if !requested.is_empty() {
            if self.resource_version.is_empty() {
                let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
                errors.push(Error::forbidden(&path, detail));
            }
            self.refuse_match_with_continue(&mut errors);
            if ![EXACT, NOT_OLDER_THAN].contains(&requested) {
                errors.push(Error::not_supported(&path, requested, &[EXACT, NOT_OLDER_THAN, ""]));
            }
            if requested == EXACT && self.resource_version == "0" {
                let detail = r#"resourceVersionMatch "exact" is forbidden for resourceVersion "0""#;
                errors.push(Error::forbidden(&path, detail));
            }
        }
        if self.send_initial_events.is_some() {
            let detail = "sendInitialEvents is forbidden for list";
            errors.push(Error::forbidden(&Path::new("sendInitialEvents"), detail));
        }
        refuse("ListOptions", errors)
    }

    /// Refuses what upstream refuses in a watch.
    pub fn validate_watch(&self, gates: &FeatureGates) -> Result<()> {
        let mut errors = Errors::new();
        let path = Path::new("resourceVersionMatch");
        let requested = self.resource_version_match.as_str();
        if self.send_initial_events.is_some() && requested != NOT_OLDER_THAN {
            let detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
            errors.push(Error::forbidden(&path, detail));
        }
        // As upstream's validateWatchOptions and SetListOptionsDefaults.
        let has_watch_list = || gates.enabled("WatchList");
        if self.send_initial_events.is_some() && !has_watch_list() {
            let detail = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
            errors.push(Error::forbidden(&Path::new("sendInitialEvents"), detail));
        }
        if !requested.is_empty() {
            if self.send_initial_events.is_none() {
                let detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                errors.push(Error::forbidden(&path, detail));
            }
            if requested != NOT_OLDER_THAN {
                errors.push(Error::not_supported(&path, requested, &[NOT_OLDER_THAN]));
            }
            self.refuse_match_with_continue(&mut errors);
        } else if self.send_initial_events.is_none()
            && matches!(self.resource_version.as_str(), "" | "0")
            && !self.continue_token.is_empty()
            && has_watch_list()
        {
            // A watch from the beginning sends initial events, for which upstream sets a match by itself.
            self.refuse_match_with_continue(&mut errors);
        }
        refuse("ListOptions", errors)
    }

    fn refuse_match_with_continue(&self, errors: &mut Errors) {
        if !self.continue_token.is_empty() {
            let detail = "resourceVersionMatch is forbidden when continue is provided";
            errors.push(Error::forbidden(&Path::new("resourceVersionMatch"), detail));
        }
    }
}

fn validate_dry_run(dry_run: &[String], errors: &mut Errors) {
    if !dry_run.iter().all(|value| value == "All") {
        let value: Value = dry_run.iter().map(String::as_str).collect();
        errors.push(Error::not_supported(&Path::new("dryRun"), BadValue::Json(json::to_string(&value)), &["All"]));
    }
}

fn refuse(kind: &str, errors: Errors) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(kind, "meta.k8s.io", "", &errors.into_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(outcome: Result<()>, expected: &str) {
        assert_eq!(outcome.unwrap_err().to_string(), expected);
    }

    #[test]
    fn write_options_are_checked_as_upstream() {
        let bad = |change: fn(&mut WriteOptions)| {
            let mut options = WriteOptions::default();
            change(&mut options);
            options
        };
        check(
            bad(|options| options.dry_run = vec!["Maybe".into()]).validate(OptionsKind::Create),
            r#"CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Maybe"]: supported values: "All""#,
        );
        check(
            bad(|options| options.field_validation = "warn".into()).validate(OptionsKind::Update),
            r#"UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "warn": supported values: "", "Ignore", "Strict", "Warn""#,
        );
        check(
            bad(|_| ()).validate(OptionsKind::Apply),
            r#"PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch"#,
        );
        check(
            bad(|options| options.force = Some(true)).validate(OptionsKind::Patch),
            r#"PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch"#,
        );
        assert!(
            bad(|options| options.dry_run = vec!["All".into(), "All".into()]).validate(OptionsKind::Create).is_ok()
        );
    }

    #[test]
    fn delete_options_are_checked_as_upstream() {
        let mut options = DeleteOptions::propagation(Propagation::Background);
        assert!(options.validate().is_ok());
        options.orphan_dependents = Some(true);
        check(
            options.validate(),
            r#"DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set"#,
        );
        let options = DeleteOptions { propagation_policy: Some("Bogus".into()), ..DeleteOptions::default() };
        check(
            options.validate(),
            r#"DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Bogus": supported values: "Foreground", "Background", "Orphan", "nil""#,
        );
    }

    #[test]
    fn list_options_are_checked_as_upstream() {
        let with = |requested: &str, version: &str| ListOptions {
            resource_version_match: requested.into(),
            resource_version: version.into(),
            ..ListOptions::default()
        };
        assert!(with("Exact", "5").validate_list().is_ok());
        check(
            with("Exact", "0").validate_list(),
            r#"ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0""#,
        );
        check(
            with("Exact", "").validate_list(),
            r#"ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"#,
        );
        check(
            with("NotOlderThan", "1").validate_watch(&FeatureGates::default()),
            r#"ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"#,
        );
    }
}
