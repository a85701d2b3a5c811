//! The handshake of `sprag serve` with the program that starts it, and the wrappers for other languages.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{Run, command, sprag_in};
use crate::scratch::Scratch;

const PATIENCE: Duration = Duration::from_secs(20);

/// The flags of a server for one test, and more.
fn flags<'f>(more: &[&'f str]) -> Vec<&'f str> {
    let own =
        ["serve", "--storage", "memory", "--listen", "127.0.0.1:0", "--data-dir", "data", "--ready-file", "ready"];
    own.iter().chain(more).copied().collect()
}

/// A server, the pipe to its standard input, and the first line that it prints.
fn start(scratch: &Scratch, more: &[&str]) -> (Child, ChildStdin, String) {
    let mut command = command(&flags(more));
    command.current_dir(scratch.dir()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, stdin, line)
}

/// The exit code of a process that is about to end.
#[track_caller]
fn ended(child: &mut Child) -> Option<i32> {
    let before = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if before.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it goes on");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_file_and_standard_output_say_where_the_server_is() {
    let scratch = Scratch::new("handshake");
    let (mut child, stdin, line) = start(&scratch, &["-o", "json", "--exit-with-stdin"]);
    let ready: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(fs::read_to_string(scratch.join("ready")).unwrap(), line);
    let members: Vec<&String> = ready.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "apiVersion",
            "certificateAuthority",
            "kind",
            "kubeconfig",
            "kubernetesVersion",
            "pid",
            "tokenFile",
            "url",
            "version"
        ]
    );
    assert_eq!((&ready["apiVersion"], &ready["kind"]), (&"sprag.dev/v1alpha1".into(), &"Ready".into()));
    assert_eq!((&ready["pid"], &ready["kubernetesVersion"]), (&child.id().into(), &"1.37".into()));
    let file = |name: &str| fs::read_to_string(ready[name].as_str().unwrap()).unwrap();
    let url = ready["url"].as_str().unwrap();
    assert!(file("kubeconfig").contains(url) && file("kubeconfig").contains(file("tokenFile").trim()), "{url}");
    assert!(!line.contains(file("tokenFile").trim()), "a secret is in what may be logged: {line}");
    assert_eq!(ready["certificateAuthority"], fs::read_to_string(scratch.join("data/pki/ca.crt")).unwrap());
    drop(stdin);
    assert_eq!(ended(&mut child), Some(0));
    assert!(!scratch.join("ready").exists(), "a server that is gone is not ready");
}

#[test]
fn standard_input_means_nothing_without_the_flag() {
    let scratch = Scratch::new("handshake-open");
    let (mut child, stdin, line) = start(&scratch, &[]);
    assert!(line.starts_with("listening on https://127.0.0.1:"), "{line}");
    drop(stdin);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(scratch.join("ready").exists(), "one that is killed cannot clean up");
    // The next one does, before it is ready itself or fails.
    let failed = sprag_in(scratch.dir(), &flags(&["--crds", "nowhere"]), "");
    assert_eq!(failed.code, Some(2), "{}", failed.stderr);
    assert!(!scratch.join("ready").exists(), "{}", failed.stderr);
}

#[test]
fn standard_input_that_is_closed_already_is_said() {
    let scratch = Scratch::new("handshake-closed");
    let run = sprag_in(scratch.dir(), &flags(&["--exit-with-stdin", "--history", "5m"]), "");
    // The pipe of this test closes at once, before or after the server is ready.
    if run.code != Some(0) {
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        assert!(run.stderr.contains("standard input was closed before the server was ready"), "{}", run.stderr);
    }
    assert!(!scratch.join("ready").exists());
}

/// Runs the tests of a wrapper in its folder. `probe` fails where a tool is missing.
fn wrapper(name: &str, tool: &str, probe: &[&str], test: &[&str], expected: &str) {
    if !succeeds(probe) {
        eprintln!("skipped: wrappers/{name}: {tool} is not installed");
        return;
    }
    let folder = format!("{}/../../wrappers/{name}", env!("CARGO_MANIFEST_DIR"));
    let scratch = Scratch::new(&format!("wrapper-{name}"));
    let mut command = Command::new(test[0]);
    command.args(&test[1..]).current_dir(folder).stdin(Stdio::null());
    command.env("SPRAG", env!("CARGO_BIN_EXE_sprag")).env("TMPDIR", scratch.dir());
    let output = command.env("PYTHONPATH", "src").env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
    let run = Run::of(output);
    assert!(run.code == Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains(expected) || run.stderr.contains(expected), "{}{}", run.stdout, run.stderr);
    let left: Vec<_> = fs::read_dir(scratch.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let left: Vec<_> = left.iter().filter(|name| name.to_string_lossy().starts_with("sprag-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn succeeds(command: &[&str]) -> bool {
    let mut probe = Command::new(command[0]);
    probe.args(&command[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

#[test]
fn the_wrapper_for_python_works() {
    let probe = ["python3", "-c", "import sys; assert sys.version_info >= (3, 9)"];
    wrapper("python", "Python 3.9 or later", &probe, &["python3", "-m", "unittest", "discover", "tests"], "\nOK");
}

#[test]
fn the_fixtures_for_pytest_work() {
    let test = ["python3", "-m", "pytest", "-q", "-p", "sprag_k8s.pytest_plugin", "-p", "no:cacheprovider", "tests"];
    wrapper("python", "pytest", &["python3", "-c", "import pytest"], &test, " passed");
}

#[test]
fn the_wrapper_for_node_works() {
    let probe = ["node", "-e", "process.exit(Number(process.versions.node.split('.')[0]) >= 18 ? 0 : 1)"];
    wrapper("node", "Node 18 or later", &probe, &["node", "--test", "test/"], "# fail 0");
}

#[test]
fn the_wrapper_for_java_works() {
    let classes = Scratch::new("wrapper-java-classes");
    let main = "src/main/java/dev/sprag";
    let test = "src/test/java/dev/sprag";
    let script = format!(
        "javac -Xlint:all -Werror -d {0} {main}/*.java {test}/LifeCheck.java && java -cp {0} dev.sprag.LifeCheck",
        classes.dir().display()
    );
    wrapper(
        "java",
        "a JDK 17 or later",
        &["javac", "--release", "17", "--version"],
        &["sh", "-c", &script],
        "5 checks passed",
    );
}

#[test]
fn the_extension_of_junit_works() {
    // Offline: the test does not download JUnit or plug-ins of Maven.
    let pom = format!("{}/../../wrappers/java/pom.xml", env!("CARGO_MANIFEST_DIR"));
    if !succeeds(&["mvn", "-B", "-o", "-q", "-f", &pom, "test-compile"]) {
        eprintln!(
            "skipped: wrappers/java: mvn has no JUnit (run mvn -f wrappers/java/pom.xml test once with a network)"
        );
        return;
    }
    wrapper(
        "java",
        "Maven",
        &["mvn", "--version"],
        &["mvn", "-B", "-o", "test"],
        "Tests run: 2, Failures: 0, Errors: 0",
    );
}
