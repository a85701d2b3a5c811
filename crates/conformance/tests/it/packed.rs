//! The packed files: small, current, and free of anything about the machine of the recording.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

/// The most bytes that all packed files may take together.
const MAX_BYTES: usize = 3_000_000;

/// Beginnings of paths on the machines of people and of builds.
const LOCAL_PATHS: [&str; 6] = ["/Users/", "/builds/", "/go/src/", "/home/", "/root/", "/tmp/"];

/// The folder of the packed files.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded")
}

/// The packed files of a folder by name.
fn packed(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    let packed = paths.filter(|path| path.extension().is_some_and(|extension| extension == "gz"));
    packed
        .map(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).expect("names are text").to_owned();
            (name, std::fs::read(&path).expect("files can be read"))
        })
        .collect()
}

#[test]
fn packed_files_are_small() {
    let bytes: usize = packed(&folder()).values().map(Vec::len).sum();
    assert!(bytes <= MAX_BYTES, "{bytes} bytes");
}

#[test]
fn packed_files_name_no_path_of_a_machine() {
    for (name, bytes) in packed(&folder()) {
        let mut text = String::new();
        GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("packed files hold text");
        // Pods of recorded workloads have volumes in folders of nodes.
        let is_native = name.starts_with("native") || name.starts_with("versions");
        let of_nodes: &[&str] = if is_native { &["/home/", "/tmp/"] } else { &[] };
        for path in LOCAL_PATHS.iter().filter(|path| !of_nodes.contains(path)) {
            assert!(!text.contains(path), "{name} contains {path}");
        }
    }
}

#[test]
fn packed_files_are_current() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if !recordings.exists() {
        eprintln!("skipped: packing again (../shared/conformance is missing)");
        return;
    }
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packed");
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).expect("old files can be removed");
    }
    sprag_conformance::pack(&recordings, &fresh).expect("the recordings can be packed");
    let ours = packed(&folder());
    let fresh = packed(&fresh);
    assert!(ours.keys().eq(fresh.keys()), "{:?} packed, {:?} expected", ours.keys(), fresh.keys());
    for (name, bytes) in &ours {
        assert!(fresh[name] == *bytes, "{name} is not what `sprag-conformance pack` yields: see recorded/README.md");
    }
}
