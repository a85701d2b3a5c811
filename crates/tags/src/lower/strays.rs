//! Tags that would have no effect: of an unknown name, on an alias, or in a comment that belongs to nothing.

use std::collections::BTreeSet;

use sprag_idl::model::{Language, TagLine};
use sprag_idl::{Finding, Span, Tag, parse_tag, tag_name};

use crate::dialect::{DIALECT_TAG, Dialect};
use crate::lower::{Lowerer, Mistakes, Refusal};
use crate::markers::{MARKERS, is_marker};
use crate::registry::Registry;
use crate::resource::FIELD_TAGS;
use crate::tags::is_range;
use crate::types::{Def, DefKind, PackageInfo, Universe};

/// Tags of other generators of Kubernetes, which stand in Go sources; what follows a second colon is theirs.
const OTHER_GENERATORS: &[&str] = &[
    "k8s:conversion-fn",
    "k8s:conversion-gen",
    "k8s:conversion-gen-external-types",
    "k8s:declarativeValidationNative",
    "k8s:deepcopy-gen",
    "k8s:defaulter-gen",
    "k8s:defaulter-gen-input",
    "k8s:deprecated",
    "k8s:openapi-gen",
    "k8s:openapi-model-package",
    "k8s:prerelease-lifecycle-gen",
    "k8s:protobuf-deprecated",
    "k8s:protobuf-gen",
    "k8s:register-gen",
    "k8s:set-gen",
    "k8s:validation",
    "k8s:validation-gen-test-fixture",
    "k8s:validation-gen-test-targets",
    "k8s:verify-mutation",
];

/// Similarity from which on a known name is suggested, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.75;

impl Lowerer<'_> {
    /// Reports the tags of included packages that have no effect.
    pub(crate) fn check_strays(&mut self) {
        if self.options.mistakes == Mistakes::Ignore {
            return;
        }
        let universe = self.universe;
        for (at, package) in universe.packages().iter().enumerate().filter(|(_, package)| package.included) {
            self.dialect = self.dialect_of(at);
            self.language = package.language;
            let declared = lines(universe, at, package);
            for line in &declared {
                self.check_names(line);
            }
            // A comment in doc.go that belongs to a type is one of the package, too.
            let is_declared = |line: &TagLine| declared.iter().any(|known| known.span == line.span);
            for line in package.tags.iter().filter(|line| !is_declared(line)) {
                self.check_package(line);
            }
            for (_, def) in universe.defs().filter(|(_, def)| def.package == at && def.alias) {
                self.check_alias(def);
            }
            for line in &package.unread_tags {
                self.check_unread(line);
            }
        }
    }

    /// Reports a name that nothing knows, of the tag itself or of one inside it.
    fn check_names(&mut self, line: &TagLine) {
        let text = line.text.trim_start();
        let Some(name) = tag_name(text).filter(|name| self.is_ours(name)) else { return };
        if text.len() < line.text.len() {
            let finding = Finding::error(line.span, format!("tag {name:?} is not read: there is a blank after the +"));
            self.findings.push(Finding { help: Some(format!("write +{text}")), ..finding });
            return;
        }
        if self.rule_name(name).is_none() {
            if !self.is_elsewhere(name) {
                let refusal = self.unknown_tag(name, line.span);
                self.refuse(refusal, line.span);
            }
            return;
        }
        // A place that was lowered has been reported already; one that no root reaches has not.
        let is_known = |finding: &Finding| within(finding.span, line.span);
        if self.findings.iter().any(is_known) {
            return;
        }
        let Ok(tag) = parse_tag(&line.text, line.span, self.dialect.syntax()) else { return };
        let is_unknown = |tag: &&Tag| self.rule_name(&tag.name).is_none() && !(is_range(name) && is_marker(&tag.name));
        let unknown = std::iter::successors(tag.inner(), |tag| tag.inner()).find(is_unknown);
        if let Some(unknown) = unknown {
            let refusal = self.unknown_tag(&unknown.name, unknown.span).inside(name, line.span);
            self.refuse(refusal, line.span);
        }
    }

    /// Reports a rule on a package, which is no value.
    fn check_package(&mut self, line: &TagLine) {
        match tag_name(&line.text).and_then(|name| self.rule_name(name)) {
            Some(name) => {
                let message = format!("tag {name:?} has no effect on a package");
                let help = Some("put it on a type, a field or a constant".to_owned());
                self.findings.push(Finding { help, ..Finding::error(line.span, message) });
            }
            None => self.check_names(line),
        }
    }

    /// Reports rules on an alias, which is no type of its own: the rules would be those of its target everywhere.
    fn check_alias(&mut self, alias: &Def) {
        for line in alias.tags.iter().chain(&alias.detached_tags) {
            let Some(name) = tag_name(&line.text).and_then(|name| self.rule_name(name)) else { continue };
            if alias.chain.iter().any(|target| self.universe.def(*target).tags.contains(line)) {
                continue;
            }
            let message = format!("tag {name:?} has no effect on {}, which is an alias", alias.name);
            let help = match self.language {
                Language::Go => {
                    format!("declare a type of its own (`type {} …` without `=`), or tag the fields", alias.name)
                }
                Language::Rust => format!("declare a type of its own (`struct {}(…);`), or tag the fields", alias.name),
            };
            self.findings.push(Finding { help: Some(help), ..Finding::error(line.span, message) });
        }
    }

    /// Reports a rule in a comment that no declaration reads.
    fn check_unread(&mut self, line: &TagLine) {
        let Some(name) = tag_name(line.text.trim_start()).filter(|name| self.is_ours(name)) else { return };
        if self.rule_name(name).is_none() && name != DIALECT_TAG {
            return self.check_names(line);
        }
        let finding = Finding::error(line.span, format!("tag {name:?} is in a comment that is not read"));
        let help = match self.language {
            Language::Go if name == DIALECT_TAG => "put it into doc.go",
            Language::Rust if name == DIALECT_TAG => "put it into the inner doc comment (`//!`) of the module",
            Language::Go => "put it directly above a type, a field or a constant",
            Language::Rust => "put it into the doc comment (`///`) of a type, a field or a variant",
        };
        self.findings.push(Finding { help: Some(help.to_owned()), ..finding });
    }

    /// Reports whether a name is in a namespace of this registry, or looks as if it should be.
    fn is_ours(&self, name: &str) -> bool {
        let namespace = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        let of_kubernetes = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("k8s"))
            && !name[3..].starts_with(|next: char| next.is_ascii_alphanumeric());
        let own =
            name.contains(':') && self.registry.rules().iter().any(|rule| namespace(&rule.name) == namespace(name));
        of_kubernetes || own || namespace(name) == namespace(DIALECT_TAG)
    }

    /// True if another reader knows the name.
    fn is_elsewhere(&self, name: &str) -> bool {
        let base = name.match_indices(':').nth(1).map_or(name, |(at, _)| &name[..at]);
        // Facts about a resource are read in both dialects.
        is_marker(name)
            || FIELD_TAGS.contains(&name)
            || (self.language == Language::Go && OTHER_GENERATORS.contains(&base))
    }

    /// The refusal of a name that the dialect at hand does not know, with the one that may be meant.
    pub(crate) fn unknown_tag(&self, name: &str, span: Span) -> Refusal {
        let refusal = Refusal::at(span, format!("unknown tag {name:?}"));
        if self.options.mistakes == Mistakes::Ignore {
            return refusal;
        }
        if let Some(rule) = self.registry.resolve(name, Dialect::Kep) {
            let kubernetes = self.registry.resolve(&rule.name, Dialect::Kubernetes);
            return refusal.with_help(match kubernetes {
                Some(rule) => format!("the kubernetes dialect calls it +{}", rule.name),
                None => "only the kep dialect knows it: choose that with the package tag +sprag:dialect=kep or with \
                         --dialect kep"
                    .to_owned(),
            });
        }
        let help = match nearest(name, &known_names(self.registry, self.dialect)) {
            Some(known) => format!("did you mean +{known}?"),
            None => "`sprag docs tags` lists all tags".to_owned(),
        };
        refusal.with_help(help)
    }
}

