//! `--render`: charts and kustomizations rendered by the programs that the user has, without their plug-ins and without the network.
//!
//! Never from settings of a repository: what is rendered may come from anybody.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use sprag_analysis::Standing;
use sprag_analysis::files::{ChartSchemas, Content, Found, Layout, is_remote_kustomization, schemas_of_chart};

use crate::output::Terminal;

/// Maximum length of what a program prints.
const MAX_BYTES: u64 = 256 << 20;
/// Maximum length of its errors that is kept.
const MAX_ERROR_BYTES: u64 = 64 << 10;
/// Time for one program.
const PATIENCE: Duration = Duration::from_mins(2);

/// Begins the name of what Helm rendered.
const HELM: &str = "helm template ";

/// Renders all charts, and all kustomizations that no other names.
pub(super) fn render_all(layout: &Layout, terminal: &mut Terminal) -> Vec<Found> {
    let mut rendered = Vec::new();
    let schemas = |chart: &&str| schemas_of_chart(Path::new(chart));
    let (remote, charts): (BTreeSet<&str>, BTreeSet<&str>) =
        layout.charts().partition(|chart| schemas(chart) == ChartSchemas::Outside);
    for chart in remote {
        terminal.warning(&format!(
            "--render: {chart}: the schema of its values refers to other files, and it is not rendered"
        ));
    }
    if !charts.is_empty() {
        match on_path("helm") {
            Some(helm) => rendered.extend(charts.iter().map(|chart| render(chart, HELM, helm_command(&helm, chart)))),
            None => terminal.warning("--render: there is no helm on the PATH, so charts are not rendered"),
        }
    }
    let (remote, local): (Vec<&str>, Vec<&str>) =
        layout.overlays().partition(|folder| is_remote_kustomization(Path::new(folder)));
    for folder in remote {
        terminal.warning(&format!("--render: {folder}: names something on another machine, and is not rendered"));
    }
    if !local.is_empty() {
        match on_path("kustomize")
            .map(|program| (program, "build"))
            .or_else(|| Some((on_path("kubectl")?, "kustomize")))
        {
            Some((program, verb)) => rendered.extend(
                local
                    .iter()
                    .map(|folder| render(folder, "kustomize build ", kustomize_command(&program, verb, folder))),
            ),
            None => terminal.warning(
                "--render: there is neither kustomize nor kubectl on the PATH, so kustomizations are not rendered",
            ),
        }
    }
    rendered
}

/// The template of a chart as it is found from here: Helm names files from the name of the chart on.
pub(super) fn template(file: &str, source: &str) -> Option<String> {
    let folder = file.strip_prefix(HELM)?;
    let (_, below) = source.split_once('/')?;
    Some(if folder == "." { below.to_owned() } else { format!("{folder}/{below}") })
}

fn helm_command(program: &Path, chart: &str) -> Command {
    let mut command = offline(program);
    command.args(["template", "release-name"]).arg(Path::new(".").join(chart));
    if schemas_of_chart(Path::new(chart)) == ChartSchemas::Packed {
        // A flag of Helm 3.16 and newer: packed charts may have schemas that it would fetch.
        command.arg("--skip-schema-validation");
    }
    // No plug-in, and no settings of repositories of charts.
    command.env("HELM_NO_PLUGINS", "1").env("HELM_PLUGINS", "/dev/null").env_remove("HELM_KUBECONTEXT");
    command
}

fn kustomize_command(program: &Path, verb: &str, folder: &str) -> Command {
    let mut command = offline(program);
    // Plug-ins, functions and charts are off unless flags switch them on.
    command.arg(verb).arg(Path::new(".").join(folder));
    command
}

/// A program that reaches neither the network nor a cluster by the ways that it knows.
fn offline(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Nothing listens on the port of discarding.
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(name, "http://127.0.0.1:9");
    }
    for name in ["NO_PROXY", "no_proxy"] {
        command.env_remove(name);
    }
    command.envs([
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("KUBECONFIG", "/dev/null"),
        ("KUSTOMIZE_PLUGIN_HOME", "/dev/null"),
    ]);
    command
}

fn render(folder: &str, what: &str, command: Command) -> Found {
    let content = match output(command) {
        Ok(text) => Content::Held(text.into()),
        Err(reason) => Content::Unreadable(reason.to_string()),
    };
    Found { name: format!("{what}{folder}"), content, standing: Standing::Rendered }
}

/// What a program prints, within limits. Its errors are the first line that it writes there.
fn output(mut command: Command) -> io::Result<Vec<u8>> {
    let mut child = command.spawn()?;
    let out = limited(child.stdout.take(), MAX_BYTES);
    let errors = limited(child.stderr.take(), MAX_ERROR_BYTES);
    let Ok(text) = out.recv_timeout(PATIENCE) else {
        stop(&mut child);
        return Err(io::Error::other(format!("took more than {} s", PATIENCE.as_secs())));
    };
    if text.len() as u64 > MAX_BYTES {
        stop(&mut child);
        return Err(io::Error::other(format!("printed more than {} MiB", MAX_BYTES >> 20)));
    }
    let errors = errors.recv_timeout(PATIENCE).unwrap_or_default();
    if child.wait()?.success() {
        return Ok(text);
    }
    Err(io::Error::other(reason(&String::from_utf8_lossy(&errors)).to_owned()))
}

/// The first line that a program wrote of what is wrong. kubectl logs it, with the time, and several lines between `<` and `>`.
fn reason(said: &str) -> &str {
    let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or("failed");
    match first.split_once("] \"command failed\" err=") {
        Some((_, "<")) => lines.next().unwrap_or("failed"),
        Some((_, text)) => text.trim_matches('"'),
        None => first,
    }
}

/// Reads a stream on a thread of its own, up to one byte more than a limit.
fn limited(stream: Option<impl Read + Send + 'static>, limit: u64) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // A stream that breaks ends here; the program says why.
            let _ = stream.take(limit + 1).read_to_end(&mut bytes);
        }
        // Nobody waits for it after a timeout.
        let _ = send.send(bytes);
    });
    receive
}

fn stop(child: &mut Child) {
    // It may have ended by itself, which is just as well.
    let _ = child.kill();
    let _ = child.wait();
}

/// The program of a name. Folders that depend on the working directory do not count: they may be those of a repository.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_without_the_time() {
        let log = "E1120 00:21:06.138414    6233 run.go:72] \"command failed\" err=";
        assert_eq!(reason(&format!("{log}\"plugins disabled\"")), "plugins disabled");
        assert_eq!(reason(&format!("{log}<\n\ttrouble with\n\tpath\n >")), "trouble with");
        assert_eq!(reason("Error: no chart\n"), "Error: no chart");
        assert_eq!(reason(""), "failed");
    }
}
