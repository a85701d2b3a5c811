//! The clients of other languages, where they are installed.

use std::path::Path;
use std::process::Stdio;

use sprag_storage::testing::Scratch;
use tokio::process::Command;
use tokio::time::timeout;

use crate::definitions;
use crate::harness::{Home, PATIENCE, stores};

/// A language: how it runs scripts, and the name of its client.
struct Language {
    program: &'static str,
    /// Fails when the client is not there.
    probe: [&'static str; 2],
    script: &'static str,
    client: &'static str,
}

const PYTHON: Language = Language {
    program: "python3",
    probe: ["-c", "import kubernetes"],
    script: "python.py",
    client: "the Python client",
};
const NODE: Language = Language {
    program: "node",
    probe: ["-e", "require('@kubernetes/client-node')"],
    script: "node.cjs",
    client: "the Node client",
};

impl Language {
    async fn is_installed(&self) -> bool {
        let mut command = Command::new(self.program);
        let probe = command.args(self.probe).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let found = probe.await.is_ok_and(|status| status.success());
        if !found {
            eprintln!("skipped: {} is not installed", self.client);
        }
        found
    }

    /// Runs the script against a server that knows widgets.
    async fn run(&self, home: Home) {
        if !self.is_installed().await {
            return;
        }
        let widgets = definitions::value(&definitions::widgets());
        let server = home.start_with(|server| server.crd("widgets", widgets)).await;
        let folder = Scratch::new("client").unwrap();
        let config = folder.path().join("config");
        std::fs::write(&config, server.running.kubeconfig_text()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(self.script);
        let output = Command::new(self.program).arg(script).env("KUBECONFIG", config).kill_on_drop(true).output();
        let output = timeout(PATIENCE * 2, output).await.expect("the script ends").unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        assert_eq!(said(&output.stdout), "done", "{}", said(&output.stderr));
        server.stop().await;
    }
}

stores!(python: memory embedded etcd);
async fn python(home: Home) {
    PYTHON.run(home).await;
}

stores!(node: memory embedded etcd);
async fn node(home: Home) {
    NODE.run(home).await;
}
