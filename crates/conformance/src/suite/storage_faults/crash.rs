//! A process that writes is killed without warning, again and again, and its store judged by what it had acknowledged.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use sprag_storage::testing::{Random, Scratch};
use sprag_storage::{Embedded, Error, Event, Key, Notice, Reply, Revision, Store, Watch};

use super::plan::{Contents, Plan, WRITERS, contents, options, scope};
use super::settle;
use crate::report::Report;

/// Maximum life of the process once it writes, in milliseconds.
const LONGEST_LIFE: usize = 400;
/// Every so many lives end at a random moment from the start on, at times while the store is being opened.
const EARLY_DEATHS: usize = 5;

/// The progress of the writers.
#[derive(Clone, Default)]
struct Progress {
    /// The number of each writer's operations that are in the store.
    done: Vec<usize>,
    /// The revision of the store at that time.
    revision: Revision,
}

/// The acknowledged operations of one life: the last one of each writer, and when each of them happened.
#[derive(Default)]
struct Acknowledged {
    last: BTreeMap<usize, usize>,
    revisions: Vec<Revision>,
}

pub(super) fn run(rounds: usize, report: &mut Report) -> Result<(), String> {
    let folder = Scratch::new("crash").map_err(|error| error.to_string())?;
    let mut random = Random::new(7);
    let mut progress = Progress { done: vec![0; WRITERS], revision: Revision::FIRST };
    let mut writes = 0;
    let mut gone = 0;
    for round in 0..rounds {
        let life = Duration::from_millis(random.below(LONGEST_LIFE) as u64);
        let wait = round % EARLY_DEATHS != EARLY_DEATHS - 1;
        let acknowledged = live_and_die(folder.path(), &progress.done, life, wait)?;
        writes += acknowledged.revisions.len();
        let outcome = judge(folder.path(), &mut progress, &acknowledged).map(|watched| gone += usize::from(!watched));
        settle(report, &format!("crash {round}"), outcome);
    }
    Report::note(&format!("{rounds} kills, {writes} acknowledged writes, {gone} watches too old to resume"));
    Ok(())
}

/// Starts the process, kills it after a while (from its first write on, if asked to wait), returns its output until then.
fn live_and_die(folder: &Path, done: &[usize], life: Duration, wait: bool) -> Result<Acknowledged, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.arg("storage-faults").arg(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start the writer: {error}"))?;
    let killed = drive(&mut child, done, life, wait);
    let ended = child.wait().map_err(|error| error.to_string())?;
    let text = killed?;
    if ended.code().is_some() {
        return Err(format!("the writer ended by itself: {ended}"));
    }
    Acknowledged::parse(&text)
}

fn drive(child: &mut Child, done: &[usize], life: Duration, wait: bool) -> Result<String, String> {
    let input = done.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut stdin = child.stdin.take().ok_or("no input")?;
    stdin.write_all(input.as_bytes()).map_err(|error| error.to_string())?;
    drop(stdin);
    let stdout = child.stdout.take().ok_or("no output")?;
    let (said, first) = channel();
    let reader = thread::spawn(move || read(stdout, &said));
    if wait {
        // If the process ends before it says anything, the kill below tells.
        let _ = first.recv();
    }
    thread::sleep(life);
    child.kill().map_err(|error| error.to_string())?;
    reader.join().map_err(|_| "the reader panicked")?
}

/// Reads everything; says when there is something.
fn read(mut stdout: ChildStdout, said: &Sender<()>) -> Result<String, String> {
    let mut text = vec![0];
    stdout.read_exact(&mut text).or_else(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            text.clear();
            Ok(())
        }
        _ => Err(error.to_string()),
    })?;
    // Nobody may be waiting.
    let _ = said.send(());
    stdout.read_to_end(&mut text).map_err(|error| error.to_string())?;
    String::from_utf8(text).map_err(|error| error.to_string())
}

