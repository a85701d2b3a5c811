//! The files of a folder that are judged alike: by the same settings and definitions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::{Code, Diagnostic, DiagnosticSeverity};
use sprag_analysis::files::git::Revision;
use sprag_analysis::{Advice, Source, advise, is_allowed, workers};
use sprag_analysis::{
    Analysis, Batch, Batched, Batches, BuiltIn, Catalog, Definition, Finding, Identity, Snapshot, Standing, Texts,
};
use sprag_lint::{Level, LintRule, Profile};
use sprag_schema::crd::KIND;
use sprag_value::Value;

use crate::diagnostics::{link, of_finding};
use crate::host::{Host, Problem, Settings};
use crate::text::Text;
use crate::worker::Found;
use crate::workspace::{Stamp, Workspace};

/// The names of files that settings come from, in a folder.
const SETTINGS: [&str; 2] = [".sprag.yaml", ".sprag-crds/lock.yaml"];

/// The folder whose settings hold for the files of a folder: the nearest one with a settings file, or the top of the repository.
pub(crate) fn home(folder: &Path) -> PathBuf {
    let is_home = |folder: &&Path| Stamp::of(&folder.join(SETTINGS[0])).is_some() || folder.join(".git").exists();
    folder.ancestors().find(is_home).unwrap_or(folder).to_owned()
}

/// Settings with what they were read from.
pub(crate) struct Configured {
    pub(crate) settings: Arc<Settings>,
    /// The reason why settings could not be read, which then count as not there.
    pub(crate) problem: Option<Problem>,
    /// The definitions that settings name.
    given: Catalog,
    read_from: Vec<(PathBuf, Option<Stamp>)>,
}

impl Configured {
    /// Reads the settings for the files of a folder.
    pub(crate) fn read(host: &dyn Host, folder: &Path) -> Configured {
        let read_from = folder
            .ancestors()
            .flat_map(|folder| SETTINGS.map(|name| folder.join(name)))
            .map(|path| (path.clone(), Stamp::of(&path)))
            .collect();
        let (settings, problem) = match host.settings(folder) {
            Ok(settings) => (settings, None),
            Err(problem) => (Settings::default(), Some(problem)),
        };
        let given = Catalog::among(&settings.definitions, &settings.built_in, workers::all_cores());
        Configured { settings: Arc::new(settings), problem, given, read_from }
    }

    /// True as long as the files are as they were.
    pub(crate) fn is_current(&self) -> bool {
        self.read_from.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
    }
}

/// All that a verdict on a text depends on.
pub(crate) struct Scope {
    pub(crate) analysis: Analysis,
    pub(crate) settings: Arc<Settings>,
}

/// A text with the way it would have been read.
pub(crate) struct Judged<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    pub(crate) standing: Standing,
}

impl Scope {
    /// Sets up an analysis; an error says why policies of the settings are left out.
    pub(crate) fn new(
        host: &dyn Host,
        configured: &Configured,
        workspace: Option<&Workspace>,
        among: &[Arc<Definition>],
    ) -> (Scope, Option<String>) {
        let settings = configured.settings.clone();
        let snapshot = |with_policies: bool| {
            let policies = if with_policies { settings.policies.clone() } else { Vec::new() };
            // Policies look for namespaces and parameters among the manifests.
            let manifests = workspace.filter(|_| !policies.is_empty()).map(Workspace::manifests).unwrap_or_default();
            Snapshot {
                built_in: settings.built_in.clone(),
                types: settings.types.clone(),
                manifests: Arc::new(manifests),
                policies: Arc::new(policies),
                policy_engine: host.policy_engine(),
                choices: settings.choices.clone(),
                ..Snapshot::default()
            }
        };
        // A definition is compiled by one release and one set of gates only.
        let is_same = workspace.is_none_or(|workspace| Arc::ptr_eq(workspace.built_in(), &settings.built_in));
        let of_scope = |definition: &Arc<Definition>| {
            if is_same { definition.clone() } else { Arc::new(definition.renewed()) }
        };
        let among = || Catalog::of(among.iter().map(of_scope));
        match Analysis::with_catalogs(snapshot(true), configured.given.clone(), among()) {
            Ok(analysis) => (Scope { analysis, settings }, None),
            Err(error) => match Analysis::with_catalogs(snapshot(false), configured.given.clone(), among()) {
                Ok(analysis) => (Scope { analysis, settings }, Some(error.to_string())),
                Err(_) => unreachable!("without policies, nothing of a snapshot is refused"),
            },
        }
    }

    /// The revision that objects are updates of.
    pub(crate) fn base(&self) -> Option<&Revision> {
        self.settings.base.as_ref()
    }

    /// Judges a text, unless it is given up.
    pub(crate) fn judge(
        &self,
        judged: &Judged<'_>,
        old: &dyn Fn(&Identity) -> Option<Value>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Vec<Finding>> {
        if let Standing::Passed(_) = judged.standing {
            return Some(Vec::new());
        }
        let mut findings = Vec::new();
        for batch in batches(judged) {
            let report = self.analysis.batch_over(batch, &Batched { old, is_stopped });
            if is_stopped() {
                return None;
            }
            findings.extend(report.resources.into_iter().flat_map(|resource| resource.findings));
        }
        Some(findings)
    }
}

impl Scope {
    /// Advice on the definitions of a text, by the rules of `sprag lint`.
    pub(crate) fn advice(&self, judged: &Judged<'_>, text: &Text) -> Vec<Found> {
        if matches!(judged.standing, Standing::Passed(_)) || !judged.text.contains(KIND) {
            return Vec::new();
        }
        let chosen = &self.settings.lint;
        let profile = chosen.settings.profile.unwrap_or(Profile::Crd);
        let is_on = |rule: &LintRule| chosen.level(rule, profile) != Level::Off;
        let lines: Vec<&str> = judged.text.lines().collect();
        let mut all = Vec::new();
        for batch in batches(judged) {
            for Advice { rule, finding, .. } in advise(&batch, &is_on, self.analysis.built_in()) {
                let Some(rule) = rule else { continue };
                let line = finding.place.as_ref().map(|place| place.line.saturating_sub(1));
                if line.is_some_and(|line| is_allowed(&lines, line, rule.name)) {
                    continue;
                }
                let (bytes, diagnostic) = of_finding(&finding, text);
                let is_error = chosen.level(rule, profile) == Level::Error;
                let severity = if is_error { DiagnosticSeverity::Error } else { DiagnosticSeverity::Warning };
                let diagnostic = Diagnostic {
                    severity: Some(severity),
                    code: Some(Code::String(rule.name.to_owned())),
                    code_description: link("docs/lint.md", rule.name),
                    source: Some("sprag lint".to_owned()),
                    ..diagnostic
                };
                all.push(Found { bytes, finding: None, diagnostic, edits: Vec::new() });
            }
        }
        all
    }
}

/// The batches of a text.
pub(crate) fn batches(judged: &Judged<'_>) -> impl Iterator<Item = Batch> {
    let texts = Texts::new([(judged.name, judged.text)]);
    let standing = judged.standing;
    Batches::of(&texts as &dyn Source).map(move |batch| Batch { standing, ..batch })
}

/// The definitions of a text that is not saved.
pub(crate) fn definitions_of(name: &str, text: &str, built_in: &BuiltIn) -> Vec<Arc<Definition>> {
    Catalog::definitions_among(&Texts::new([(name, text)]), built_in, 1)
}
