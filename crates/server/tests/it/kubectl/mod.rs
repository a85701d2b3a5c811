//! kubectl, whichever is on the path.

mod apply;
mod documents;
mod life;
mod workloads;

use std::process::Stdio;

use serde_json::Value;
use sprag_storage::testing::Scratch;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::definitions;
use crate::harness::{Home, PATIENCE, TestServer};

/// A kubectl that talks to one server and leaves nothing in the home of the user.
struct Kubectl {
    folder: Scratch,
}

/// The output of kubectl.
#[derive(Debug)]
struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    /// Returns the output of a command that succeeded.
    #[track_caller]
    fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// Returns the error output of a command that failed.
    #[track_caller]
    fn refused(self) -> String {
        assert_ne!(self.code, 0, "{self:?}");
        self.err
    }
}

impl Kubectl {
    /// None when there is no kubectl on this machine.
    async fn new(server: &TestServer) -> Option<Kubectl> {
        let folder = Scratch::new("kubectl").unwrap();
        std::fs::write(folder.path().join("config"), server.running.kubeconfig_text()).unwrap();
        let kubectl = Kubectl { folder };
        let found = kubectl.command("version --client").stdout(Stdio::null()).stderr(Stdio::null()).status().await;
        if !found.is_ok_and(|status| status.success()) {
            eprintln!("skipped: kubectl is not installed");
            return None;
        }
        Some(kubectl)
    }

    /// A command whose arguments are separated by spaces.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new("kubectl");
        command
            .args(arguments.split(' '))
            .env("KUBECONFIG", self.folder.path().join("config"))
            .env("HOME", self.folder.path())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, arguments: &str) -> Said {
        self.run_with(arguments, "").await
    }

    /// Runs a command with an object, which kubectl reads with `-f -`.
    async fn run_on(&self, arguments: &str, object: &Value) -> Said {
        self.run_with(arguments, &object.to_string()).await
    }

    async fn run_with(&self, arguments: &str, input: &str) -> Said {
        let mut command = self.command(arguments);
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
        let done = timeout(PATIENCE, child.wait_with_output()).await;
        let done = done.unwrap_or_else(|_| panic!("kubectl {arguments} does not end")).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        Said { code: done.status.code().unwrap(), out: text(&done.stdout), err: text(&done.stderr) }
    }

    /// Starts a command that goes on; it ends with this test.
    fn follow(&self, arguments: &str) -> Followed {
        let mut child = self.command(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Followed { lines, child }
    }
}

/// A command that goes on.
struct Followed {
    lines: Lines<BufReader<ChildStdout>>,
    child: Child,
}

impl Followed {
    /// The words of the next line.
    async fn words(&mut self) -> Vec<String> {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("a line").unwrap().unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect()
    }

    async fn end(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// The words of a text, for tables whose columns are padded.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A server that knows widgets, and kubectl for it.
async fn with_widgets(home: &Home) -> Option<(TestServer, Kubectl)> {
    let widgets = definitions::value(&definitions::widgets());
    let server = home.start_with(|server| server.crd("widgets", widgets)).await;
    if let Some(kubectl) = Kubectl::new(&server).await {
        return Some((server, kubectl));
    }
    server.stop().await;
    None
}
