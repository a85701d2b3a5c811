//! The page for operators, run as it is written: its files are written, its commands run, and what those print is what it says.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use expect_test::expect_file;
use http::Request;
use http_body_util::BodyExt as _;
use sprag::field::{Error, Path as FieldPath};
use sprag::serve::{Memory, Store};
use sprag::{Definition, Stage, StrategyConfig, Value, value::json};
use sprag_build::load::{LoadOptions, load};
use sprag_program::NoHooks;
use sprag_rest::ProgramConfig;
use sprag_server::InProcess;
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, Untagged, lower, program};
use tokio::runtime::Runtime;

const GAUGES: &str = "/apis/example.dev/v1/namespaces/default/gauges";

/// The cluster that the commands of the page work on.
struct Cluster {
    folder: PathBuf,
    store: Arc<dyn Store>,
    runtime: Runtime,
    server: Option<InProcess>,
}

impl Cluster {
    /// Runs a command and returns what it prints.
    fn run(&mut self, command: &str) -> String {
        let words: Vec<&str> = command.split(' ').collect();
        match words.as_slice() {
            ["gauges", "serve", flags @ ..] => {
                self.start(flags.first().and_then(|flag| flag.strip_prefix("--feature-gates=")).unwrap_or_default());
                String::new()
            }
            ["kubectl", "create", "-f", file] => self.write("POST", file, "created"),
            ["kubectl", "replace", "-f", file] => self.write("PUT", file, "replaced"),
            ["kubectl", "get", "gauge", name, "-o", "jsonpath={.spec}"] => {
                let (_, gauge) = self.send("GET", &format!("{GAUGES}/{name}"), Bytes::new());
                let gauge = json::parse(&gauge).unwrap();
                format!("{}\n", json::to_string(gauge.get("spec").unwrap_or(&Value::Null)))
            }
            ["kubectl", "get", "--raw", path, "|", "grep", pattern] => {
                let (_, text) = self.send("GET", path, Bytes::new());
                let text = String::from_utf8(text.to_vec()).unwrap();
                let matches = |line: &&str| match pattern.strip_prefix('^') {
                    Some(start) => line.starts_with(start),
                    None => line.contains(pattern) && !line.starts_with('#'),
                };
                text.lines().filter(matches).flat_map(|line| [line, "\n"]).collect()
            }
            _ => panic!("the test does not know the command {command:?}"),
        }
    }

    fn start(&mut self, switches: &str) {
        let server = sprag_server::Server::new(self.store.clone())
            .feature_gate("GaugeNeedle", Stage::Alpha)
            .switch_features(switches)
            .resource(gauges(&self.folder.join("v1.rs")));
        self.server = Some(self.runtime.block_on(server.in_process()).unwrap());
    }

    fn write(&self, method: &str, file: &str, done: &str) -> String {
        let text = fs::read(self.folder.join(file)).unwrap();
        let object = sprag_decode::yaml::decode(&text).unwrap();
        let name = object.lookup(&["metadata", "name"]).and_then(Value::as_str).unwrap();
        let path = if method == "PUT" { format!("{GAUGES}/{name}") } else { GAUGES.to_owned() };
        let (code, answer) = self.send(method, &path, json::to_string(&object).into());
        if code < 300 {
            return format!("gauge.example.dev/{name} {done}\n");
        }
        let status = json::parse(&answer).unwrap();
        let message = status.get("message").and_then(Value::as_str).unwrap();
        // As kubectl shows a status with the reason Invalid.
        let rest = message.split_once("is invalid: ").map_or(message, |(_, rest)| rest);
        format!("The Gauge \"{name}\" is invalid: {rest}\n")
    }

    fn send(&self, method: &str, path: &str, body: Bytes) -> (u16, Bytes) {
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        let request = request.body(body).unwrap();
        let server = self.server.as_ref().expect("the page starts a server first");
        self.runtime.block_on(async {
            let answer = server.answer(request).await;
            let code = answer.status().as_u16();
            (code, answer.into_body().collect().await.unwrap().to_bytes())
        })
    }
}

/// The kind of the page, with the code that it speaks of.
fn gauges(source: &Path) -> Definition {
    let loaded = load(&[source.to_owned()], &LoadOptions::default()).unwrap();
    let universe = Universe::new(loaded.packages, |_| true);
    let options = LowerOptions { untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    assert!(lowering.findings.is_empty(), "{:?}", lowering.findings);
    let program = Arc::new(program(&universe, &lowering));
    let gauge = program.find("example.dev", "v1", "Gauge").unwrap();
    let strategy = StrategyConfig::new().validate(|_, gauge: &Value, errors| {
        if let Some(size) = gauge.lookup(&["spec", "size"]).and_then(Value::as_i64).filter(|size| *size > 10) {
            let spec = FieldPath::new("spec");
            errors.push(
                Error::invalid(&spec.child("size"), size, "must be less than or equal to 10")
                    .with_covered_by_declarative(),
            );
        }
    });
    let config = ProgramConfig::new(program.clone(), Arc::new(NoHooks));
    config.resource("example.dev", "v1", gauge).strategy(strategy).define()
}

#[test]
fn the_page_for_operators_says_what_happens() {
    let folder = std::env::temp_dir().join(format!("sprag-operate-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut cluster = Cluster { folder, store: Arc::new(Memory::new()), runtime, server: None };
    let page = include_str!("../../../../docs/operate.md");
    let mut result = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        result.extend([line, "\n"]);
        let Some(fence) = line.strip_prefix("```").filter(|fence| !fence.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((_, file)) = fence.split_once("file=") {
            fs::write(cluster.folder.join(file), format!("{}\n", block.join("\n"))).unwrap();
        }
        if fence == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                result.extend(["$ ", command, "\n", &cluster.run(command)]);
            }
        } else {
            result.extend(block.iter().flat_map(|line| [line, "\n"]));
        }
        result.push_str("```\n");
    }
    fs::remove_dir_all(&cluster.folder).unwrap();
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operate.md")].assert_eq(&result);
}
