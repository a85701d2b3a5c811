//! Declared types: objects of them, judged by the write core and the tags of their Go or Rust source.

mod hooks;
mod kinds;

use std::collections::BTreeSet;
use std::sync::Arc;

use sprag_checks::{Op, Request};
use sprag_field::{Error, Errors, Warning};
use sprag_idl::model::{Package, TagLine};
use sprag_idl::{Finding, Span, tag_name};
use sprag_program::{DefId, Program, Resource};
use sprag_rest::{FeatureGates, Offline, Outcome, PartValues, ProgramConfig, Release};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Foreign, Hooks, LowerOptions, Mistakes, Registry, Untagged, lower, program_parts};
use sprag_value::Value;

use self::hooks::Recorder;
pub use self::hooks::{Call, PassAll};
pub use self::kinds::{Kinds, all_kinds, is_kind};
use crate::switches::{policy, unset_note};

/// On a type, the tag that makes it a root; on a package, the first of those that choose roots.
const ROOT_TAG: &str = "k8s:validation-gen";

/// The version of objects whose package is not named like one.
const UNNAMED_VERSION: &str = "v1";

/// The name of an object without metadata.
const UNNAMED: &str = "unnamed";

/// Types with their rules.
pub struct Declared {
    /// The types.
    pub universe: Universe,
    /// Errors and warnings about the tags.
    pub findings: Vec<Finding>,
    /// Their shapes and rules.
    pub program: Arc<Program>,
    /// True if an older release than the newest was asked for and tags name releases.
    pub knows_releases: bool,
}

/// A value of a type, and the request it is part of.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The type.
    pub resource: &'a Resource,
    /// The value.
    pub new: &'a Value,
    /// The value before an update; none for a create.
    pub old: Option<&'a Value>,
    /// The feature gates and options.
    pub gates: &'a FeatureGates,
    /// Options that are not set.
    pub unset: &'a BTreeSet<String>,
    /// Empty for the object itself.
    pub subresource: &'a str,
}

/// The API server's verdict on an object.
#[derive(Default)]
pub struct Verdict {
    /// The errors.
    pub errors: Vec<Error>,
    /// Errors of rules that are not enforced yet.
    pub not_enforced: Vec<Error>,
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// Hand-written checks that would run as well.
    pub hooks: Vec<Call>,
    /// Notes on rules that could not be evaluated.
    pub notes: Vec<String>,
    /// The decoding error of an object that does not fit its type.
    pub refusal: Option<String>,
}

impl Declared {
    /// Lowers the tags of packages.
    pub fn new(packages: Vec<Package>, registry: &Registry, dialect: Option<Dialect>) -> Declared {
        Declared::of_release(packages, registry, dialect, Release::NEWEST)
    }

    /// The same for a release of Kubernetes, which tags may name.
    pub fn of_release(
        packages: Vec<Package>,
        registry: &Registry,
        dialect: Option<Dialect>,
        release: Release,
    ) -> Declared {
        let universe = Universe::new(packages, |_| true);
        let lowering = lower(&universe, registry, options(dialect));
        let parts = program_parts(&universe, &lowering);
        // The newest is what is asked for most.
        let knows_releases = release != Release::NEWEST && parts.knows_releases();
        let program = Arc::new(Program::of_release(parts, release));
        Declared { universe, findings: lowering.findings, program, knows_releases }
    }

    /// Judges an object of a resource, or a value of a type that is only ever part of objects.
    pub fn judge(&self, case: &Case<'_>) -> Verdict {
        let hooks = Arc::new(Recorder::default());
        let outcome = if is_kind(&self.universe, case.resource.def) {
            self.judge_object(case, &hooks)
        } else {
            self.judge_part(case, &hooks)
        };
        let mut verdict = outcome.unwrap_or_else(|refusal| Verdict { refusal: Some(refusal), ..Verdict::default() });
        if verdict.refusal.is_none() {
            verdict.notes.extend(self.notes(case.resource.def, case.unset));
        }
        verdict.hooks = hooks.calls();
        verdict
    }

    fn judge_object(&self, case: &Case<'_>, hooks: &Arc<Recorder>) -> Result<Verdict, String> {
        let Case { resource, gates, subresource, .. } = *case;
        let said = case.new.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let (said_group, said_version) = sprag_rest::split_api_version(said);
        let said_version = if said_version.is_empty() { UNNAMED_VERSION } else { said_version };
        let version = resource.version.as_deref().unwrap_or(said_version);
        let config = ProgramConfig::new(self.program.clone(), hooks.clone()).policy(policy(gates));
        let definition = config.define(resource.group.as_deref().unwrap_or(said_group), version, resource);
        let api_version = definition.api_version(version);
        let metadata = case.old.and_then(|old| old.get("metadata")).cloned();
        let metadata = metadata.unwrap_or_else(|| [("name", UNNAMED)].into_iter().collect());
        let object = |value: &Value| whole(value, &api_version, &resource.kind, &metadata);
        let new = object(case.new);
        let mut old = case.old.map(object);
        if !["", "status"].contains(&subresource) && old.is_none() {
            return Err(format!("a write of /{subresource} changes an object: name the old one with --old"));
        }
        if !subresource.is_empty() && old.is_none() {
            // A subresource is only ever updated: the first write of it is judged.
            let mut before = new.clone();
            before.remove(subresource);
            old = Some(before);
        }
        let offline = Offline::new(gates.clone()).without_managed_fields();
        let info = offline.resource(definition);
        let outcome = offline.judge_subresource(&info, version, subresource, new, old.as_ref());
        let Outcome { findings, judged } = outcome.map_err(|error| error.to_string())?;
        let said = judged.warnings.into_iter();
        let said = said.map(|message| Warning { field: String::new(), message: message.into() });
        let mut verdict = Verdict {
            errors: judged.errors,
            not_enforced: judged.tolerated.shadowed,
            warnings: findings.iter().map(unknown).chain(said).collect(),
            ..Verdict::default()
        };
        if case.new.get("metadata").is_none() {
            verdict.notes.push("rules on metadata were not judged: the object has none".to_owned());
        }
        Ok(verdict)
    }

