//! `crd.json`: definitions and custom resources, as each release answers them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sprag_rest::{Release, UnknownRelease};
use sprag_value::{Value, json};
use tokio::runtime::Runtime;

use super::answer::{self, Answer};
use super::expressions;
use crate::recorded::Document;
use crate::suite::native::{Asked, Reply, World};
use crate::wire::custom_resource::{CrdFile, ObjectCase};

/// The parameters of all requests.
const QUERY: &str = "dryRun=All&fieldValidation=Strict";
/// The release that has an answer to everything.
const NEWEST: &str = "1.37";

/// The whole recording.
#[derive(Debug, Deserialize)]
pub(super) struct Recording {
    releases: Vec<String>,
    definitions: BTreeMap<String, Entry>,
    objects: BTreeMap<String, Entry>,
}

/// The answers to one request.
#[derive(Debug, Deserialize)]
struct Entry {
    /// The rule that the definition is made of.
    #[serde(default)]
    rule: Option<String>,
    #[serde(flatten)]
    answers: BTreeMap<String, Answer>,
}

/// The group of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Definitions,
    Objects,
}

impl Part {
    pub(super) fn name(self) -> &'static str {
        match self {
            Part::Definitions => "definitions",
            Part::Objects => "objects",
        }
    }
}

/// One request, and what differs from the recorded answer: nothing if empty.
pub(super) struct Outcome {
    pub(super) part: Part,
    pub(super) id: String,
    pub(super) differences: String,
    /// The answer is the recorded one but for values that are printed in another way.
    pub(super) is_same_but_for_values: bool,
}

impl Recording {
    /// Reads `crd.json` in the folder of all releases.
    pub(super) fn open(folder: &Path) -> Result<Recording, String> {
        Document::open(&folder.join("crd.json"))?.read_json()
    }

    /// The releases that have answers.
    pub(super) fn releases(&self) -> Result<Vec<Release>, String> {
        let read = |text: &String| text.parse().map_err(|error: UnknownRelease| error.to_string());
        self.releases.iter().map(read).collect()
    }

    /// Asks everything of servers of a release.
    pub(super) fn run(&self, folder: &Path, release: Release, runtime: &Runtime) -> Result<Vec<Outcome>, String> {
        let mut asking = Asking { corpus: folder.join("../crd"), runtime, release, files: BTreeMap::new() };
        let mut outcomes = Vec::new();
        let world = asking.world()?;
        for (id, entry) in &self.definitions {
            let definition = asking.definition(id, entry)?;
            let reply = world.send(&create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", QUERY, &definition))?;
            outcomes.push(entry.outcome(Part::Definitions, id, release, &reply, ""));
        }
        let mut file = String::new();
        let mut world = world;
        let mut is_defined = true;
        for (id, entry) in &self.objects {
            let (name, case) = id.split_once('#').ok_or_else(|| format!("{id}: no case"))?;
            if name != file {
                world = asking.world()?;
                is_defined = asking.define(&world, name, self.definitions.get(name))?;
                name.clone_into(&mut file);
            }
            // There are no answers about objects whose definition the release refuses.
            if !is_defined {
                continue;
            }
            let (asked, generated) = asking.object(name, case)?;
            outcomes.push(entry.outcome(Part::Objects, id, release, &world.send(&asked)?, &generated));
        }
        Ok(outcomes)
    }
}

impl Entry {
    /// The answer of a release.
    fn answer(&self, release: Release) -> Answer {
        let own = self.answers.get(&release.to_string());
        own.or_else(|| self.answers.get(NEWEST)).cloned().unwrap_or_default()
    }

    fn outcome(&self, part: Part, id: &str, release: Release, reply: &Reply, generated: &str) -> Outcome {
        let want = self.answer(release).without_volatile(generated);
        let got = Answer::of(reply).without_volatile(generated);
        let id = id.to_owned();
        let is_same_but_for_values = answer::same_but_for_values(&want, &got);
        Outcome { part, id, differences: answer::differences(&want, &got), is_same_but_for_values }
    }
}

/// What requests are made of.
struct Asking<'a> {
    /// The definitions and objects that ids name.
    corpus: PathBuf,
    runtime: &'a Runtime,
    release: Release,
    files: BTreeMap<String, CrdFile>,
}

