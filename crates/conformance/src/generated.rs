//! The generated backend: one crate for all packages, built once, asked for every case.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sprag_codegen::{Options, generate};
use sprag_program::Plan;
use sprag_tags::types::Universe;
use sprag_value::{Value, json};

use crate::wire::CaseError;

const MAIN: &str = include_str!("../generated/main.rs");

/// The answer of generated code to a case.
pub(crate) type CaseResult = Result<Vec<CaseError>, String>;

/// A call of a generated validator.
pub(crate) struct Call<'c> {
    pub(crate) package: &'c str,
    pub(crate) ty: &'c str,
    pub(crate) op: &'c str,
    pub(crate) options: Value,
    pub(crate) beta: bool,
    pub(crate) subresource: &'c str,
    pub(crate) obj: &'c Value,
    pub(crate) old: &'c Value,
}

impl Call<'_> {
    fn line(&self) -> String {
        let mut request = Value::object();
        request.insert("package", self.package);
        request.insert("type", self.ty);
        request.insert("op", self.op);
        request.insert("options", self.options.clone());
        request.insert("beta", self.beta);
        request.insert("subresource", self.subresource);
        request.insert("obj", self.obj.clone());
        request.insert("old", self.old.clone());
        json::to_string(&request)
    }
}

/// Builds the validators of all packages in a folder below the target directory, or in this one, and calls them in order.
pub(crate) fn answers(
    universe: &Universe,
    plan: &Plan,
    calls: &[Call<'_>],
    work_dir: Option<&Path>,
) -> Result<Vec<CaseResult>, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = work_dir.map_or_else(|| workspace.join("target/conformance-generated"), Path::to_owned);
    write_crate(universe, plan, &workspace, &dir)?;
    let binary = build(&dir)?;
    ask(&binary, calls)
}

fn write_crate(universe: &Universe, plan: &Plan, workspace: &Path, dir: &Path) -> Result<(), String> {
    let output = generate(universe, plan, &Options::validators_of_crates()).map_err(|findings| {
        let messages: Vec<String> = findings.into_iter().map(|finding| finding.message).collect();
        format!("no code for this corpus:\n{}", messages.join("\n"))
    })?;
    let workspace = workspace.canonicalize().map_err(|error| format!("{}: {error}", workspace.display()))?;
    let mut manifest = "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                        [profile.dev]\ndebug = false\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n"
        .to_owned();
    for name in ["checks", "field", "value"] {
        let path = workspace.join("crates").join(name);
        let _ = writeln!(manifest, "sprag-{name} = {{ path = {:?} }}", path.display().to_string());
    }
    let source = dir.join("src");
    if source.exists() {
        std::fs::remove_dir_all(&source).map_err(|error| format!("{}: {error}", source.display()))?;
    }
    write(&dir.join("Cargo.toml"), &manifest)?;
    let lock = std::fs::read_to_string(workspace.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    write(&dir.join("Cargo.lock"), &lock)?;
    write(&source.join("main.rs"), MAIN)?;
    write(&source.join("hooks.rs"), &hooks(plan))?;
    for (path, text) in &output.files {
        write(&source.join("generated").join(path), text)?;
    }
    Ok(())
}

/// Stub hooks: each yields one error that names it.
fn hooks(plan: &Plan) -> String {
    let names: BTreeSet<&str> = plan.hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut text = String::new();
    if !names.is_empty() {
        text.push_str("use sprag_checks::{At, BadValue, Errors};\n");
    }
    for name in names {
        let function = sprag_codegen::hook_name(name);
        let _ = writeln!(
            text,
            "\npub fn {function}<N, O>(at: &At<'_>, _: N, _: O, errors: &mut Errors) -> bool {{\n    \
             errors.push(sprag_field::Error::invalid(&at.path, BadValue::Nil, {name:?}));\n    true\n}}"
        );
    }
    text
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

fn build(dir: &Path) -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = dir.join("target");
    let status = Command::new(cargo)
        .args(["build", "--offline", "--quiet"])
        .current_dir(dir)
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err(format!("generated code in {} does not build", dir.display()));
    }
    Ok(target.join("debug").join(format!("generated{}", std::env::consts::EXE_SUFFIX)))
}

fn ask(binary: &Path, calls: &[Call<'_>]) -> Result<Vec<CaseResult>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", binary.display());
    let mut child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let stdin = child.stdin.take();
    let stdout = child.stdout.take();
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return Err("no pipes to generated code".into()) };
    let requests: Vec<String> = calls.iter().map(Call::line).collect();
    let writer = std::thread::spawn(move || requests.iter().try_for_each(|line| writeln!(stdin, "{line}")));
    let mut answers = Vec::with_capacity(calls.len());
    for line in BufReader::new(stdout).lines() {
        answers.push(parse_answer(&line.map_err(failed)?)?);
    }
    let sent = writer.join().map_err(|_| "the writer of requests stopped".to_owned())?;
    let status = child.wait().map_err(failed)?;
    if !status.success() || answers.len() != calls.len() {
        return Err(format!("generated code answered {} of {} cases ({status}, {sent:?})", answers.len(), calls.len()));
    }
    Ok(answers)
}

fn parse_answer(line: &str) -> Result<CaseResult, String> {
    let value = json::parse(line.as_bytes()).map_err(|error| format!("answer of generated code: {error}"))?;
    match value.as_str() {
        Some(failure) => Ok(Err(failure.to_owned())),
        None => sprag_value::from_value(&value).map(Ok).map_err(|error| format!("answer of generated code: {error}")),
    }
}
