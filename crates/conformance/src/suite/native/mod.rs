//! `native`: the recorded answers of the reference for built-in kinds, asked of a server in this process.

mod answer;
mod apply;
mod conversions;
mod deletes;
mod edition;
mod facts;
mod generation;
mod kubectl;
#[cfg(test)]
mod life_cycle;
mod lists;
mod managed_fields;
mod messages;
mod objects;
mod patches;
mod protobuf;
mod rules;
mod schema_facts;
mod subresources;
mod summary;
mod tables;
mod tags;
mod tally;
mod wire;
mod world;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use sprag_storage::testing::Scratch;
use tokio::runtime::Runtime;

pub(super) use self::answer::Verdict;
pub(super) use self::edition::Edition;
use self::summary::Summary;
pub(super) use self::tally::{Outcome, Place, Tally};
pub(super) use self::world::{Asked, Reply, World};
use crate::args::Args;
use crate::recorded::{Document, Recorded};
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite =
    Suite { name: "native", about: "built-in kinds, asked of a server in this process", recorded: "native", run };

/// The function that runs a group, or one file of it.
type Run = fn(&mut Native<'_>, &'static str) -> Result<(), String>;

/// The files of the suite by what they are about, each with what runs it.
const GROUPS: [(&str, Run); 20] = [
    ("mutation", objects::kind_files),
    ("upstream", objects::kind_files),
    ("targeted", objects::kind_files),
    ("minimal", objects::minimal),
    ("subresources", subresources::run),
    ("duplicate-keys", objects::duplicate_keys),
    ("conversions", conversions::run),
    ("default-admission", objects::default_admission),
    ("tables", tables::run),
    ("protobuf", protobuf::pairs),
    ("codec-fixtures", protobuf::fixtures),
    ("managedfields", managed_fields::run),
    ("facts", facts::run),
    ("schema-facts", schema_facts::run),
    ("generation", generation::run),
    ("patch/requests", patches::run),
    ("patch/apply", apply::run),
    ("patch/lists", lists::run),
    ("patch/deletes", deletes::run),
    ("patch/kubectl", kubectl::run),
];

/// A part of the suite that is run by itself.
struct Native<'n> {
    folder: &'n Path,
    edition: &'n Edition,
    kinds: &'n Kinds,
    /// One of so many cases is run, but for groups whose cases follow each other.
    every: usize,
    runtime: &'n Runtime,
    /// The name of the file of a group that has one for each kind.
    file: Option<&'n str>,
    tally: Tally,
}

/// A group, or one file of it.
struct Job {
    group: &'static str,
    run: Run,
    /// Its name below the folder.
    file: Option<String>,
}

/// The kinds that were asked for; all if none.
pub(super) struct Kinds(Vec<String>);

impl Kinds {
    pub(super) fn parse(text: Option<&str>) -> Kinds {
        let names = text.into_iter().flat_map(|text| text.split(',')).map(str::trim).filter(|name| !name.is_empty());
        Kinds(names.map(str::to_owned).collect())
    }