impl<'a> Asking<'a> {
    /// A fresh server.
    fn world(&self) -> Result<World<'a>, String> {
        let mut world = World::with_plugins(self.runtime, self.release)?;
        world.ensure_namespace("default");
        Ok(world)
    }

    /// The definition that an id names.
    fn definition(&mut self, id: &str, entry: &Entry) -> Result<Value, String> {
        let parts: Vec<&str> = id.split('/').collect();
        match (parts.as_slice(), &entry.rule) {
            (["acceptance", name], _) => self.acceptance(name),
            (["expression", ..], Some(rule)) => Ok(expressions::definition(&expressions::expression(), rule)),
            (["library", bounds, _], Some(rule)) => {
                Ok(expressions::definition(&expressions::library(*bounds == "bounded"), rule))
            }
            ([name], None) => self.file(name).map(|(definition, _)| definition),
            _ => Err(format!("{id}: not a definition")),
        }
    }

    fn acceptance(&self, name: &str) -> Result<Value, String> {
        let file: Value = Document::open(&self.corpus.join("_acceptance.json"))?.read_json()?;
        let cases = file.get("cases").and_then(Value::as_array).into_iter().flatten();
        let mut cases = cases.filter(|case| case.get("name").and_then(Value::as_str) == Some(name));
        cases.next().and_then(|case| case.get("crd").cloned()).ok_or_else(|| format!("no definition {name}"))
    }

    /// A file of definition and objects.
    fn file(&mut self, name: &str) -> Result<(Value, &CrdFile), String> {
        if !self.files.contains_key(name) {
            let file = Document::open(&self.corpus.join(format!("{name}.json")))?.read_json()?;
            self.files.insert(name.to_owned(), file);
        }
        let file = &self.files[name];
        Ok((crate::suite::crd::definition(file, &self.corpus)?, file))
    }

    /// Creates the definition of a file, unless the release refuses it.
    fn define(&mut self, world: &World<'_>, name: &str, entry: Option<&Entry>) -> Result<bool, String> {
        if entry.is_some_and(|entry| !entry.answer(self.release).is_acceptance()) {
            return Ok(false);
        }
        let (definition, _) = self.file(name)?;
        let reply = world.send(&create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "", &definition))?;
        if reply.code == 201 {
            return Ok(true);
        }
        Err(format!("{name} is refused in {}: {}", self.release, String::from_utf8_lossy(&reply.body)))
    }

    /// The request that creates an object, and the name that the server completes.
    fn object(&mut self, name: &str, case: &str) -> Result<(Asked, String), String> {
        let (definition, file) = self.file(name)?;
        let object = file.cases.iter().find(|known| known.name == case);
        let object = object.and_then(|ObjectCase { obj, .. }| obj.as_deref()).ok_or("no such object")?;
        let text = |path: &[&str]| definition.lookup(path).and_then(Value::as_str).unwrap_or_default().to_owned();
        let namespace = if text(&["spec", "scope"]) == "Namespaced" { "/namespaces/default" } else { "" };
        let version = file.version.clone().ok_or_else(|| format!("{name}: no version"))?;
        let group = text(&["spec", "group"]);
        let plural = text(&["spec", "names", "plural"]);
        let path = format!("/apis/{group}/{version}{namespace}/{plural}");
        let parsed = json::parse(object.get().as_bytes()).map_err(|error| format!("{name}#{case}: {error}"))?;
        let generated = parsed.lookup(&["metadata", "generateName"]).and_then(Value::as_str).unwrap_or_default();
        let asked = Asked { body: object.get().to_owned(), ..create(&path, QUERY, &Value::Null) };
        Ok((asked, generated.to_owned()))
    }
}

fn create(path: &str, query: &str, body: &Value) -> Asked {
    Asked {
        method: "POST".to_owned(),
        path: format!("{path}?{query}"),
        content_type: Some("application/json".to_owned()),
        accept: None,
        body: json::to_string(body),
    }
}

/// The shares of a release: right, and right without values in messages.
pub(super) fn summary(release: Release, outcomes: &[Outcome]) -> String {
    let share = |part: Part| {
        let all: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.part == part).collect();
        let right = all.iter().filter(|outcome| outcome.differences.is_empty()).count();
        let leniently =
            all.iter().filter(|outcome| outcome.differences.is_empty() || outcome.is_same_but_for_values).count();
        format!("{right} of {} {} right, {leniently} without values", all.len(), part.name())
    };
    format!("{release} crd.json: {}; {}", share(Part::Definitions), share(Part::Objects))
}
