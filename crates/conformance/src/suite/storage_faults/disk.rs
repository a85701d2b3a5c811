//! Disks that lose the end of a file, hold wrong bytes, or have no room.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, EmbeddedOptions, Error, Key, Store, Write};

use super::plan::{contents, options};
use super::settle;
use crate::report::Report;

const PAGE: usize = 4096;
const WRITES: usize = 40;

/// The last page is torn, or a page in the middle is wrong.
pub(super) fn torn(report: &mut Report) -> Result<(), String> {
    let whole = Scratch::new("torn").map_err(|error| error.to_string())?;
    let store = open(whole.path(), options())?;
    for number in 0..WRITES {
        put(&store, number, 1500).map_err(|error| error.to_string())?;
    }
    drop(store);
    for (case, part) in [("torn first page of a commit", 0), ("torn last page of a commit", 1)] {
        settle(report, case, cut_is_recovered(whole.path(), part));
    }
    settle(report, "damage in the middle", damage_is_named(whole.path()));
    Ok(())
}

/// Cuts a commit short, which leaves some of its pages filled with something, and checks recovery.
fn cut_is_recovered(whole: &Path, part: usize) -> Result<(), String> {
    let (folder, log) = crashed_copy(whole)?;
    let mut bytes = fs::read(&log).map_err(|error| error.to_string())?;
    let end = bytes.len();
    bytes.resize(end + 3 * PAGE, 0);
    bytes[end + part * PAGE..end + part * PAGE + PAGE / 2].fill(0xa5);
    fs::write(&log, bytes).map_err(|error| error.to_string())?;
    let store = open(folder.path(), options())?;
    let cut = store.status().cut.ok_or("nothing was said about the cut")?;
    if (cut.path, cut.offset, cut.bytes) != (log, end as u64, ((part + 1) * PAGE) as u64) {
        return Err(format!("cut {} bytes at {}, not {} at {end}", cut.bytes, cut.offset, (part + 1) * PAGE));
    }
    put(&store, WRITES, 1500).map_err(|error| error.to_string())?;
    drop(store);
    let found = contents(&open(folder.path(), options())?)?.len();
    if found == WRITES + 1 { Ok(()) } else { Err(format!("{found} of {} objects", WRITES + 1)) }
}

fn damage_is_named(whole: &Path) -> Result<(), String> {
    let (folder, log) = crashed_copy(whole)?;
    let mut bytes = fs::read(&log).map_err(|error| error.to_string())?;
    bytes[5 * PAGE + 700] ^= 1;
    fs::write(&log, &bytes).map_err(|error| error.to_string())?;
    match Embedded::open_with(folder.path(), options()) {
        Err(Error::Corrupt { path, offset, .. }) if path == log && offset == 5 * PAGE as u64 => {}
        other => return Err(format!("damage at byte {} gave {other:?}", 5 * PAGE + 700)),
    }
    if fs::read(&log).is_ok_and(|now| now == bytes) { Ok(()) } else { Err("the file was changed".into()) }
}

/// The folder of a store as a crash leaves it, and its only log.
fn crashed_copy(whole: &Path) -> Result<(Scratch, PathBuf), String> {
    let copy = Scratch::new("torn-copy").map_err(|error| error.to_string())?;
    let mut log = None;
    for item in fs::read_dir(whole).map_err(|error| error.to_string())? {
        let path = item.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            let target = copy.path().join(path.file_name().unwrap_or_default());
            fs::copy(&path, &target).map_err(|error| error.to_string())?;
            log = Some(target);
        }
    }
    Ok((copy, log.ok_or("the store has no log")?))
}

/// A disk of a few megabytes, for as long as this lives.
struct SmallDisk(Scratch);

impl SmallDisk {
    fn mount() -> Result<Option<SmallDisk>, String> {
        let folder = Scratch::new("full").map_err(|error| error.to_string())?;
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=6m", "sprag-faults"]).arg(folder.path());
        let mounted = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        Ok(mounted.is_ok_and(|status| status.success()).then_some(SmallDisk(folder)))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // If it cannot be taken away it goes with the machine.
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

/// The disk runs out of room while the store is written to.
pub(super) fn full(report: &mut Report) -> Result<(), String> {
    let Some(disk) = SmallDisk::mount()? else {
        report.skip("no right to mount a small disk");
        return Ok(());
    };
    settle(report, "full disk", fill_and_recover(&disk.0.path().join("store"), &disk.0.path().join("ballast")));
    Ok(())
}

fn fill_and_recover(folder: &Path, ballast: &Path) -> Result<(), String> {
    fs::write(ballast, vec![1; 2 << 20]).map_err(|error| error.to_string())?;
    // No snapshots: they would make room.
    let options = EmbeddedOptions { snapshot_after: u64::MAX, ..options() };
    let store = open(folder, options.clone())?;
    let written = fill(&store, 0)?;
    let again = put(&store, written, 50_000);
    if !again.as_ref().is_err_and(Error::is_full) {
        return Err(format!("a second write on a full disk gave {again:?}"));
    }
    expect_objects(&store, written)?;
    let health = store.health();
    if health.failed_writes != 2 || !health.problem.as_ref().is_some_and(Error::is_full) {
        return Err(format!("a full disk is not said: {health:?}"));
    }
    drop(store);
    let store = open(folder, options.clone())?;
    expect_objects(&store, written)?;
    let again = put(&store, written, 50_000);
    if again.is_ok() || store.health().problem.is_none() {
        return Err(format!("a write after opening gave {again:?}"));
    }
    fs::remove_file(ballast).map_err(|error| error.to_string())?;
    // Nobody writes: the store finds out by itself that there is room.
    let recovered = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        store.health().problem.is_none()
    });
    if !recovered {
        return Err("the store says that it is full when it is not".into());
    }
    let more = fill(&store, written)?;
    if more <= written + 5 {
        return Err(format!("only {} writes after room was made", more - written));
    }
    expect_objects(&store, more)?;
    drop(store);
    expect_objects(&open(folder, options)?, more)
}

/// Writes until the disk is full; returns how many objects there are then.
fn fill(store: &Embedded, from: usize) -> Result<usize, String> {
    for number in from.. {
        match put(store, number, 50_000) {
            Ok(()) => {}
            Err(error) if error.is_full() && error.to_string().contains("cannot write") => return Ok(number),
            Err(error) => return Err(format!("a full disk gave: {error}")),
        }
    }
    Err("the disk is never full".into())
}

fn expect_objects(store: &Embedded, count: usize) -> Result<(), String> {
    let found = contents(store)?;
    let whole = found.values().all(|value| value.iter().all(|byte| *byte == value[0]));
    if found.len() == count && whole { Ok(()) } else { Err(format!("{} of {count} objects", found.len())) }
}

fn open(folder: &Path, options: EmbeddedOptions) -> Result<Embedded, String> {
    Embedded::open_with(folder, options).map_err(|error| error.to_string())
}

fn put(store: &Embedded, number: usize, size: usize) -> Result<(), Error> {
    let key = Key::namespaced("", "things", "disk", &format!("{number}"));
    let key = key.map_err(|error| Error::Config { reason: error.to_string() })?;
    let filler = u8::try_from(number % 250 + 1).unwrap_or(1);
    store.write(Write::create(key, vec![filler; size].into())).wait().map(drop)
}
