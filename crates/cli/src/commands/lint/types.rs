//! Findings about types.

use std::path::PathBuf;

use sprag_idl::{Severity, tag_name};
use sprag_lint::{Input, Level, Model, Profile, lint_types};
use sprag_program::DefId;
use sprag_tags::types::Universe;
use sprag_tags::{Foreign, Hooks, LowerOptions, Mistakes, Untagged, is_resource, lower};

use super::found::Found;
use super::settings::Chosen;
use crate::commands::types::load_types;

/// Reads the types, lowers their tags, and runs the rules.
pub(super) fn find(paths: &[PathBuf], chosen: &Chosen) -> anyhow::Result<Vec<Found>> {
    let mut loaded = load_types(paths, true, false)?;
    let given = loaded.given.clone();
    let is_given = |path: &str| given.contains(path);
    let universe = Universe::new(std::mem::take(&mut loaded.packages), |_| true);
    let options = LowerOptions {
        dialect: None,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let lowering = lower(&universe, &chosen.registry, options);
    let reported: Vec<_> = loaded.findings.into_iter().chain(lowering.findings).collect();
    let reported: Vec<_> = reported.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let roots: Vec<DefId> = lowering.root_types.into_iter().filter(|root| is_root(&universe, *root)).collect();
    let input = Input {
        universe: &universe,
        registry: &chosen.registry,
        roots: &roots,
        sources: &loaded.sources,
        reported: &reported,
    };
    let model = Model::new(input, &is_given, &chosen.settings);
    let is_on = |rule: &sprag_lint::LintRule, profile: Profile| chosen.level(rule, profile) != Level::Off;
    let findings = lint_types(&model, &is_on);
    let profile = |path: &str| {
        let package = universe.packages().iter().find(|package| package.path == path);
        package.map_or(Profile::Kubernetes, |package| model.profile(package))
    };
    let found = findings.into_iter().map(|finding| {
        let level = chosen.level(finding.rule, profile(&finding.package));
        Found::in_source(finding, level, &loaded.sources)
    });
    Ok(found.collect())
}

/// Reports whether a type is validated as a whole object: as its package says, or else the kinds, if there are any.
fn is_root(universe: &Universe, root: DefId) -> bool {
    let package = universe.package_of(root);
    let selects = package.tags.iter().any(|line| tag_name(&line.text) == Some("k8s:validation-gen"));
    let same = |def: DefId| universe.def(def).package == universe.def(root).package;
    let has_kinds = || universe.defs().any(|(def, _)| same(def) && is_resource(universe, def));
    selects || is_resource(universe, root) || !has_kinds()
}
