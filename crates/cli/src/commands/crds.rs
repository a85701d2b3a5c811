//! `sprag crds`: definitions of custom resources that are kept in the repository, for all commands.

mod folder;
mod lock;

use anyhow::bail;
use clap::{Args, Subcommand};
use sprag_analysis::files::{Discovery, Found, IgnorePatterns, Place};
use sprag_analysis::{BuiltIn, Catalog, Definition, Take, workers};
use sprag_decode::yaml;
use sprag_value::Value;

use crate::commands::Outcome;
use crate::output::Terminal;

pub(crate) use self::folder::Folder;
use self::lock::Entry;

/// Arguments of `sprag crds`.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CrdsArgs {
    #[command(subcommand)]
    command: CrdsCommand,
}

#[derive(Subcommand)]
enum CrdsCommand {
    /// Keep definitions: of a file, a folder with all below it, git:REV:PATH or `-` for standard input.
    Add(AddArgs),
    /// List the definitions that are kept, and where they come from.
    List,
    /// Check that the definitions are those that were added, and that the API server would accept them.
    Check,
}

#[derive(Args)]
struct AddArgs {
    /// File, folder, git:REV:PATH or `-`
    #[arg(value_name = "PATH", required = true)]
    places: Vec<Place>,
}

const AFTER_HELP: &str = "\
The folder is .sprag-crds at the top of the repository; check it in. Its lock.yaml names the source and the digest of each definition.
sprag validate, test, serve and run use these definitions without a flag.

Examples:
  sprag crds add crds/

Those of a cluster: kubectl get crds -o yaml | sprag crds add -";

pub(crate) fn run(args: &CrdsArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let folder = Folder::find()?;
    match &args.command {
        CrdsCommand::Add(args) => add(&folder, &args.places, terminal),
        CrdsCommand::List => list(&folder, terminal),
        CrdsCommand::Check => check(&folder, terminal),
    }
}

fn add(folder: &Folder, places: &[Place], terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let mut lock = folder.lock()?.unwrap_or_default();
    for place in places {
        let mut notes = Vec::new();
        let catalog = Catalog::read(
            &definitions_at(place)?,
            Take::Accepted,
            &BuiltIn::default(),
            workers::all_cores(),
            &mut notes,
        )?;
        for note in &notes {
            terminal.note(note);
        }
        if catalog.is_empty() {
            bail!("{place}: there are no definitions of custom resources");
        }
        for definition in catalog.all() {
            let text = stored_text(definition);
            let entry = Entry::new(definition, &folder.source(place, definition.file()), &text);
            if !lock::is_file_name(&entry.file) {
                // One that comes from a server is not validated again.
                bail!("{place}: {:?} is not the name of a definition", entry.name);
            }
            let what = lock.put(entry.clone());
            folder.write(&entry.file, &text)?;
            terminal.line(format_args!("{what}: {} ({})", entry.name, definition.served_versions()))?;
        }
    }
    folder.write_lock(&lock)?;
    Ok(Outcome::Clean)
}

fn definitions_at(place: &Place) -> anyhow::Result<Vec<Found>> {
    let ignored = IgnorePatterns::default();
    let discovery = Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false };
    Ok(discovery.find(std::slice::from_ref(place))?)
}

/// The definition without what a server keeps in it. The uid stays: it says that a server accepted the definition.
fn stored_text(definition: &Definition) -> String {
    let mut value = definition.source().clone();
    value.remove("status");
    if let Some(metadata) = value.get_mut("metadata") {
        for member in ["managedFields", "resourceVersion", "generation", "creationTimestamp", "selfLink"] {
            metadata.remove(member);
        }
        if let Some(annotations) = metadata.get_mut("annotations") {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            if annotations.as_object().is_some_and(sprag_value::Object::is_empty) {
                metadata.remove("annotations");
            }
        }
    }
    yaml::to_string(&value)
}

fn list(folder: &Folder, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(lock) = folder.lock()? else { bail!("{}", folder.missing()) };
    for entry in &lock.entries {
        terminal.line(format_args!("{}\t{}\t{}", entry.name, entry.versions.join(","), entry.source))?;
    }
    Ok(Outcome::Clean)
}

fn check(folder: &Folder, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let Some(lock) = folder.lock()? else { bail!("{}", folder.missing()) };
    let mut problems = folder.differences(&lock)?;
    if problems.is_empty()
        && let Err(error) = Catalog::read(
            &folder.definitions()?,
            Take::Accepted,
            &BuiltIn::default(),
            workers::all_cores(),
            &mut Vec::new(),
        )
    {
        problems.push(error.to_string());
    }
    for problem in &problems {
        terminal.error(&anyhow::anyhow!("{problem}"));
    }
    if problems.is_empty() {
        terminal.line(format_args!("{} definitions, as they were added", lock.entries.len()))?;
        return Ok(Outcome::Clean);
    }
    Ok(Outcome::Findings)
}

/// The text at a member of a map.
fn text_at<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
