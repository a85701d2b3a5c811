//! A server as a process: what it prints, and copies of what it keeps.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::run::{Run, command, sprag_in};
use crate::scratch::Scratch;

/// A server that is killed without warning after the test.
struct Served {
    child: Child,
    first_line: String,
}

impl Served {
    fn start(folder: &Path, more: &[&str]) -> Served {
        let listen: &[&str] = if more.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        let args = ["serve", "--data-dir", folder.to_str().unwrap()];
        let args: Vec<&str> = args.iter().chain(listen).chain(more).copied().collect();
        let mut child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first_line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first_line).unwrap();
        Served { child, first_line: first_line.trim().to_owned() }
    }

    /// Kills it; what it had logged.
    fn kill(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number right before a text.
fn number_before(said: &str, text: &str) -> u64 {
    let before = said.split(text).next().unwrap();
    let at = before.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |at| at + 1);
    before[at..].parse().unwrap()
}

fn run(scratch: &Scratch, args: &[&str]) -> Run {
    sprag_in(scratch.dir(), args, "")
}

#[test]
fn a_running_server_is_copied_and_restored() {
    let scratch = Scratch::new("serving");
    let served = Served::start(&scratch.join("data"), &[]);
    assert!(served.first_line.starts_with("listening on https://127.0.0.1:"), "{}", served.first_line);
    let copied = run(&scratch, &["backup", "data", "copy"]);
    assert_eq!((copied.code, &*copied.stderr), (Some(0), ""));
    assert!(
        number_before(&copied.stdout, " objects, ") > 4 && copied.stdout.ends_with(" in copy\n"),
        "{}",
        copied.stdout
    );
    let busy = run(&scratch, &["restore", "data", "copy"]);
    assert_eq!(busy.code, Some(2));
    assert!(busy.stderr.contains("is in use by another process"), "{}", busy.stderr);
    served.kill();
    let full = run(&scratch, &["restore", "data", "copy"]);
    assert!(full.stderr.contains("holds a store already: move it away first"), "{}", full.stderr);
    let restored = run(&scratch, &["restore", "fresh", "copy"]);
    assert_eq!((restored.code, &*restored.stderr), (Some(0), ""));
    assert_eq!(restored.stdout, copied.stdout.replace(" in ", " of "));
    assert_eq!(run(&scratch, &["backup", "fresh", "again"]).stdout, copied.stdout.replace("copy", "again"));
    Served::start(&scratch.join("fresh"), &[]).kill();
    for (args, why) in [
        (["backup", "nowhere", "copy2"], "nowhere: no objects in this folder: name the --data-dir"),
        (["restore", "other", "nowhere"], "cannot open nowhere"),
        (["restore", "other", "data/token"], "data/token: not a file that `sprag backup` wrote"),
    ] {
        let failed = run(&scratch, &args);
        assert_eq!(failed.code, Some(2), "{args:?}");
        assert!(failed.stderr.contains(why), "{args:?}: {}", failed.stderr);
        assert!(!scratch.join("other").exists() && !scratch.join("copy2").exists(), "{args:?}");
    }
}

#[test]
fn a_store_that_was_not_closed_says_so() {
    let scratch = Scratch::new("killed");
    let data = scratch.join("data");
    let log = Served::start(&data, &[]).kill();
    assert_eq!(log, "", "a new store is no news");
    let log = Served::start(&data, &[]).kill();
    assert!(log.contains("the store was not closed: its log was read to the end entries="), "{log}");
    let entries = number_before(&log, " revision=");
    let revision: u64 = log.trim_end().rsplit("revision=").next().unwrap().parse().unwrap();
    assert!(revision > entries, "{log}");
    let store = fs::read_dir(data.join("store")).unwrap().map(|item| item.unwrap().path());
    let path = store.filter(|path| path.extension().is_some_and(|end| end == "log")).max().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // The last commit is torn: its page has lost its end.
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[end - 10..=end].fill(0);
    fs::write(&path, bytes).unwrap();
    let log = Served::start(&data, &[]).kill();
    assert!(log.contains("a commit that was never acknowledged, was cut off") && log.contains("bytes=4096"), "{log}");
    // The second server changed the endpoints of the kubernetes service and their slice, and the latter is lost.
    assert!(log.contains(&format!("entries={entries} revision={}", revision + 1)), "{log}");
}

#[test]
fn the_real_address_is_printed() {
    let scratch = Scratch::new("open");
    let served = Served::start(&scratch.join("data"), &["--listen", "0.0.0.0:0"]);
    assert!(served.first_line.starts_with("listening on https://0.0.0.0:"), "{}", served.first_line);
    served.kill();
    let refused =
        run(&scratch, &["serve", "--data-dir", "data", "--listen", "0.0.0.0:0", "--authorization-mode", "AlwaysAllow"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("add --i-know-this-is-open if that is meant"), "{}", refused.stderr);
}

#[test]
fn releases_that_upstream_could_not_emulate_are_refused_in_its_words() {
    let scratch = Scratch::new("emulated");
    for (version, why) in [
        ("1.99", "emulation version 1.99 is not between [1.34, 1.37.0]"),
        (
            "kube=1.33",
            "[emulation version 1.33 is not between [1.34, 1.37.0], minCompatibilityVersion version 1.34 is not between [1.34, 1.33]]",
        ),
        (
            "1.26",
            "[emulation version 1.26 is not between [1.34, 1.37.0], minCompatibilityVersion version 1.34 is not between [1.34, 1.26]]",
        ),
    ] {
        let refused = run(&scratch, &["serve", "--data-dir", "data", "--emulated-version", version]);
        assert_eq!((refused.code, &*refused.stderr), (Some(2), &*format!("error: {why}\n")));
    }
    // A server of an older release has a range of its own.
    let args = ["serve", "--data-dir", "data", "--kubernetes-version", "1.33", "--emulated-version", "1.34"];
    let refused = run(&scratch, &args);
    assert_eq!(refused.stderr, "error: emulation version 1.34 is not between [1.31, 1.33.0]\n");
}