/// All tag lines of a package that declarations read, each once.
fn lines<'u>(universe: &'u Universe, at: usize, package: &'u PackageInfo) -> Vec<&'u TagLine> {
    let mut lines: Vec<&TagLine> = Vec::new();
    for (_, def) in universe.defs().filter(|(_, def)| def.package == at) {
        lines.extend(def.detached_tags.iter().chain(&def.tags));
        match &def.kind {
            // A flattened typedef repeats the fields of its target, tags included.
            DefKind::Struct(fields) if def.chain.is_empty() => {
                lines.extend(fields.iter().flat_map(|field| &field.field.tags));
            }
            DefKind::Enum(set) => lines.extend(set.variants.iter().flat_map(|variant| &variant.tags)),
            _ => {}
        }
    }
    lines.extend(package.consts.iter().flat_map(|item| &item.item.tags));
    let mut seen = BTreeSet::new();
    lines.retain(|line| !line.span.is_some() || seen.insert((line.span.file, line.span.start)));
    lines
}

fn within(inner: Span, outer: Span) -> bool {
    outer.is_some() && inner.file == outer.file && (outer.start..=outer.end).contains(&inner.start)
}

fn known_names(registry: &Registry, dialect: Dialect) -> Vec<String> {
    let known = registry.known_to(dialect);
    let aliases = known.rules().iter().flat_map(|rule| rule.kep_aliases).filter(|_| dialect == Dialect::Kep);
    let names = known.rules().iter().map(|rule| rule.name.clone().into_owned());
    let aliases = aliases.copied().chain(MARKERS.iter().map(|marker| marker.name).filter(|name| name.contains("k8s:")));
    names.chain(aliases.map(str::to_owned)).collect()
}

/// The known name that is nearest to an unknown one, if one is near enough.
fn nearest<'n>(name: &str, known: &'n [String]) -> Option<&'n str> {
    let last = |name: &str| name.rsplit([':', '-', '.']).next().unwrap_or_default().to_lowercase();
    let whole = name.to_lowercase();
    let wanted = last(name);
    let similarity = |known: &String| {
        let of_last = strsim::jaro_winkler(&wanted, &last(known));
        // Names of several words share their last one with others.
        if known.contains('-') { strsim::jaro_winkler(&whole, &known.to_lowercase()) - 0.1 } else { of_last }
    };
    let rated = known.iter().map(|known| (similarity(known), known.as_str()));
    let best = rated.fold(None, |best: Option<(f64, &str)>, rated| match best {
        Some(best) if best.0 >= rated.0 => Some(best),
        _ => Some(rated),
    });
    best.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY).map(|(_, known)| known)
}