    /// True if no kind was named.
    pub(super) fn are_all(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports whether a kind was asked for, as `Pod` or `v1/Pod`.
    fn wants(&self, api_version: &str, kind: &str) -> bool {
        let is_named = |name: &String| name == kind || name.strip_suffix(kind) == Some(&format!("{api_version}/"));
        self.0.is_empty() || self.0.iter().any(is_named)
    }

    /// True if a file can be about such a kind: `apps.v1.Deployment.json`.
    fn wants_file(&self, document: &str) -> bool {
        let kind = document.trim_end_matches(".json").rsplit('.').next().unwrap_or_default();
        self.0.is_empty() || self.0.iter().any(|name| name.rsplit('/').next() == Some(kind))
    }
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    if args.path.is_dir() {
        return run_folder(args, &args.path, report);
    }
    // As `pack` leaves it.
    let folder = Scratch::new("native").map_err(|error| error.to_string())?;
    Recorded::open(&args.path)?.write(folder.path())?;
    run_folder(args, folder.path(), report)
}

fn run_folder(args: &Args, folder: &Path, report: &mut Report) -> Result<(), String> {
    if args.tags {
        let shares = tags::shares(folder, &Kinds::parse(args.kinds.as_deref()), args.most_diffs)?;
        Report::print(&shares);
        Report::print(&tags::uses()?);
        return Ok(());
    }
    let mut summary = Summary::new(report, args.known.as_deref(), args.failures.as_deref())?;
    let kinds = Kinds::parse(args.kinds.as_deref());
    for tally in tallies(folder, &Edition::native(), &kinds, args.every, |_| true)? {
        summary.add(tally);
    }
    summary.finish()
}

/// The outcomes of the groups that are wanted, in their order.
pub(super) fn tallies(
    folder: &Path,
    edition: &Edition,
    kinds: &Kinds,
    every: usize,
    wants: impl Fn(&str) -> bool,
) -> Result<Vec<Tally>, String> {
    let jobs = jobs(folder, kinds, wants)?;
    let next = AtomicUsize::new(0);
    let worker = || -> Result<Vec<(usize, Tally)>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(at) else { return Ok(done) };
            let file = job.file.as_deref();
            let runtime = &runtime;
            let tally = Tally::default();
            let mut native = Native { folder, edition, kinds, every, runtime, file, tally };
            (job.run)(&mut native, job.group)?;
            done.push((at, native.tally));
        }
    };
    let mut tallies = std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let mut tallies = Vec::new();
        for worker in workers {
            tallies.extend(worker.join().map_err(|_| "a worker panicked".to_owned())??);
        }
        Ok::<_, String>(tallies)
    })?;
    tallies.sort_by_key(|(at, _)| *at);
    Ok(tallies.into_iter().map(|(_, tally)| tally).collect())
}

/// The kinds that a release does not serve and ours does.
pub(super) fn served_by_mistake(edition: &Edition) -> Result<Vec<String>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let world = World::new(&runtime, edition.release)?;
    let is_served = |place: &&str| place.rsplit_once('/').is_some_and(|(version, kind)| world.served(version, kind).is_some());
    Ok(edition.not_served().filter(is_served).map(str::to_owned).collect())
}

/// All groups; those with a file for each kind by file.
fn jobs(folder: &Path, kinds: &Kinds, wants: impl Fn(&str) -> bool) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    for (group, run) in GROUPS.into_iter().filter(|(group, _)| wants(group)) {
        let path = folder.join(group);
        if !path.is_dir() {
            if path.with_extension("json").exists() {
                jobs.push(Job { group, run, file: None });
            }
            continue;
        }
        let files = crate::wire::files(&path, |path| path.extension().is_some_and(|extension| extension == "json"))?;
        let names = files.iter().filter_map(|path| path.file_name()?.to_str()).filter(|name| kinds.wants_file(name));
        jobs.extend(names.map(|name| Job { group, run, file: Some(format!("{group}/{name}")) }));
    }
    if jobs.is_empty() { Err(format!("{}: no file of the suite", folder.display())) } else { Ok(jobs) }
}

impl<'n> Native<'n> {
    /// A fresh server.
    fn world(&self) -> Result<World<'n>, String> {
        World::new(self.runtime, self.edition.release)
    }

    /// The file of a group.
    fn file(&self, group: &str) -> Result<Document, String> {
        self.edition.document(self.folder, &format!("{group}.json"))
    }

    /// The file of a group that has one for each kind.
    fn kind_document(&self) -> Result<Document, String> {
        self.edition.document(self.folder, self.file.ok_or("a folder is needed, with a file for each kind")?)
    }

    /// Returns the folder in which `mutation` has the bases of a kind.
    fn bases(&self, api_version: &str, kind: &str) -> PathBuf {
        self.folder.join("mutation").join(format!("{}.{kind}.json", api_version.replace('/', ".")))
    }
}

#[cfg(test)]
mod tests {
    use super::Kinds;

    #[test]
    fn kinds_are_asked_for_by_name() {
        let kinds = Kinds::parse(Some("Pod, apps/v1/Deployment,"));
        assert!(kinds.wants("v1", "Pod") && kinds.wants("apps/v1", "Deployment"));
        assert!(!kinds.wants("extensions/v1", "Deployment") && !kinds.wants("v1", "PodTemplate"));
        assert!(kinds.wants_file("apps.v1.Deployment.json") && !kinds.wants_file("v1.PodTemplate.json"));
        assert!(Kinds::parse(None).wants("v1", "Pod"));
    }
}
