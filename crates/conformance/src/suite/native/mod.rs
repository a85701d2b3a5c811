//! `native`: the recorded answers of the reference for built-in kinds, asked of a server in this process.

mod answer;
mod apply;
mod conversions;
mod deletes;
mod facts;
mod generation;
mod kubectl;
mod lists;
mod managed_fields;
mod objects;
mod patches;
mod protobuf;
mod rules;
mod schema_facts;
mod subresources;
mod tables;
mod tally;
mod wire;
mod world;

use std::path::{Path, PathBuf};

use tokio::runtime::Runtime;

use self::tally::Tally;
use self::world::World;
use crate::args::Args;
use crate::recorded::{Document, Recorded};
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite =
    Suite { name: "native", about: "built-in kinds, asked of a server in this process", recorded: "native", run };

/// The files of the suite by what they are about, each with what runs it.
const GROUPS: [(&str, fn(&mut Native<'_, '_>, &'static str) -> Result<(), String>); 19] = [
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
];

/// A run of the suite.
struct Native<'n, 'r> {
    folder: &'n Path,
    kinds: Kinds,
    runtime: &'n Runtime,
    tally: Tally<'r>,
}

/// The kinds that were asked for; all if none.
struct Kinds(Vec<String>);

impl Kinds {
    fn parse(text: Option<&str>) -> Kinds {
        let names = text.into_iter().flat_map(|text| text.split(',')).map(str::trim).filter(|name| !name.is_empty());
        Kinds(names.map(str::to_owned).collect())
    }

    /// Whether a kind was asked for, as `Pod` or `v1/Pod`.
    fn wants(&self, api_version: &str, kind: &str) -> bool {
        let is_named = |name: &String| name == kind || name.strip_suffix(kind) == Some(&format!("{api_version}/"));
        self.0.is_empty() || self.0.iter().any(is_named)
    }

    /// Whether a file can be about such a kind: `apps.v1.Deployment.json`.
    fn wants_file(&self, document: &str) -> bool {
        let kind = document.trim_end_matches(".json").rsplit('.').next().unwrap_or_default();
        self.0.is_empty() || self.0.iter().any(|name| name.rsplit('/').next() == Some(kind))
    }
}

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let tally = Tally::new(report, args.known.as_deref(), args.failures.as_deref())?;
    let kinds = Kinds::parse(args.kinds.as_deref());
    let mut native = Native { folder: &args.path, kinds, runtime: &runtime, tally };
    for (group, run) in GROUPS.into_iter().chain([("patch/kubectl", kubectl::run as _)]) {
        run(&mut native, group)?;
    }
    native.tally.finish()
}

impl<'n> Native<'n, '_> {
    /// A server that nobody has written to.
    fn world(&self) -> Result<World<'n>, String> {
        World::new(self.runtime)
    }

    /// The file of a group.
    fn file(&self, group: &str) -> Result<Document, String> {
        Document::open(&self.folder.join(format!("{group}.json")))
    }

    /// The files of a group that are about kinds that were asked for.
    fn kind_documents(&self, group: &str) -> Result<Vec<Document>, String> {
        let mut documents = Recorded::open(&self.folder.join(group))?.documents;
        documents.retain(|document| self.kinds.wants_file(&document.name));
        Ok(documents)
    }

    /// Where `mutation` has the bases of a kind.
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
