//! Effects of an upgrade of Kubernetes on objects: the verdicts of the releases on the way, compared.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use sprag_removals::removal;
use sprag_rest::{Release, Releases};
use sprag_value::{Value, json};

use crate::analysis::{Analysis, Asked};
use crate::definition;
use crate::document::Object;
use crate::finding::{Finding, Origin, Severity};
use crate::known::Known;
use crate::merge::merge;
use crate::report::{Identity, Resource, Status};
use crate::standing::Standing;

/// The effect of an upgrade on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The API version is not served any more.
    Removed,
    /// The object is rejected, also where it is stored already and sent unchanged.
    Rejected,
    /// The object is rejected as a new one. A stored one is accepted as long as the field does not change.
    Ratcheted,
    /// The object is accepted with a warning that is new.
    Warns,
    /// The stored object differs: defaults, and fields that are dropped or kept.
    Changes,
    /// The API version is served, and a later release removes it.
    Leaving,
    /// The object was rejected and is accepted.
    Accepted,
    /// The object was rejected before the upgrade, too.
    Already,
}

impl Effect {
    /// All effects, the worst first.
    pub const ALL: [Effect; 8] = [
        Effect::Removed,
        Effect::Rejected,
        Effect::Ratcheted,
        Effect::Warns,
        Effect::Changes,
        Effect::Leaving,
        Effect::Accepted,
        Effect::Already,
    ];

    /// The name in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Removed => "removed",
            Effect::Rejected => "rejected",
            Effect::Ratcheted => "ratcheted",
            Effect::Warns => "warns",
            Effect::Changes => "changes",
            Effect::Leaving => "leaving",
            Effect::Accepted => "accepted",
            Effect::Already => "already",
        }
    }

    const fn severity(self) -> Severity {
        match self {
            Effect::Removed | Effect::Rejected => Severity::Error,
            Effect::Ratcheted => Severity::Ratcheted,
            Effect::Warns => Severity::Warning,
            Effect::Changes | Effect::Leaving | Effect::Accepted | Effect::Already => Severity::Note,
        }
    }
}

/// Maximum number of differences of a stored object that are listed.
const MAX_CHANGES: usize = 50;

/// Maximum length of a value in a difference.
const MAX_VALUE: usize = 100;

/// Members of metadata that a server sets, which no new object brings.
const SET_BY_SERVER: [&str; 6] =
    ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "selfLink"];

impl Analysis {
    /// Compares the verdicts of the releases on the way. The old object is not asked for: the object is the stored one.
    pub(crate) fn compare(
        &self,
        resource: &mut Resource,
        object: &Object<'_, '_>,
        _: Option<&Value>,
        standing: Standing,
    ) {
        let (Some(to), Some(from)) = (self.releases.first(), self.releases.last()) else { return };
        let new = object.as_new();
        let verdicts: Vec<(Release, Resource)> = self
            .releases
            .iter()
            .map(|asked| {
                let mut verdict = Resource { identity: resource.identity.clone(), ..Resource::default() };
                self.judge_by(asked, &mut verdict, &new, None, standing);
                (asked.built_in.release(), verdict)
            })
            .collect();
        let asked: Releases = verdicts.iter().map(|(release, _)| *release).collect();
        let mut merged = merge(verdicts);
        let updates = Default::default();
        let way = Way { analysis: self, from, to, object, new: &new, identity: &resource.identity, updates };
        let is_passed = merged.status == Status::Skipped;
        merged.findings = way.effects(std::mem::take(&mut merged.findings), asked);
        if !is_passed {
            merged.findings.extend(way.changes());
            merged.findings.extend(way.leaving());
            let is_broken = merged.findings.iter().any(|finding| finding.severity == Severity::Error);
            merged.status = if is_broken { Status::Invalid } else { Status::Valid };
        }
        *resource = merged;
    }

    /// The resource of a kind that a release has.
    fn known_in<'a>(&'a self, asked: &'a Asked, identity: &'a Identity) -> Option<Known<'a>> {
        let built_in = &*asked.built_in;
        if definition::is_definition(identity) {
            definition::known(identity, built_in)
        } else if let Some(found) = self.definition_of(identity, built_in) {
            found.known(identity, built_in).ok()
        } else {
            built_in.known(identity)
        }
    }
}

