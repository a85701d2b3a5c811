//! `sprag crd check`.

use std::borrow::Cow;

use anyhow::{Context, bail};
use clap::Args;
use sprag_analysis::files::{Discovery, Found, IgnorePatterns, Place};
use sprag_analysis::workers;
use sprag_analysis::{Batch, Batches, BuiltIn, Catalog, Documents, Identity, Object, Take};
use sprag_rest::{FeatureGates, Release, Releases};

use super::annotate;
use super::changes::{Change, compare, refusals};
use super::objects::{Effects, RATCHETED, effects};
use super::text;
use super::waiver::{Waiver, Waivers};
use super::wire;
use crate::commands::Outcome;
use crate::config::Config;
use crate::output::Terminal;
use crate::report::{Format, Options, renderer};

/// The definitions to compare, and the objects to try.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct CheckArgs {
    /// The definitions as they are: file, folder, git:REV:PATH, or `-` for standard input
    #[arg(value_name = "OLD")]
    old: Place,

    /// The definitions as they will be; without, those of OLD are only tried on releases
    #[arg(value_name = "NEW", required_unless_present = "kubernetes_version")]
    new: Option<Place>,

    /// Releases of Kubernetes that have to accept the definitions: `1.34`, `1.34,1.36` or `1.34..1.37` [default: the newest]
    #[arg(long, value_name = "VERSIONS")]
    kubernetes_version: Option<Releases>,

    /// Stored objects to try: file, folder, git:REV:PATH or `-`; may be repeated
    #[arg(long, value_name = "PATH")]
    objects: Vec<Place>,

    /// A finding that is fine, as it is printed, and why: "PLACE: CLASS=REASON"; may be repeated
    #[arg(long, value_name = "FINDING=REASON")]
    allow: Vec<Waiver>,

    /// Output format: text, json, junit, tap, sarif or github
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Each change breaks something, is allowed, or is safe. Exits with 1 if a change can break clients or lose data, or if an object
would fail or lose fields, unless that is allowed. What is always allowed can be listed in .sprag.yaml, under crdCheck.allow.

Examples:
  sprag crd check git:origin/main:crds/widgets.yaml crds/widgets.yaml
  sprag crd check git:origin/main:crds crds --output github
  sprag crd check crds --kubernetes-version 1.34..1.37
  sprag crd check old.yaml new.yaml --allow 'widgets.example.com v1 spec.size: tightened=no object is that large'
  kubectl get widgets -A -o yaml | sprag crd check old.yaml new.yaml --objects -";

/// Definitions before and after a change.
#[derive(Clone, Copy)]
pub(super) struct Definitions<'a> {
    pub(super) old: &'a Catalog,
    pub(super) new: &'a Catalog,
    pub(super) built_in: &'a BuiltIn,
    /// The releases that have to accept the new ones.
    pub(super) releases: &'a [(Release, BuiltIn)],
}

/// The result of validation.
pub(super) struct Tried {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) identity: Identity,
    /// Or why it could not be tried.
    pub(super) effects: Result<Effects, String>,
    /// The waivers of its effects, line by line.
    pub(super) allowed: Vec<Option<String>>,
}

/// The message for an object that could not be tried.
pub(super) const UNTRIED: &str = "cannot be tried";

/// The weight of a finding: whether it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It can break a client or an object.
    Breaks,
    /// It could, and that is fine for a reason.
    Allowed(String),
    /// It cannot.
    Safe,
}

impl Verdict {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Verdict::Breaks => "breaks",
            Verdict::Allowed(_) => "allowed",
            Verdict::Safe => "safe",
        }
    }

    pub(super) fn reason(&self) -> Option<&str> {
        if let Verdict::Allowed(reason) = self { Some(reason) } else { None }
    }
}

/// Everything that was found.
#[derive(Default)]
pub(super) struct Report {
    /// True if definitions were compared, and not only tried.
    pub(super) compares: bool,
    pub(super) changes: Vec<(Change, Verdict)>,
    /// The number of compared definitions.
    pub(super) definitions: usize,
    /// Objects that something happens to.
    pub(super) objects: Vec<Tried>,
    /// The number of tried objects.
    pub(super) tried: usize,
}

pub(super) fn run(args: &CheckArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let ignored = IgnorePatterns::default();
    let discovery = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false };
    let mut warnings = Vec::new();
    let built_in = BuiltIn::default();
    let mut read =
        |files: &Vec<Found>| Catalog::read(files, Take::Readable, &built_in, workers::all_cores(), &mut warnings);
    // Definitions alone are tried as new ones.
    let old = match args.new {
        Some(_) => read(&discovery.find(std::slice::from_ref(&args.old))?)?,
        None => Catalog::default(),
    };
    let files = discovery.find(std::slice::from_ref(args.new.as_ref().unwrap_or(&args.old)))?;
    let new = read(&files)?;
    for warning in &warnings {
        terminal.warning(warning);
    }
    if old.is_empty() && new.is_empty() {
        let places: Vec<String> = std::iter::once(&args.old).chain(&args.new).map(ToString::to_string).collect();
        bail!("no definitions of custom resources in {}", places.join(" and "));
    }
    if let Some(place) = args.new.as_ref().filter(|_| old.is_empty()) {
        terminal.warning(&format!("no definitions of custom resources in {}: all of {place} count as new", args.old));
    }
    let mut allow = args.allow.clone();
    allow.extend(Config::find(None)?.crd_check.allow);
    let waivers = Waivers::new(allow);
    let objects = discovery.find(&args.objects).context("--objects")?;
    let releases = args.kubernetes_version.unwrap_or(Releases::only(Release::NEWEST));
    let releases: Vec<_> = releases.iter().map(|release| (release, BuiltIn::new(FeatureGates::of(release)))).collect();
    let definitions = Definitions { old: &old, new: &new, built_in: &built_in, releases: &releases };
    let report = Report::new(&definitions, args.new.is_some(), &objects, &waivers)?;
    if report.tried == 0 && !args.objects.is_empty() {
        terminal.warning("no object in the files of --objects is of these definitions");
    }
    for unused in waivers.unused() {
        terminal.warning(&format!("allowed, but not found: {unused}"));
    }
    report.print(args.output, &files, terminal)?;
    Ok(if report.is_safe() { Outcome::Clean } else { Outcome::Findings })
}

