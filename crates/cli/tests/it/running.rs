//! `sprag run`: the exit code of the command is passed on, and nothing stays behind.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{FIXTURES, Run, command};
use crate::scratch::Scratch;

const PATIENCE: Duration = Duration::from_secs(20);

/// `sprag run` with these arguments; its folders are made in the scratch folder.
fn sprag_run(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = command(&["run"]);
    command.args(args).current_dir(scratch.dir()).env("TMPDIR", scratch.dir()).stdin(Stdio::null());
    command
}

#[track_caller]
fn check(scratch: &Scratch, args: &[&str]) -> Run {
    let run = Run::of(sprag_run(scratch, args).output().unwrap());
    assert_eq!(left(scratch), Vec::<String>::new(), "{args:?}: {}", run.stderr);
    run
}

/// Temporary folders that exist.
fn left(scratch: &Scratch) -> Vec<String> {
    let names = fs::read_dir(scratch.dir()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("sprag-")).collect()
}

/// Starts a shell that prints a line, then waits; the line.
fn start(scratch: &Scratch, script: &str) -> (Child, String) {
    let mut child = sprag_run(scratch, &["--", "sh", "-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().to_owned())
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let before = Instant::now();
    while !is_so() {
        assert!(before.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn kill(signal: &str, pid: &str) -> bool {
    Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status().unwrap().success()
}

#[test]
fn the_command_finds_a_server_and_its_exit_code_is_the_exit_code() {
    let scratch = Scratch::new("run");
    let script = r#"grep -o 'https://127.0.0.1:' "$KUBECONFIG"; ls "$KUBEBUILDER_ASSETS" | grep -v kubectl; exit 7"#;
    let run = check(&scratch, &["--", "sh", "-c", script]);
    assert_eq!(
        (run.code, &*run.stdout, &*run.stderr),
        (Some(7), "https://127.0.0.1:\netcd\nkube-apiserver\nkubernetes-version\n", "")
    );
    // The first word ends the options, so that `--` may be left out.
    assert_eq!(check(&scratch, &["sh", "-c", "exit 3"]).code, Some(3));
    assert_eq!(check(&scratch, &["--", "sh", "-c", "kill -KILL $$"]).code, Some(128 + 9));
}

#[test]
fn what_cannot_be_run_is_named() {
    let scratch = Scratch::new("run-nothing");
    let run = check(&scratch, &["--", "no-such-command"]);
    assert_eq!(run.code, Some(127));
    assert!(run.stderr.contains("cannot run no-such-command: No such file"), "{}", run.stderr);
    let folder = scratch.dir().to_str().unwrap().to_owned();
    assert_eq!(check(&scratch, &["--", &folder]).code, Some(126));
    let run = check(&scratch, &["--crds", "nowhere", "--", "true"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--crds: cannot read nowhere"), "{}", run.stderr);
    let run = check(&scratch, &["--feature-gates", "NoSuchGate=true", "--", "true"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(check(&scratch, &[]).code, Some(2));
}

#[test]
fn signals_are_for_the_command() {
    let scratch = Scratch::new("run-signals");
    for (signal, code) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        let script = format!("trap 'exit {code}' {}; echo on; while :; do sleep 0.05; done", &signal[1..]);
        let (mut child, line) = start(&scratch, &script);
        assert_eq!(line, "on");
        assert!(kill(signal, &child.id().to_string()));
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        assert_eq!(left(&scratch), Vec::<String>::new());
    }
}

/// Only Linux ends a command with the process that started it.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_killed_leaves_nothing_behind() {
    let scratch = Scratch::new("run-killed");
    let (mut child, pid) = start(&scratch, "echo $$; exec sleep 100");
    assert_eq!(left(&scratch).len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    until("the folder is still there", || left(&scratch).is_empty());
    until("the command goes on", || !kill("-0", &pid));
}

/// A folder that somebody sent may have links that lead back, and pipes.
#[test]
fn folders_of_definitions_that_lead_back_are_read_once() {
    let scratch = Scratch::new("definitions-that-lead-back");
    let crds = fs::read_to_string(format!("{FIXTURES}/crds/widgets.yaml")).unwrap();
    scratch.write("crds/widgets.yaml", &crds);
    for link in ["a", "b"] {
        std::os::unix::fs::symlink(".", scratch.join("crds").join(link)).unwrap();
    }
    let pipe = scratch.join("crds/pipe.yaml");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let run = check(&scratch, &["--crds", "crds", "--", "true"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{}", run.stderr);
}

/// Files and folders that others may use, processes that show the token, and an environment that has it: there are none.
#[cfg(target_os = "linux")]
#[test]
fn a_run_is_for_its_user_alone() {
    let scratch = Scratch::new("run-alone");
    let script = r#"folder=$(dirname "$KUBECONFIG")
        find "$folder" -path "$folder/envtest" -prune -o ! -type l -perm /077 -print
        test -s "$folder/token" || echo no token
        env | grep -cF -f "$folder/token"
        cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -caF -f "$folder/token"
        cp "$folder/token" copied"#;
    let run = check(&scratch, &["--", "sh", "-c", script]);
    assert_eq!((&*run.stdout, &*run.stderr), ("0\n0\n", ""));
    assert!(fs::read_to_string(scratch.join("copied")).unwrap().len() > 20);
}