    /// A value that is only ever part of objects is not written by itself: it is decoded, completed and held against its rules.
    fn judge_part(&self, case: &Case<'_>, hooks: &Recorder) -> Result<Verdict, String> {
        let values = PartValues::new(&self.program, case.resource, case.gates);
        let old = case.old.map(|old| values.read(old)).transpose().map_err(|error| format!("old object: {error}"))?;
        let mut new = values.read(case.new)?;
        values.drop_disabled(case.gates, &mut new.value, old.as_ref().map(|old| &old.value));
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let subresource = format!("/{}", case.subresource);
        let policy = policy(case.gates);
        let request = Request { op, options: case.gates.options(), subresource: &subresource, beta: policy.beta };
        let mut errors = Errors::new().listing_tolerated();
        let old = old.as_ref().map(|old| &old.value);
        self.program.validate(hooks, &request, case.resource.def, &new.value, old, &mut errors);
        errors.enforce(&policy);
        Ok(Verdict {
            not_enforced: errors.take_tolerated().shadowed,
            warnings: new.findings.iter().map(unknown).chain(errors.warnings.drain(..)).collect(),
            errors: sprag_field::status::bounded(errors.into_vec()),
            ..Verdict::default()
        })
    }

    /// Returns notes on parts of a type that are not validated.
    fn notes(&self, def: DefId, unset: &BTreeSet<String>) -> Vec<String> {
        let used = self.program.options(def).into_iter();
        let mut notes: Vec<String> = used.filter(|name| unset.contains(*name)).map(unset_note).collect();
        let name = self.universe.def_name(def);
        if self.program.plan().root(def).is_none() {
            notes.push(format!("type {name} has no rules"));
        }
        if is_kind(&self.universe, def)
            && let Some(validation) = hand_written_in(&self.universe.package_of(def).path)
        {
            notes.push(format!("rules that Kubernetes has for {name} in Go code ({validation}) were not run"));
        }
        notes
    }

    /// Returns a note on the hand-written checks that the rules of a type call: they are not run.
    fn hook_note(&self, def: DefId) -> Option<String> {
        let names: Vec<&str> = self.program.plan().hand_written(def).into_iter().collect();
        let s = if names.len() == 1 { "" } else { "s" };
        (!names.is_empty()).then(|| format!("not run: hand-written check{s} {}", names.join(", ")))
    }
}

/// The package with the hand-written rules for the kinds of a package of `k8s.io/api`.
fn hand_written_in(package: &str) -> Option<String> {
    let (group, _) = package.strip_prefix("k8s.io/api/")?.split_once('/')?;
    Some(format!("k8s.io/kubernetes/pkg/apis/{group}/validation"))
}

/// An object with what it cannot be without, as far as it does not say it.
fn whole(value: &Value, api_version: &str, kind: &str, metadata: &Value) -> Value {
    let mut object = value.clone();
    for (member, default) in [("apiVersion", api_version), ("kind", kind)] {
        if object.get(member).is_none() {
            object.insert(member, default);
        }
    }
    if object.get("metadata").is_none() {
        object.insert("metadata", metadata.clone());
    }
    object
}

fn unknown(finding: &sprag_decode::Finding) -> Warning {
    Warning { field: finding.path().unwrap_or_default().to_owned(), message: finding.to_string().into() }
}

fn options(dialect: Option<Dialect>) -> LowerOptions {
    LowerOptions {
        dialect,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    }
}

/// The types that their packages select as roots.
pub fn selected(universe: &Universe, dialect: Option<Dialect>) -> Vec<DefId> {
    lower(universe, &Registry::standard(), options(dialect)).root_types
}

/// Has exactly the chosen types validated as whole objects, whatever their packages say about what to generate.
pub fn set_roots(packages: &mut [Package], is_root: impl Fn(&Package, &str) -> bool) {
    for package in packages.iter_mut() {
        package.tags.retain(|line| tag_name(&line.text).is_none_or(|name| !name.starts_with(ROOT_TAG)));
        let roots: Vec<bool> = package.types.iter().map(|ty| is_root(package, &ty.name)).collect();
        for (ty, is_root) in package.types.iter_mut().zip(roots) {
            for tags in [&mut ty.tags, &mut ty.detached_tags] {
                tags.retain(|line| tag_name(&line.text) != Some(ROOT_TAG));
            }
            // Not among the tags of a type without any, which would take those of an alias for it.
            let tags = if is_root { &mut ty.tags } else { &mut ty.detached_tags };
            tags.push(TagLine { text: format!("{ROOT_TAG}={is_root}"), span: Span::NONE });
        }
    }
}