impl Acknowledged {
    fn parse(text: &str) -> Result<Acknowledged, String> {
        let mut acknowledged = Acknowledged::default();
        for line in text.lines() {
            let numbers = line.split(' ').map(str::parse).collect::<Result<Vec<u64>, _>>();
            let Ok(Ok([writer, number, revision])) = numbers.map(<[u64; 3]>::try_from) else {
                return Err(format!("the writer said {line:?}"));
            };
            let writer = usize::try_from(writer);
            let number = usize::try_from(number);
            let (Ok(writer), Ok(number)) = (writer, number) else { return Err(format!("{line:?} is too large")) };
            acknowledged.last.insert(writer, number);
            acknowledged.revisions.push(Revision(revision));
        }
        acknowledged.revisions.sort_unstable();
        Ok(acknowledged)
    }
}

/// Opens the store and checks it; returns whether a watch from before the crash could be resumed.
fn judge(folder: &Path, progress: &mut Progress, acknowledged: &Acknowledged) -> Result<bool, String> {
    let store = Embedded::open_with(folder, options()).map_err(|error| error.to_string())?;
    let found = contents(&store)?;
    let before = progress.clone();
    for writer in 0..WRITERS {
        let least = acknowledged.last.get(&writer).map_or(before.done[writer], |number| number + 1);
        progress.done[writer] = locate(writer, least, &found)?;
    }
    progress.revision = store.status().revision;
    check_watch(&store, &before, progress, acknowledged)
}

/// Returns the number of a writer's operations in the store: all that were acknowledged, perhaps the one that was under
/// way.
fn locate(writer: usize, least: usize, found: &Contents) -> Result<usize, String> {
    let prefix = format!("{writer}-");
    let of_writer = |contents: &Contents| -> Contents {
        let own = contents.iter().filter(|(key, _)| key.name().starts_with(&prefix));
        own.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let found = of_writer(found);
    let mut plan = Plan::new(writer);
    let mut expected = Contents::new();
    plan.skip(least, &mut expected)?;
    if expected == found {
        return Ok(least);
    }
    // Deletions of what is not there are no writes: the one under way may come after some of them.
    loop {
        let step = plan.next()?;
        let counts = step.value.is_some() || expected.contains_key(&step.key);
        step.apply(&mut expected);
        if counts {
            break;
        }
    }
    if expected == found { Ok(plan.taken()) } else { Err(difference(writer, least, &expected, &found)) }
}

fn difference(writer: usize, least: usize, expected: &Contents, found: &Contents) -> String {
    let keys = expected.keys().chain(found.keys()).filter(|key| expected.get(*key) != found.get(*key));
    let keys = keys.map(Key::name).collect::<Vec<_>>().join(", ");
    format!("writer {writer} had {least} operations acknowledged; these keys are something else: {keys}")
}

/// A watch from where the store stood before this life sees every write of it once and in order, or gets 410 Gone.
fn check_watch(store: &Embedded, before: &Progress, now: &Progress, seen: &Acknowledged) -> Result<bool, String> {
    let mut watch = store.watch(&scope()?, before.revision);
    let mut last = before.revision;
    let mut revisions = Vec::new();
    while last < now.revision {
        match next(&mut watch) {
            Ok(event) if event.revision == last.next() => last = event.revision,
            Ok(event) => return Err(format!("{event:?} follows revision {last}")),
            Err(Error::Gone { oldest, .. }) if revisions.is_empty() && oldest > before.revision => return Ok(false),
            Err(error) => return Err(format!("the watch ended: {error}")),
        }
        revisions.push(last);
    }
    match seen.revisions.iter().find(|revision| revisions.binary_search(revision).is_err()) {
        Some(lost) => Err(format!("the watch did not yield revision {lost}")),
        None => Ok(true),
    }
}

fn next(watch: &mut Watch) -> Result<Event, Error> {
    let next = Reply::running(async move {
        loop {
            match watch.next().await {
                Some(Ok(Notice::Event(event))) => return Ok(event),
                Some(Ok(Notice::Progress(_))) => {}
                Some(Err(error)) => return Err(error),
                None => return Err(Error::Closed),
            }
        }
    });
    next.wait()
}
