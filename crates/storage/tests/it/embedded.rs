//! Tests of the store on disk only.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, EmbeddedOptions, Error, ListOptions, Retention, Revision, Store, Write};

use crate::stores::{event, pod, pods, run};

const PAGE: usize = 4096;
/// The bytes of a frame with one record of a key like `/-/pods/n/x/0`, without its value.
const FRAME_AND_RECORD: usize = 28 + 33 + 13;

fn put(store: &Embedded, name: &str, value: impl Into<Bytes>) -> Revision {
    let key = pod("x", name);
    let current = store.get(&key).wait().unwrap().entry;
    let write = match current {
        None => Write::create(key, value.into()),
        Some(entry) => Write::update(key, entry.revision, value.into()),
    };
    store.write(write).wait().unwrap().revision
}

/// Writes so many keys, each with this value.
fn fill(store: &Embedded, count: usize, value: &Bytes) {
    for number in 0..count {
        put(store, &format!("{number:04}"), value.clone());
    }
}

fn values(store: &Embedded) -> Vec<(String, Bytes)> {
    let page = store.list(&pods(), ListOptions::default()).wait().unwrap();
    page.entries.iter().map(|entry| (entry.key.name().to_owned(), entry.value.clone())).collect()
}

fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).unwrap().map(|item| item.unwrap().path());
    let mut found: Vec<_> = all.filter(|path| path.extension().is_some_and(|extension| extension == end)).collect();
    found.sort();
    found
}

/// A folder as it is after a crash: everything is there but the word that it was closed.
fn crashed_copy(folder: &Path, name: &str) -> Scratch {
    let copy = Scratch::new(name).unwrap();
    for item in fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        let name = path.file_name().unwrap();
        if name != "clean" && name != "lock" {
            fs::copy(&path, copy.path().join(name)).unwrap();
        }
    }
    copy
}

/// Keeps almost no history and writes snapshots soon.
fn small() -> EmbeddedOptions {
    EmbeddedOptions {
        retention: Retention { events: 5, ..Retention::default() },
        segment_bytes: 64 << 10,
        snapshot_after: 64 << 10,
        ..EmbeddedOptions::default()
    }
}

#[test]
fn everything_is_there_after_opening_again() {
    let folder = Scratch::new("reopen").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    put(&store, "a", "1");
    let second = put(&store, "a", "2");
    put(&store, "b", "1");
    let deleted = store.write(Write::delete(pod("x", "b"), Revision(4))).wait().unwrap();
    let all = values(&store);
    drop(store);
    let store = Embedded::open(folder.path()).unwrap();
    assert_eq!(values(&store), all);
    assert_eq!(store.status().revision, deleted.revision);
    let old = ListOptions { at: Some(Revision(2)), ..ListOptions::default() };
    assert_eq!(store.list(&pods(), old).wait().unwrap().entries[0].value, "1", "history survives");
    run(async {
        let mut watch = store.watch(&pods(), second);
        assert_eq!(event(&mut watch).await.key, pod("x", "b"));
        assert_eq!(event(&mut watch).await, deleted);
    });
    assert_eq!(put(&store, "c", "1"), deleted.revision.next());
}

#[test]
fn compaction_survives() {
    let folder = Scratch::new("compact").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    for _ in 0..5 {
        put(&store, "a", "1");
    }
    store.compact(Revision(4)).wait().unwrap();
    drop(store);
    let store = Embedded::open(folder.path()).unwrap();
    assert_eq!(store.status().oldest, Revision(4));
}

#[test]
fn writers_on_one_thread_share_commits() {
    let folder = Scratch::new("one-thread").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let write = |number: u32| store.write(Write::create(pod("x", &number.to_string()), "1".into()));
        for reply in (0..100).map(write).collect::<Vec<_>>() {
            reply.await.unwrap();
        }
    });
    drop(store);
    let log = fs::metadata(files(folder.path(), "log").remove(0)).unwrap();
    assert!(log.len() < 100 * PAGE as u64, "{} bytes", log.len());
}

#[test]
fn only_one_opens_it() {
    let folder = Scratch::new("lock").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let Err(Error::Locked { holder, .. }) = Embedded::open(folder.path()) else { panic!("opened twice") };
    assert_eq!(holder, Some(std::process::id()));
    drop(store);
    Embedded::open(folder.path()).unwrap();
}

#[test]
fn snapshots_replace_logs() {
    let folder = Scratch::new("snapshot").unwrap();
    let store = Embedded::open_with(folder.path(), small()).unwrap();
    for round in 0..200 {
        put(&store, &format!("{}", round % 10), vec![round; 2000]);
    }
    let all = values(&store);
    assert!(store.status().problem.is_none(), "{:?}", store.status());
    drop(store);
    assert_eq!(files(folder.path(), "snapshot").len(), 1);
    // 200 frames of a page make 13 logs; what no snapshot covers is at most a snapshot's worth more than two.
    assert!(files(folder.path(), "log").len() <= 6, "{:?}", files(folder.path(), "log"));
    let store = Embedded::open_with(folder.path(), small()).unwrap();
    assert_eq!(values(&store), all);
    assert_eq!(store.status().revision, Revision(201));
}

#[test]
fn a_backup_opens_like_the_store() {
    let folder = Scratch::new("backup").unwrap();
    let target = Scratch::new("backup-target").unwrap();
    let store = Arc::new(Embedded::open(folder.path()).unwrap());
    fill(&store, 1500, &"old".into());
    let writer = {
        let store = store.clone();
        std::thread::spawn(move || fill(&store, 500, &"new".into()))
    };
    let revision = store.backup(target.path()).unwrap();
    writer.join().unwrap();
    let copy = Embedded::open(target.path()).unwrap();
    assert_eq!(copy.status().revision, revision);
    let then = store.list(&pods(), ListOptions { at: Some(revision), ..ListOptions::default() }).wait().unwrap();
    assert_eq!(copy.list(&pods(), ListOptions::default()).wait().unwrap().entries, then.entries);
    assert_eq!(put(&copy, "0000", "copy"), revision.next());
    assert!(matches!(store.backup(target.path()), Err(Error::Config { .. })), "not over something else");
}

