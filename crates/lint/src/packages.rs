//! Findings on packages that were read: their tags are lowered, then the rules run.

use std::collections::{BTreeMap, BTreeSet};

use sprag_idl::model::Package;
use sprag_idl::{Severity, Sources, tag_name};
use sprag_program::DefId;
use sprag_tags::types::Universe;
use sprag_tags::{Foreign, Hooks, LowerOptions, Mistakes, Registry, Untagged, is_resource, lower};

use crate::{Finding, Input, Level, LintRule, Model, Profile, Settings, lint_types};

/// Packages that were read, with what reading them found.
pub struct Packages<'a> {
    /// The files.
    pub sources: &'a Sources,
    /// The packages, those that others import included.
    pub packages: Vec<Package>,
    /// The import paths of the packages that were asked for.
    pub given: &'a BTreeSet<String>,
    /// Findings of reading.
    pub findings: Vec<sprag_idl::Finding>,
}

/// The rules that run, and their levels.
pub struct Chosen {
    /// Settings of rules.
    pub settings: Settings,
    /// The tags that there are.
    pub registry: Registry,
    /// Levels other than the usual ones, by the codes of rules.
    pub levels: BTreeMap<&'static str, Level>,
}

impl Default for Chosen {
    fn default() -> Chosen {
        Chosen { settings: Settings::default(), registry: Registry::standard(), levels: BTreeMap::new() }
    }
}

impl Chosen {
    /// The level of a rule in a profile.
    pub fn level(&self, rule: &LintRule, profile: Profile) -> Level {
        self.levels.get(rule.code).copied().unwrap_or_else(|| rule.level(profile))
    }
}

/// Lowers the tags of packages and runs the rules. Each finding comes with its level.
pub fn lint_packages(read: Packages<'_>, chosen: &Chosen) -> Vec<(Finding, Level)> {
    let Packages { sources, packages, given, findings } = read;
    let is_given = |path: &str| given.contains(path);
    let universe = Universe::new(packages, |_| true);
    let options = LowerOptions {
        dialect: None,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let lowering = lower(&universe, &chosen.registry, options);
    let reported: Vec<_> = findings.into_iter().chain(lowering.findings).collect();
    let reported: Vec<_> = reported.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let roots: Vec<DefId> = lowering.root_types.into_iter().filter(|root| is_root(&universe, *root)).collect();
    let input = Input { universe: &universe, registry: &chosen.registry, roots: &roots, sources, reported: &reported };
    let model = Model::new(input, &is_given, &chosen.settings);
    let is_on = |rule: &LintRule, profile: Profile| chosen.level(rule, profile) != Level::Off;
    let profile = |path: &str| {
        let package = universe.packages().iter().find(|package| package.path == path);
        package.map_or(Profile::Kubernetes, |package| model.profile(package))
    };
    let with_level = |finding: Finding| {
        let level = chosen.level(finding.rule, profile(&finding.package));
        (finding, level)
    };
    lint_types(&model, &is_on).into_iter().map(with_level).collect()
}

/// Reports whether a type is validated as a whole object: as its package says, or else the kinds, if there are any.
fn is_root(universe: &Universe, root: DefId) -> bool {
    let package = universe.package_of(root);
    let selects = package.tags.iter().any(|line| tag_name(&line.text) == Some("k8s:validation-gen"));
    let same = |def: DefId| universe.def(def).package == universe.def(root).package;
    let has_kinds = || universe.defs().any(|(def, _)| same(def) && is_resource(universe, def));
    selects || is_resource(universe, root) || !has_kinds()
}
