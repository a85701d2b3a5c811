//! Declared types: what their tags say about an object, through the plan interpreter.

mod hooks;
mod kinds;

use std::collections::BTreeSet;

use sprag_field::{Error, Errors, Policy, Warning, enforce};
use sprag_idl::model::{Package, TagLine};
use sprag_idl::{Finding, Span, tag_name};
use sprag_plan::{DefId, Program};
use sprag_rules::types::Universe;
use sprag_rules::{Dialect, Foreign, Hooks, LowerOptions, Registry, Untagged, lower, program};
use sprag_validate::{Op, Options, Request};
use sprag_value::Value;

pub(crate) use self::hooks::Call;
use self::hooks::Recorder;
pub(crate) use self::kinds::Kinds;
use crate::conform::conform;

/// On a type, the tag that makes it a root; on a package, the first of those that choose roots.
const ROOT_TAG: &str = "k8s:validation-gen";

/// Types with their rules.
pub(crate) struct Declared {
    pub(crate) universe: Universe,
    /// What is wrong or doubtful in the tags.
    pub(crate) findings: Vec<Finding>,
    pub(crate) program: Program,
}

/// What the rules say about an object.
#[derive(Default)]
pub(crate) struct Verdict {
    pub(crate) errors: Vec<Error>,
    /// Errors of rules that are not enforced yet.
    pub(crate) not_enforced: Vec<Error>,
    pub(crate) warnings: Vec<Warning>,
    /// Hand-written checks that would run as well.
    pub(crate) hooks: Vec<Call>,
    /// What a user can do about rules that could not be judged.
    pub(crate) notes: Vec<String>,
}

impl Declared {
    pub(crate) fn new(packages: Vec<Package>, dialect: Option<Dialect>) -> Declared {
        let universe = Universe::new(packages, |_| true);
        let options =
            LowerOptions { dialect, untagged: Untagged::AllTypes, foreign: Foreign::Opaque, hooks: Hooks::Assume };
        let lowering = lower(&universe, &Registry::standard(), options);
        let program = program(&universe, &lowering);
        Declared { universe, findings: lowering.findings, program }
    }

    /// Judges an object. One that does not fit its type is refused before any rule sees it.
    pub(crate) fn judge(
        &self,
        def: DefId,
        new: &Value,
        old: Option<&Value>,
        options: &Options,
        subresource: &str,
    ) -> Verdict {
        let mut errors = Errors::new();
        if let Some(old) = old {
            conform(&self.universe, def, old, &mut errors);
            errors.warnings.clear();
            for error in errors.since_mut(0) {
                error.field = format!("old object: {}", error.field);
            }
        }
        conform(&self.universe, def, new, &mut errors);
        let mut verdict = Verdict::default();
        if errors.is_empty() {
            let hooks = Recorder::default();
            let op = if old.is_some() { Op::Update } else { Op::Create };
            let request = Request { op, options, subresource };
            self.program.validate(&hooks, &request, def, new, old, &mut errors);
            verdict.hooks = hooks.into_calls();
            verdict.notes = self.notes(def, &errors);
        }
        verdict.warnings = std::mem::take(&mut errors.warnings);
        let outcome = enforce(errors.into_vec(), &Policy::default());
        (verdict.errors, verdict.not_enforced) = (outcome.enforced, outcome.shadowed);
        verdict
    }

    fn notes(&self, def: DefId, errors: &Errors) -> Vec<String> {
        let undefined = errors.iter().filter_map(|error| error.detail.strip_prefix("undefined validation option "));
        let names: BTreeSet<&str> = undefined.map(|name| name.trim_matches('"')).collect();
        let mut notes: Vec<String> = names
            .iter()
            .map(|name| format!("define the option: --option {name}=true or --option {name}=false"))
            .collect();
        if self.program.plan().root(def).is_none() {
            notes.push(format!("type {} has no rules", self.universe.def_name(def)));
        }
        notes
    }
}

/// Has exactly the chosen types validated as whole objects, whatever their packages say about what to generate.
pub(crate) fn set_roots(packages: &mut [Package], is_root: impl Fn(&Package, &str) -> bool) {
    for package in packages.iter_mut() {
        package.tags.retain(|line| tag_name(&line.text).is_none_or(|name| !name.starts_with(ROOT_TAG)));
        let roots: Vec<bool> = package.types.iter().map(|ty| is_root(package, &ty.name)).collect();
        for (ty, _) in package.types.iter_mut().zip(roots).filter(|(_, is_root)| *is_root) {
            for tags in [&mut ty.tags, &mut ty.detached_tags] {
                tags.retain(|line| tag_name(&line.text) != Some(ROOT_TAG));
            }
            ty.tags.push(TagLine { text: format!("{ROOT_TAG}=true"), span: Span::NONE });
        }
    }
}
