//! `sprag lsp` as the editor starts it, by a scripted client and by Neovim.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::run::{command, sprag_in};
use crate::scratch::Scratch;

const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, maximum: 10, description: How large it is.}
              mode: {type: string, enum: [Fast, Slow]}
";

const OBJECTS: &str = "apiVersion: example.dev/v1
kind: Widget
metadata: {name: a}
spec: {size: 11, colour: red}
---
apiVersion: v1
kind: Pod
metadata: {name: A}
spec:
  containers:
  - name: \u{1F600}
    image: b
    ports: [{containerPort: 80800}]
---
apiVersion: apps/v1
kind: Deploymnt
metadata: {name: a}
";

/// A client over pipes.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(folder: &Path) -> Client {
        let mut command = command(&["lsp", "--stdio"]);
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut client = Client { server, input, output };
        let root = format!("file://{}", folder.display());
        client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"processId": null, "rootUri": root, "capabilities": {}}}));
        while client.read().get("result").is_none() {}
        client.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server is gone");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", count)) => length = count.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// Opens a text and returns its diagnostics.
    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let item = json!({"uri": uri, "languageId": "yaml", "version": 1, "text": text});
        self.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}));
        loop {
            let message = self.read();
            if message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    fn stop(mut self) {
        self.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}));
        while self.read()["id"] != 2 {}
        self.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
        assert!(self.server.wait().unwrap().success());
    }
}

fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    // The end of the search for settings.
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    folder.write("crds/widgets.yaml", DEFINITION);
    folder.write("objects.yaml", OBJECTS);
    folder
}

#[test]
fn diagnostics_are_those_of_validate() {
    let folder = folder("lsp-validate");
    let validated = sprag_in(folder.dir(), &["validate", ".", "--output", "json"], "");
    let document: Value = serde_json::from_str(&validated.stdout).unwrap();
    let mut expected = BTreeSet::new();
    for finding in
        document["resources"].as_array().unwrap().iter().flat_map(|resource| resource["findings"].as_array().unwrap())
    {
        let place = format!("{}:{}", finding["line"], finding["column"]);
        expected.insert((place, finding["message"].as_str().unwrap().to_owned()));
    }
    assert!(expected.len() > 4, "{}", validated.stdout);
    let mut client = Client::start(folder.dir());
    let found = client.open(&format!("file://{}", folder.path("objects.yaml")), OBJECTS);
    // All characters before these places are of one unit.
    let place = |diagnostic: &Value| {
        let start = &diagnostic["range"]["start"];
        format!("{}:{}", start["line"].as_u64().unwrap() + 1, start["character"].as_u64().unwrap() + 1)
    };
    let found: BTreeSet<_> = found
        .iter()
        .map(|diagnostic| (place(diagnostic), diagnostic["message"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(found, expected);
    client.stop();
}

#[test]
fn settings_and_tests_are_checked() {
    let folder = folder("lsp-settings");
    let mut client = Client::start(folder.dir());
    let settings = "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  strct: true\n";
    let found = client.open(&format!("file://{}", folder.path(".sprag.yaml")), settings);
    assert_eq!(found[0]["message"], "validate: there is no key \"strct\"; did you mean \"strict\"?");
    assert_eq!(found[0]["range"]["start"]["line"], 3);
    let tests = "apiVersion: sprag.dev/v1alpha1\nkind: Test\ntests:\n- name: a\n  given: {}\n";
    let found = client.open(&format!("file://{}", folder.path("test.yaml")), tests);
    assert!(found[0]["message"].as_str().unwrap().contains("needs `valid: true` or `errors`"), "{found:?}");
    client.stop();
}

/// What Neovim is told to do; its answers are printed as one line each.
const SCRIPT: &str = r#"
local function say(name, value) io.stdout:write(name .. ' ' .. vim.fn.json_encode(value) .. '\n') end
local sprag = os.getenv('SPRAG')
vim.lsp.start_client({ name = 'sprag', cmd = { sprag, 'lsp' }, root_dir = vim.fn.getcwd(),
  on_init = function(client) vim.lsp.buf_attach_client(0, client.id) end })
vim.cmd('edit objects.yaml')
local function texts()
  local all = {}
  for _, found in ipairs(vim.diagnostic.get(0)) do table.insert(all, found.lnum .. ' ' .. found.message) end
  table.sort(all)
  return all
end
vim.wait(60000, function() return #vim.diagnostic.get(0) > 3 end, 20)
say('first', texts())
local function ask(method, extra)
  vim.api.nvim_win_set_cursor(0, { 4, 8 })
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  for key, value in pairs(extra or {}) do params[key] = value end
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
say('hover', ask('textDocument/hover'))
local whole = { start = { line = 3, character = 0 }, ['end'] = { line = 3, character = 40 } }
say('actions', ask('textDocument/codeAction', { range = whole, context = { diagnostics = {} } }))
vim.api.nvim_buf_set_lines(0, 3, 4, true, { 'spec:', '  mode: ', '  size: 1' })
vim.api.nvim_win_set_cursor(0, { 5, 7 })
local params = vim.lsp.util.make_position_params(0, 'utf-16')
params.position = { line = 4, character = 8 }
local answers = vim.lsp.buf_request_sync(0, 'textDocument/completion', params, 60000)
for _, answer in pairs(answers or {}) do say('completion', answer.result) end
vim.wait(60000, function()
  for _, text in ipairs(texts()) do if text:find('spec.size') then return false end end
  return true
end, 20)
say('last', texts())
vim.cmd('qall!')
"#;

#[test]
fn neovim_shows_the_same() {
    if Command::new("nvim").arg("--version").output().is_err() {
        eprintln!("skipped: nvim is not installed");
        return;
    }
    let folder = folder("lsp-nvim");
    folder.write("init.lua", SCRIPT);
    let mut nvim = Command::new("nvim");
    nvim.args(["--headless", "-n", "-i", "NONE", "-u", "init.lua"]).current_dir(folder.dir());
    nvim.env("SPRAG", env!("CARGO_BIN_EXE_sprag")).env("HOME", folder.dir()).env("XDG_STATE_HOME", folder.dir());
    let output = nvim.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let said = |name: &str| -> Value {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(' '));
        serde_json::from_str(line.unwrap_or_else(|| panic!("no {name}: {text}"))).unwrap()
    };
    let first = said("first").to_string();
    assert!(first.contains("spec.size: Invalid value: 11") && first.contains("metadata.name"), "{first}");
    assert!(said("hover")["contents"]["value"].as_str().unwrap().contains("How large it is."), "{text}");
    assert!(
        said("actions").as_array().unwrap().iter().any(|action| action["title"] == "Export Widget a as a test"),
        "{text}"
    );
    let labels: Vec<String> =
        said("completion").as_array().unwrap().iter().map(|item| item["label"].to_string()).collect();
    assert_eq!(labels, ["\"Fast\"", "\"Slow\""]);
    assert!(!said("last").to_string().contains("spec.size"), "{text}");
}
