//! Copies of a store, and who may read it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, EmbeddedOptions, Error, ListOptions, Revision, Store, Write};

use crate::stores::{pod, pods};

fn put(store: &Embedded, number: usize) -> Revision {
    let key = pod("x", &format!("{:04}", number % 500));
    let current = store.get(&key).wait().unwrap().entry;
    let value = vec![7; 1000];
    let write = match current {
        None => Write::create(key, value.into()),
        Some(entry) => Write::update(key, entry.revision, value.into()),
    };
    store.write(write).wait().unwrap().revision
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_store_is_copied_while_it_is_written_to() {
    let folder = Scratch::new("copied").unwrap();
    let place = Scratch::new("copies").unwrap();
    // Logs are closed and replaced by snapshots all the time.
    let options = EmbeddedOptions { segment_bytes: 64 << 10, snapshot_after: 64 << 10, ..EmbeddedOptions::default() };
    let store = Arc::new(Embedded::open_with(folder.path(), options).unwrap());
    (0..500).for_each(|number| assert!(put(&store, number) > Revision::FIRST));
    let stop = Arc::new(AtomicBool::new(false));
    let writer = {
        let store = store.clone();
        let stop = stop.clone();
        std::thread::spawn(move || {
            for number in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                put(&store, number);
            }
        })
    };
    let file = place.path().join("copy");
    for round in 0..20 {
        let acknowledged = store.status().revision;
        let copied = Embedded::backup_folder(folder.path(), &file).unwrap();
        assert!(copied.revision >= acknowledged, "{copied:?} has not all up to {acknowledged}");
        assert_eq!((copied.entries, mode(&file)), (500, 0o600));
        let restored = place.path().join(format!("restored-{round}"));
        assert_eq!(Embedded::restore_folder(&restored, &file).unwrap(), copied);
        let copy = Embedded::open(&restored).unwrap();
        assert_eq!(copy.status().revision, copied.revision);
        let at = ListOptions { at: Some(copied.revision), ..ListOptions::default() };
        if let Ok(then) = store.list(&pods(), at).wait() {
            assert_eq!(copy.list(&pods(), ListOptions::default()).wait().unwrap().entries, then.entries);
        }
    }
    stop.store(true, Ordering::Relaxed);
    writer.join().unwrap();
}

#[test]
fn a_copy_replaces_no_store_and_damage_is_seen_before() {
    let folder = Scratch::new("source").unwrap();
    let place = Scratch::new("place").unwrap();
    let store = Embedded::open(folder.path()).unwrap();
    put(&store, 1);
    let file = place.path().join("copy");
    Embedded::backup_folder(folder.path(), &file).unwrap();
    let error = Embedded::restore_folder(folder.path(), &file).unwrap_err();
    assert!(matches!(error, Error::Locked { .. }), "{error}");
    drop(store);
    let error = Embedded::restore_folder(folder.path(), &file).unwrap_err();
    assert!(error.to_string().contains("holds a store already"), "{error}");
    let mut bytes = fs::read(&file).unwrap();
    bytes[4200] ^= 1;
    fs::write(&file, bytes).unwrap();
    let empty = place.path().join("empty");
    assert!(matches!(Embedded::restore_folder(&empty, &file), Err(Error::Corrupt { .. })));
    assert!(!empty.exists(), "nothing is made of a damaged copy");
    let error = Embedded::backup_folder(place.path(), &file).unwrap_err();
    assert!(error.to_string().contains("holds no store"), "{error}");
}

#[test]
fn only_the_owner_reads_a_store() {
    let scratch = Scratch::new("private").unwrap();
    let folder = scratch.path().join("store");
    drop(Embedded::open(&folder).unwrap());
    let all = || fs::read_dir(&folder).unwrap().map(|item| item.unwrap().path());
    let check = || {
        assert_eq!(mode(&folder), 0o700);
        all().for_each(|path| assert_eq!(mode(&path), 0o600, "{}", path.display()));
    };
    check();
    all().for_each(|path| fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap());
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let store = Embedded::open(&folder).unwrap();
    put(&store, 1);
    check();
}

#[test]
fn errors_for_clients_name_no_file() {
    let error = Error::Io {
        action: "write",
        path: "/srv/secret/0001.log".into(),
        source: Arc::new(std::io::ErrorKind::StorageFull.into()),
    };
    assert_eq!(error.for_clients(), "the store cannot write a file: no storage space");
    let error = Error::Corrupt { path: "/srv/secret/0001.log".into(), offset: 1, detail: String::new() };
    assert!(!error.for_clients().contains("secret"));
}