impl Object<'_, '_> {
    /// The object as one that is not stored yet.
    fn as_new(&self) -> Self {
        let mut new = self.copy();
        if let Some(metadata) = new.value.get_mut("metadata") {
            for member in SET_BY_SERVER {
                metadata.remove(member);
            }
        }
        new
    }
}

/// An object on its way from one release to another.
struct Way<'w, 'd, 't> {
    analysis: &'w Analysis,
    from: &'w Asked,
    to: &'w Asked,
    object: &'w Object<'d, 't>,
    new: &'w Object<'d, 't>,
    identity: &'w Identity,
    /// The fields of errors about the stored object sent as it is, by release; none where the kind is not served.
    updates: [OnceCell<Option<BTreeSet<String>>>; Release::ALL.len()],
}

impl Way<'_, '_, '_> {
    /// The findings that are effects of the upgrade. They are named by the releases after the first.
    fn effects(&self, findings: Vec<Finding>, asked: Releases) -> Vec<Finding> {
        let from = self.from.built_in.release();
        let to = self.to.built_in.release();
        let before = Fields::in_release(&findings, from);
        let after = Fields::in_release(&findings, to);
        // Of a create; an update of the stored object is asked for only where that is rejected.
        let mut effects = Vec::new();
        for finding in findings {
            let is_new = !finding.releases.contains(from);
            let is_gone = !finding.releases.contains(to);
            let effect = match finding.severity {
                Severity::Error if finding.origin == Origin::Lookup && self.is_removed() => {
                    if is_gone {
                        continue;
                    }
                    Effect::Removed
                }
                Severity::Error if is_new && before.cover(&finding) => continue,
                Severity::Error if is_new && finding.origin == Origin::Lookup => Effect::Removed,
                Severity::Error if is_new && self.is_ratcheted(&finding, asked) => Effect::Ratcheted,
                Severity::Error if is_new => Effect::Rejected,
                Severity::Error if is_gone && !after.cover(&finding) => Effect::Accepted,
                Severity::Error => Effect::Already,
                Severity::Warning if is_new => Effect::Warns,
                _ => continue,
            };
            effects.push(as_effect(finding, effect));
        }
        effects
    }

    /// True if a release on the way stops to serve the version, which may have been switched on before.
    fn is_removed(&self) -> bool {
        let minor = |asked: &Asked| asked.built_in.release().version().minor;
        let gone = removal(self.identity.group(), self.identity.version(), &self.identity.kind);
        gone.is_some_and(|gone| minor(self.from) < gone.removed && gone.removed <= minor(self.to))
    }

    /// True if the releases that reject a new object accept the stored one, sent as it is.
    fn is_ratcheted(&self, finding: &Finding, asked: Releases) -> bool {
        let has = |release: &&Asked| finding.releases.and(asked).contains(release.built_in.release());
        let field = field(finding);
        let accepts = |release: &Asked| self.update(release).is_some_and(|fields| !fields.contains(&field));
        self.analysis.releases.iter().filter(has).all(accepts)
    }

    /// The fields of errors about the stored object sent as it is.
    fn update(&self, release: &Asked) -> Option<&BTreeSet<String>> {
        let judge = || {
            let known = self.analysis.known_in(release, self.identity)?;
            let (findings, _) = known.judge(self.object, Some(&self.object.value), &self.analysis.choices);
            Some(findings.iter().filter(|finding| is_error(finding)).map(field).collect())
        };
        self.updates[release.built_in.release() as usize].get_or_init(judge).as_ref()
    }

    /// The differences of the stored object.
    fn changes(&self) -> Vec<Finding> {
        let stored = |asked: &Asked| {
            let known = self.analysis.known_in(asked, self.identity)?;
            let (_, object) = known.judge(self.new, None, &self.analysis.choices);
            known.requested(object?)
        };
        let Some((before, after)) = stored(self.from).zip(stored(self.to)) else { return Vec::new() };
        let mut differences = Differences { hides_values: self.identity.kind == "Secret", found: Vec::new() };
        differences.between(&mut String::new(), &before, &after);
        let releases = Releases::only(self.to.built_in.release());
        let of = |(path, text): (String, String)| {
            let finding = Finding::new(Severity::Note, self.origin(), format!("{path}: {text}"));
            let finding = Finding { releases, ..finding }.at(self.object.place(&path));
            as_effect(finding, Effect::Changes)
        };
        differences.found.into_iter().map(of).collect()
    }

    fn origin(&self) -> Origin {
        self.analysis.known_in(self.to, self.identity).map_or(Origin::Types, |known| known.origin)
    }

    /// The note on a version that a release after the upgrade removes.
    fn leaving(&self) -> Option<Finding> {
        self.analysis.known_in(self.to, self.identity)?;
        let Identity { api_version, kind, .. } = self.identity;
        let gone = removal(self.identity.group(), self.identity.version(), kind)?;
        let replacement = gone.replacement.map(|replacement| format!("; use {replacement}")).unwrap_or_default();
        let text = format!("{kind} ({api_version}) is not served from 1.{} on{replacement}", gone.removed);
        let finding = Finding::new(Severity::Note, Origin::Lookup, text).at(self.object.place("apiVersion"));
        Some(as_effect(finding, Effect::Leaving))
    }
}