impl Report {
    /// Compares the definitions, or only tries the new ones.
    fn new(
        definitions: &Definitions<'_>,
        compares: bool,
        objects: &Vec<Found>,
        waivers: &Waivers,
    ) -> anyhow::Result<Report> {
        let judged = |change: Change| {
            let verdict = match waivers.reason(&change.place, change.class.name()) {
                _ if !change.class.breaks() => Verdict::Safe,
                Some(reason) => Verdict::Allowed(reason),
                None => Verdict::Breaks,
            };
            (change, verdict)
        };
        let changes = if compares { compare(definitions) } else { refusals(definitions) };
        let mut report = Report {
            compares,
            changes: changes.into_iter().map(judged).collect(),
            definitions: definitions.new.all().count(),
            ..Report::default()
        };
        workers::in_order(
            workers::all_cores(),
            Batches::of(objects),
            |batch| try_batch(definitions, &batch),
            |tried: Vec<Tried>| {
                report.tried += tried.len();
                let touched = tried.into_iter().filter(Tried::is_touched);
                report.objects.extend(touched.map(|tried| tried.waived(waivers)));
                Ok::<(), anyhow::Error>(())
            },
        )?;
        Ok(report)
    }

    fn is_safe(&self) -> bool {
        let breaks = self.changes.iter().any(|(_, verdict)| *verdict == Verdict::Breaks);
        !breaks && self.objects.iter().all(Tried::is_allowed)
    }

    fn print(&self, format: Format, files: &Vec<Found>, terminal: &mut Terminal) -> anyhow::Result<()> {
        match format {
            Format::Text => text::print(self, terminal.out())?,
            Format::Json => terminal.line(serde_json::to_string_pretty(&wire::Report::from(self))?)?,
            Format::Junit | Format::Tap | Format::Sarif | Format::Github => {
                let options = Options { colored: Terminal::is_colored(), ..Options::default() };
                annotate::print(self, files, renderer(format, options).as_mut(), terminal)?;
            }
        }
        Ok(())
    }
}

impl Tried {
    fn is_touched(&self) -> bool {
        !self.effects.as_ref().is_ok_and(Effects::is_untouched)
    }

    /// Reports whether something is lost or the object cannot be written any more.
    pub(super) fn is_broken(&self) -> bool {
        !self.is_allowed() && self.effects.as_ref().map_or(true, Effects::is_broken)
    }

    /// True if all that happens to it is fine.
    pub(super) fn is_allowed(&self) -> bool {
        self.lines().all(|(what, _, reason)| what == RATCHETED || reason.is_some())
    }

    /// All that is said, with what it is about and why it is fine.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&'static str, Cow<'_, str>, Option<&str>)> {
        let lines = match &self.effects {
            Ok(effects) => effects.lines(),
            Err(reason) => vec![(UNTRIED, Cow::from(reason))],
        };
        let reasons = self.allowed.iter().map(Option::as_deref).chain(std::iter::repeat(None));
        lines.into_iter().zip(reasons).map(|((what, text), reason)| (what, text, reason))
    }

    fn waived(mut self, waivers: &Waivers) -> Tried {
        let place = self.identity.to_string();
        let reasons = self.lines().map(|(what, ..)| waivers.reason(&place, what));
        self.allowed = reasons.collect();
        self
    }
}

fn try_batch(definitions: &Definitions<'_>, batch: &Batch) -> Vec<Tried> {
    let unread = |reason: String| Tried {
        file: batch.file.to_string(),
        line: None,
        identity: Identity::default(),
        effects: Err(reason),
        allowed: Vec::new(),
    };
    let bytes = match &batch.content {
        Ok(bytes) => bytes,
        Err(reason) => return vec![unread(reason.clone())],
    };
    let mut tried = Vec::new();
    for document in Documents::new(bytes, batch.line) {
        match document.objects() {
            Ok(objects) => {
                tried.extend(objects.iter().filter_map(|object| try_object(definitions, &batch.file, object)));
            }
            Err(finding) => tried.push(unread(finding.message)),
        }
    }
    tried
}

/// Objects of kinds that neither side defines are none of our business.
fn try_object(definitions: &Definitions<'_>, file: &str, object: &Object<'_, '_>) -> Option<Tried> {
    let identity = Identity::of(&object.value);
    let group = identity.group();
    let kind = &identity.kind;
    let effects = match (definitions.old.find(group, kind), definitions.new.find(group, kind)) {
        (old, Some(new)) => effects((old, new), &object.value, definitions.built_in),
        (Some(_), None) => Err("its definition is gone".to_owned()),
        (None, None) => return None,
    };
    let line = object.place("").map(|place| place.line);
    Some(Tried { file: file.to_owned(), line, identity, effects, allowed: Vec::new() })
}
