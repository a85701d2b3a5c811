//! The answers of kubectl, if it is installed.

use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::outcomes::Outcome;
use super::compare::{PLACEHOLDERS, sorted_errors};
use super::site::{Site, write};
use super::wire::{As, KubectlCase};

/// The number of parallel runs.
const JOBS: usize = 4;
/// The longest time that a command may take.
const MAX_COMMAND: Duration = Duration::from_mins(1);

/// True if there is a kubectl on this machine.
pub(super) fn is_installed() -> bool {
    let mut version = Command::new("kubectl");
    version.args(["version", "--client"]).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// Runs all cases; those of a sequence in order, after the others.
pub(super) async fn run(
    site: &Site,
    recorded: &Path,
    cases: Vec<KubectlCase>,
) -> Result<Vec<(String, Outcome)>, String> {
    for case in &cases {
        let credentials = site.credentials(&As::Named(case.identity.clone())).await?;
        write(&config(site.folder(), &case.identity), &site.kubeconfig(&credentials))?;
    }
    let folder = site.folder().to_owned();
    let files = recorded.join("kubectl-files");
    let work = move || {
        let (ordered, others): (Vec<KubectlCase>, Vec<KubectlCase>) =
            cases.into_iter().partition(|case| case.sequence.is_some());
        let mut outcomes = side_by_side(&folder, &files, &others)?;
        for case in ordered {
            outcomes.push((case.id.clone(), run_case(&folder, &files, &case)?));
        }
        Ok(outcomes)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}

fn side_by_side(folder: &Path, files: &Path, cases: &[KubectlCase]) -> Result<Vec<(String, Outcome)>, String> {
    let next = Arc::new(AtomicUsize::new(0));
    let worker = || -> Result<Vec<(String, Outcome)>, String> {
        let mut outcomes = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcomes.push((case.id.clone(), run_case(folder, files, case)?));
        }
        Ok(outcomes)
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..JOBS).map(|_| scope.spawn(worker)).collect();
        let mut outcomes = Vec::new();
        for worker in workers {
            outcomes.extend(worker.join().map_err(|_| "a worker panicked".to_owned())??);
        }
        Ok(outcomes)
    })
}

fn run_case(folder: &Path, files: &Path, case: &KubectlCase) -> Result<Outcome, String> {
    let (code, stdout, stderr) = call(folder, files, case).map_err(|error| format!("kubectl: {error}"))?;
    let mut text = String::new();
    if code != case.exit {
        let _ = writeln!(text, "  exit: {} recorded, {code} ours", case.exit);
    }
    let ordered = |said: &str| if case.unordered_errors { sorted_errors(said) } else { said.to_owned() };
    for (name, want, ours) in [("stdout", &case.stdout, stdout), ("stderr", &case.stderr, stderr)] {
        let want = ordered(want);
        let ours = ordered(&String::from_utf8_lossy(&ours));
        if !PLACEHOLDERS.same_text(&want, &ours) {
            let _ = writeln!(text, "  {name}: {want:?} recorded, {ours:?} ours");
        }
    }
    Ok(if text.is_empty() { Outcome::Passed } else { Outcome::Failed(format!("  kubectl {}\n{text}", case.args)) })
}

/// Runs a command and returns its exit code and output. One that does not end is ended.
fn call(folder: &Path, files: &Path, case: &KubectlCase) -> io::Result<(i32, Vec<u8>, Vec<u8>)> {
    let name = case.id.replace('/', "-");
    let out = folder.join(format!("{name}.out"));
    let err = folder.join(format!("{name}.err"));
    let mut kubectl = Command::new("kubectl")
        .args(words(&case.args))
        .current_dir(files)
        .env("KUBECONFIG", config(folder, &case.identity))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out)?)
        .stderr(File::create(&err)?)
        .spawn()?;
    let started = Instant::now();
    let code = loop {
        if let Some(status) = kubectl.try_wait()? {
            break status.code().unwrap_or(-1);
        }
        if started.elapsed() > MAX_COMMAND {
            kubectl.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Ok((code, std::fs::read(out)?, std::fs::read(err)?))
}

/// The words of a command line, without their quotes.
fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace(['"', '\''], "")).collect()
}

fn config(folder: &Path, identity: &str) -> PathBuf {
    folder.join(format!("kubeconfig-{identity}"))
}