#[test]
fn a_log_cut_anywhere_opens_with_what_was_whole() {
    let folder = Scratch::new("cut").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let sizes = [10, 5000, 10, 9000, 10];
    // The position of the last significant byte of each frame, and the start of the next.
    let mut ends = Vec::new();
    let mut end = PAGE;
    for (number, size) in sizes.iter().enumerate() {
        put(&store, &number.to_string(), vec![7; *size]);
        let used = end + FRAME_AND_RECORD + size;
        end = used.next_multiple_of(PAGE);
        ends.push(used);
    }
    drop(store);
    let log = files(folder.path(), "log").remove(0);
    let whole = fs::read(&log).unwrap();
    assert_eq!(whole.len(), end);
    for cut in (PAGE..whole.len()).step_by(97).chain(ends.iter().flat_map(|end| [*end - 1, *end])) {
        for zeros in [false, true] {
            let copy = crashed_copy(folder.path(), "cut-copy");
            let mut bytes = whole[..cut].to_vec();
            if zeros {
                bytes.resize(whole.len(), 0);
            }
            fs::write(copy.path().join(log.file_name().unwrap()), bytes).unwrap();
            let store = Embedded::open(copy.path()).unwrap();
            let found = values(&store).len();
            assert_eq!(found, ends.iter().filter(|end| **end <= cut).count(), "cut at {cut}");
            assert!(values(&store).iter().zip(sizes).all(|((_, value), size)| value.len() == size));
            assert_eq!(put(&store, "next", "1"), Revision(2 + found as u64));
            drop(store);
            assert_eq!(values(&Embedded::open(copy.path()).unwrap()).len(), found + 1);
        }
    }
}

#[test]
fn damage_is_named_and_nothing_is_dropped() {
    let folder = Scratch::new("damage").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    fill(&store, 5, &vec![7; 100].into());
    drop(store);
    let log = files(folder.path(), "log").remove(0);
    let whole = fs::read(&log).unwrap();
    for at in [PAGE + 3, PAGE + 20, PAGE + 90, 3 * PAGE, 4 * PAGE + 150] {
        let copy = crashed_copy(folder.path(), "damage-copy");
        let path = copy.path().join(log.file_name().unwrap());
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        let Err(Error::Corrupt { path: found, offset, .. }) = Embedded::open(copy.path()) else {
            panic!("damage at {at} was not seen");
        };
        assert_eq!((found, offset), (path.clone(), (at / PAGE * PAGE) as u64));
        assert_eq!(fs::read(&path).unwrap(), bytes, "the file stays as it is");
    }
}

#[test]
fn a_missing_log_is_seen() {
    let folder = Scratch::new("missing").unwrap();
    let options = EmbeddedOptions { snapshot_after: u64::MAX, ..small() };
    let store = Embedded::open_with(folder.path(), options.clone()).unwrap();
    fill(&store, 50, &vec![7; 3000].into());
    drop(store);
    let logs = files(folder.path(), "log");
    for missing in 0..logs.len() {
        let copy = crashed_copy(folder.path(), "missing-copy");
        fs::remove_file(copy.path().join(logs[missing].file_name().unwrap())).unwrap();
        let opened = Embedded::open_with(copy.path(), options.clone());
        // Without the last log nothing contradicts; only a store that was closed knows better.
        assert_eq!(opened.is_err(), missing + 1 < logs.len(), "{missing}");
    }
    fs::remove_file(logs.last().unwrap()).unwrap();
    let Err(error) = Embedded::open_with(folder.path(), options) else { panic!("a lost log was not seen") };
    assert!(error.to_string().contains("are missing"), "{error}");
}

#[test]
fn a_log_cut_after_closing_is_damage() {
    let folder = Scratch::new("clean").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    fill(&store, 3, &"1".into());
    drop(store);
    let log = files(folder.path(), "log").remove(0);
    fs::File::options().write(true).open(&log).unwrap().set_len(3 * PAGE as u64).unwrap();
    let Err(Error::Corrupt { path, offset, detail }) = Embedded::open(folder.path()) else { panic!("not seen") };
    assert_eq!((path, offset), (log, 3 * PAGE as u64));
    assert_eq!(detail, "revisions 4 to 4 are missing");
}

#[test]
fn a_damaged_snapshot_is_named() {
    let folder = Scratch::new("bad-snapshot").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    fill(&store, 10, &vec![7; 1000].into());
    let target = Scratch::new("bad-snapshot-target").unwrap();
    store.backup(target.path()).unwrap();
    let path = files(target.path(), "snapshot").remove(0);
    let whole = fs::read(&path).unwrap();
    for at in [3, 9, 25, PAGE + 1, PAGE + 500] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let Err(Error::Corrupt { path: found, .. }) = Embedded::open(target.path()) else { panic!("{at} not seen") };
        assert_eq!(found, path);
    }
    fs::write(&path, &whole[..PAGE]).unwrap();
    assert!(matches!(Embedded::open(target.path()), Err(Error::Corrupt { .. })));
}

#[test]
fn dropping_the_store_ends_watches() {
    let folder = Scratch::new("drop").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    let mut watch = store.watch(&pods(), Revision::FIRST);
    put(&store, "a", "1");
    drop(store);
    run(async {
        event(&mut watch).await;
        assert!(watch.next().await.is_none());
    });
}
