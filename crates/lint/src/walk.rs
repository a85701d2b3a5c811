//! Visits every type below the roots once.

use std::collections::BTreeSet;

use sprag_idl::model::TagLine;
use sprag_idl::{Finding, Span, Tag, parse_tag, tag_name};
use sprag_plan::DefId;
use sprag_rules::types::Universe;
use sprag_rules::{Dialect, Registry};

use crate::coverage::Coverage;
use crate::rules::{alpha_beta_inside, missing_requiredness, unstable_tag};

/// Switches lint off for a package, or for a type and everything below it.
pub const NOLINT_TAG: &str = "k8s:validation-gen-nolint";

/// Lints the given root types and everything below them.
pub fn lint(universe: &Universe, registry: &Registry, roots: &[DefId]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for dialect in [Dialect::Kubernetes, Dialect::Kep] {
        let registry = &registry.known_to(dialect);
        let mut linter = Linter { universe, registry, coverage: Coverage::default(), findings: Vec::new() };
        let mut seen = BTreeSet::new();
        for root in roots.iter().filter(|root| dialect_of(universe, **root) == dialect) {
            if !has_tag(&universe.package_of(*root).tags, NOLINT_TAG) {
                linter.lint_below(*root, &mut seen);
            }
        }
        findings.append(&mut linter.findings);
    }
    findings
}

/// The dialect of a type's package.
pub(crate) fn dialect_of(universe: &Universe, def: DefId) -> Dialect {
    Dialect::of(universe.package_of(def)).unwrap_or(Dialect::Kubernetes)
}

struct Linter<'a> {
    universe: &'a Universe,
    registry: &'a Registry,
    coverage: Coverage,
    findings: Vec<Finding>,
}

impl Linter<'_> {
    fn lint_below(&mut self, root: DefId, seen: &mut BTreeSet<DefId>) {
        let mut stack = vec![root];
        while let Some(def) = stack.pop() {
            if !seen.insert(def) || has_tag(&self.universe.def(def).tags, NOLINT_TAG) {
                continue;
            }
            self.lint_def(def);
            stack.extend(self.universe.defs_in(def).into_iter().rev());
        }
    }

    fn lint_def(&mut self, def: DefId) {
        let universe = self.universe;
        let dialect = dialect_of(universe, def);
        let name = universe.def_name(def);
        let own = parse(dialect, &universe.def(def).tags);
        let version = universe.package_of(def).path.rsplit('/').next().unwrap_or_default();
        for message in self.tag_findings(&own, version) {
            self.report(universe.def(def).span, format!("type {name}: {message}"));
        }
        for field in universe.fields(def) {
            let tags = parse(dialect, &field.field.tags);
            let mut messages = self.tag_findings(&tags, version);
            messages.extend(missing_requiredness(universe, self.registry, &mut self.coverage, field.ty, &tags));
            for message in messages {
                let span = tags.first().map_or(field.field.span, |tag| tag.span);
                self.report(span, format!("type {name}: field {}: {message}", field.field.name));
            }
        }
    }

    fn tag_findings(&self, tags: &[Tag], version: &str) -> Vec<String> {
        alpha_beta_inside(tags).into_iter().chain(unstable_tag(self.registry, tags, version)).collect()
    }

    fn report(&mut self, span: Span, message: String) {
        self.findings.push(Finding::error(span, message));
    }
}

/// The readable tags of a comment, sorted by name.
pub(crate) fn parse(dialect: Dialect, lines: &[TagLine]) -> Vec<Tag> {
    let mut tags: Vec<Tag> =
        lines.iter().filter_map(|line| parse_tag(&line.text, line.span, dialect.syntax()).ok()).collect();
    tags.sort_by(|a, b| a.name.cmp(&b.name));
    tags
}

fn has_tag(lines: &[TagLine], name: &str) -> bool {
    lines.iter().any(|line| tag_name(&line.text) == Some(name))
}
