//! `sprag crd check`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use super::changes::{Change, compare};
use super::objects::{Fate, fate};
use super::wire;
use crate::commands::Outcome;
use crate::input::{Batch, Batches, Discovery, IgnorePatterns, Place};
use crate::judge::{Catalog, Documents, Object};
use crate::output::Terminal;
use crate::report::Identity;
use crate::report::visible::visible;
use crate::workers;

/// The definitions to compare, and the objects to try.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct CheckArgs {
    /// The definitions as they are: file, folder, git:REV:PATH, or `-` for standard input
    #[arg(value_name = "OLD")]
    old: Place,

    /// The definitions as they will be
    #[arg(value_name = "NEW")]
    new: Place,

    /// Stored objects to try: file, folder, git:REV:PATH or `-`; may be repeated
    #[arg(long, value_name = "PATH")]
    objects: Vec<Place>,

    /// How to print: text or json
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t, hide_possible_values = true)]
    output: Format,
}

const AFTER_HELP: &str = "\
Exits with 1 if a change can break clients or lose data, or if an object would fail or lose fields.

Examples:
  sprag crd check git:origin/main:crds/widgets.yaml crds/widgets.yaml
  kubectl get widgets -A -o yaml | sprag crd check old.yaml new.yaml --objects -";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
}

/// What became of an object.
pub(super) struct Tried {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) identity: Identity,
    /// Or why it could not be tried.
    pub(super) fate: Result<Fate, String>,
}

/// Everything that was found.
#[derive(Default)]
pub(super) struct Report {
    pub(super) changes: Vec<Change>,
    /// Objects that something happens to.
    pub(super) objects: Vec<Tried>,
    /// How many were tried.
    pub(super) tried: usize,
}

pub(super) fn run(args: &CheckArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let ignored = IgnorePatterns::default();
    let discovery = Discovery { recursive: true, ignored: &ignored };
    let read = |place: &Place| -> anyhow::Result<(Catalog, Vec<String>)> {
        let mut remarks = Vec::new();
        Ok((Catalog::read(discovery.find(std::slice::from_ref(place))?, &[], &mut remarks), remarks))
    };
    let (old, old_remarks) = read(&args.old)?;
    let (new, new_remarks) = read(&args.new)?;
    for remark in old_remarks.iter().chain(&new_remarks) {
        terminal.warning(remark);
    }
    let mut report = Report { changes: compare(&old, &new), ..Report::default() };
    workers::in_order(
        workers::all_cores(),
        Batches::new(discovery.find(&args.objects)?),
        |batch| try_batch(&old, &new, &batch),
        |tried: Vec<Tried>| {
            report.tried += tried.len();
            report.objects.extend(tried.into_iter().filter(Tried::is_touched));
            Ok::<(), anyhow::Error>(())
        },
    )?;
    match args.output {
        Format::Text => report.print_text(terminal.out())?,
        Format::Json => terminal.line(serde_json::to_string_pretty(&wire::Report::from(&report))?)?,
    }
    Ok(if report.is_safe() { Outcome::Clean } else { Outcome::Findings })
}

impl Report {
    fn is_safe(&self) -> bool {
        !self.changes.iter().any(|change| change.class.breaks()) && self.objects.is_empty()
    }

    fn print_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for change in &self.changes {
            writeln!(out, "{}: {}: {}", visible(&change.place), change.class.name(), visible(&change.text))?;
        }
        for tried in &self.objects {
            tried.print(out)?;
        }
        if self.tried > 0 {
            let broken = self.objects.iter().filter(|tried| tried.is_broken()).count();
            let others = self.objects.len() - broken;
            writeln!(out, "{} objects tried: {broken} broken, {others} ratcheted or refused on create", self.tried)?;
        }
        Ok(())
    }
}

impl Tried {
    fn is_touched(&self) -> bool {
        !self.fate.as_ref().is_ok_and(Fate::is_untouched)
    }

    fn is_broken(&self) -> bool {
        self.fate.as_ref().map_or(true, Fate::is_broken)
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let name = if self.identity.kind.is_empty() { String::new() } else { format!(": {}", self.identity) };
        writeln!(out, "{}{line}{}", visible(&self.file), visible(&name))?;
        match &self.fate {
            Err(reason) => writeln!(out, "  cannot be tried: {}", visible(reason)),
            Ok(fate) => fate.lines().try_for_each(|(what, text)| writeln!(out, "  {what}: {}", visible(text))),
        }
    }
}

fn try_batch(old: &Catalog, new: &Catalog, batch: &Batch) -> Vec<Tried> {
    let unread = |reason: String| Tried {
        file: batch.file.to_string(),
        line: None,
        identity: Identity::default(),
        fate: Err(reason),
    };
    let bytes = match &batch.content {
        Ok(bytes) => bytes,
        Err(reason) => return vec![unread(reason.clone())],
    };
    let mut tried = Vec::new();
    for document in Documents::new(bytes, batch.line) {
        match document.objects() {
            Ok(objects) => tried.extend(objects.iter().filter_map(|object| try_object(old, new, &batch.file, object))),
            Err(finding) => tried.push(unread(finding.message)),
        }
    }
    tried
}

/// Objects of kinds that neither side defines are none of our business.
fn try_object(old: &Catalog, new: &Catalog, file: &str, object: &Object<'_, '_>) -> Option<Tried> {
    let identity = Identity::of(&object.value);
    let (group, kind) = (identity.group(), &identity.kind);
    let fate = match (old.find(group, kind), new.find(group, kind)) {
        (old, Some(new)) => fate(old, new, &object.value),
        (Some(_), None) => Err("its definition is gone".to_owned()),
        (None, None) => return None,
    };
    let line = object.place("").map(|place| place.line);
    Some(Tried { file: file.to_owned(), line, identity, fate })
}