fn as_effect(finding: Finding, effect: Effect) -> Finding {
    Finding { severity: effect.severity(), effect: Some(effect), ..finding }
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

/// The field of an error, or what else says that two errors are about the same thing.
fn field(finding: &Finding) -> String {
    match &finding.cause {
        Some(cause) => cause.field.clone(),
        None => format!("{} {}", finding.origin.name(), finding.place.as_ref().map_or(0, |place| place.line)),
    }
}

/// A field without indexes.
fn without_indexes(field: &str) -> String {
    let mut depth = 0_i32;
    let is_outside = |letter: &char| {
        let before = depth;
        depth += i32::from(*letter == '[') - i32::from(*letter == ']');
        before <= 0 && depth <= 0
    };
    field.chars().filter(is_outside).collect()
}

/// The fields that a release has errors about.
#[derive(Default)]
struct Fields {
    exact: BTreeSet<String>,
    without_indexes: BTreeSet<String>,
}

impl Fields {
    fn in_release(findings: &[Finding], release: Release) -> Fields {
        let mut fields = Fields::default();
        for finding in findings.iter().filter(|finding| is_error(finding) && finding.releases.contains(release)) {
            let field = field(finding);
            fields.without_indexes.insert(without_indexes(&field));
            fields.exact.insert(field);
        }
        fields
    }

    /// True if there is an error about a field. Some releases leave indexes out where others have them.
    fn cover(&self, finding: &Finding) -> bool {
        let field = field(finding);
        let plain = without_indexes(&field);
        self.exact.contains(&field)
            || self.exact.contains(&plain)
            || (plain == field && self.without_indexes.contains(&plain))
    }
}

/// The differences between two forms of an object.
struct Differences {
    /// True if values may be secrets.
    hides_values: bool,
    found: Vec<(String, String)>,
}

impl Differences {
    fn between(&mut self, path: &mut String, before: &Value, after: &Value) {
        if before == after || self.found.len() >= MAX_CHANGES {
            return;
        }
        let length = path.len();
        match (before.as_object(), after.as_object(), before.as_array(), after.as_array()) {
            (Some(old), Some(new), ..) => {
                let names: BTreeSet<&str> = old.iter().chain(new.iter()).map(|(name, _)| name.as_str()).collect();
                for name in names {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    self.member(path, before.get(name), after.get(name));
                    path.truncate(length);
                }
            }
            (_, _, Some(old), Some(new)) if old.as_slice().len() == new.as_slice().len() => {
                for (index, (old, new)) in old.as_slice().iter().zip(new.as_slice()).enumerate() {
                    // Writing to a string does not fail.
                    let _ = write!(path, "[{index}]");
                    self.between(path, old, new);
                    path.truncate(length);
                }
            }
            _ => self.add(path, &format!("{} becomes {}", self.shown(before), self.shown(after))),
        }
    }

    fn member(&mut self, path: &mut String, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            (Some(before), Some(after)) => self.between(path, before, after),
            (None, Some(after)) => self.add(path, &format!("is set to {}", self.shown(after))),
            (Some(before), None) => self.add(path, &format!("{} is not kept", self.shown(before))),
            (None, None) => {}
        }
    }

    fn add(&mut self, path: &str, text: &str) {
        if self.found.len() < MAX_CHANGES {
            self.found.push((path.to_owned(), text.to_owned()));
        }
    }

    fn shown(&self, value: &Value) -> String {
        if self.hides_values {
            return "a value".to_owned();
        }
        let text = json::to_string_plain(value);
        match text.char_indices().nth(MAX_VALUE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}
