//! The reference generator's linter: visits every type below the roots once.

use std::collections::BTreeSet;

use sprag_idl::model::TagLine;
use sprag_idl::{Finding, Span, Tag, parse_tag, tag_name};
use sprag_program::DefId;
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Registry};

use crate::coverage::Coverage;
use crate::model::mentions;
use crate::rules::requiredness_missing::requiredness_missing;
use crate::rules::stage_inside::stage_inside;
use crate::rules::unstable_tag::unstable_tag;

/// Switches lint off for a package, or for a type and everything below it.
pub const NOLINT_TAG: &str = "k8s:validation-gen-nolint";

/// Lints the given root types and everything below them by the rules of the reference generator.
pub fn lint(universe: &Universe, registry: &Registry, roots: &[DefId]) -> Vec<Finding> {
    let found = reference_findings(universe, registry, roots).into_iter();
    found.map(|(_, _, found)| Finding::error(found.span, format!("{}: {}", found.place, found.message))).collect()
}

/// A finding of the reference generator's linter.
pub(crate) struct ReferenceFinding {
    pub(crate) span: Span,
    pub(crate) message: String,
    /// Its subject, as the reference names it.
    place: String,
    /// The same as a name.
    pub(crate) subject: String,
    /// True if hand-written code mirrors the rules here. The reference does not look at that.
    pub(crate) is_mirrored: bool,
}

/// The findings of the reference generator's linter, with the name of the rule and the type.
pub(crate) fn reference_findings(
    universe: &Universe,
    registry: &Registry,
    roots: &[DefId],
) -> Vec<(&'static str, DefId, ReferenceFinding)> {
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
    findings: Vec<(&'static str, DefId, ReferenceFinding)>,
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
        let type_is_mirrored = is_mirrored(&own);
        for (rule, span, message) in self.tag_findings(&own, version) {
            let place = format!("type {name}");
            let found = ReferenceFinding { span, message, place, subject: name.clone(), is_mirrored: type_is_mirrored };
            self.findings.push((rule, def, found));
        }
        for field in universe.fields(def) {
            let tags = parse(dialect, &field.field.tags);
            let mut messages = self.tag_findings(&tags, version);
            let missing = requiredness_missing(universe, self.registry, &mut self.coverage, field.ty, &tags);
            messages.extend(missing.map(|message| {
                let span = tags.first().map_or(field.field.span, |tag| tag.span);
                ("requiredness-missing", span, message)
            }));
            for (rule, span, message) in messages {
                let place = format!("type {name}: field {}", field.field.name);
                let subject = format!("{name}.{}", field.field.path_name());
                let is_mirrored = type_is_mirrored || is_mirrored(&tags);
                self.findings.push((rule, def, ReferenceFinding { span, message, place, subject, is_mirrored }));
            }
        }
    }

    fn tag_findings(&self, tags: &[Tag], version: &str) -> Vec<(&'static str, Span, String)> {
        let inside = stage_inside(tags).map(|(span, message)| ("stage-inside", span, message));
        let unstable =
            unstable_tag(self.registry, tags, version).map(|(span, message)| ("unstable-tag", span, message));
        inside.into_iter().chain(unstable).collect()
    }
}

fn is_mirrored(tags: &[Tag]) -> bool {
    tags.iter().any(|tag| mentions(tag, "k8s:customValidation"))
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
