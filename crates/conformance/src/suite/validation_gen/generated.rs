//! The generated backend: one crate for all packages, built once, asked for every case.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sprag_codegen::{Options, generate};
use sprag_value::{Value, json};

use super::{Corpus, subresource};
use crate::wire::{Case, CaseError, PackageFile};

const MAIN: &str = include_str!("../../../generated/main.rs");

/// The answer of generated code to a case.
pub(crate) type Answer = Result<Vec<CaseError>, String>;

/// Builds the validators of a corpus and runs all cases through them, in order.
pub(crate) fn answers(
    corpus: &Corpus,
    cases: &[(&PackageFile, &Case)],
    work_dir: Option<&Path>,
) -> Result<Vec<Answer>, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let dir = work_dir.map_or_else(|| workspace.join("target/conformance-generated"), Path::to_owned);
    write_crate(corpus, &workspace, &dir)?;
    let binary = build(&dir)?;
    ask(&binary, cases)
}

fn write_crate(corpus: &Corpus, workspace: &Path, dir: &Path) -> Result<(), String> {
    let output = generate(&corpus.universe, corpus.program.plan(), &Options::validators_of_crates()).map_err(|findings| {
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
    write(&source.join("hooks.rs"), &hooks(corpus))?;
    for (path, text) in &output.files {
        write(&source.join("generated").join(path), text)?;
    }
    Ok(())
}

/// The corpus' stub hooks: each yields one error that names it.
fn hooks(corpus: &Corpus) -> String {
    let names: BTreeSet<&str> = corpus.program.plan().hooks.iter().map(|hook| hook.name.as_str()).collect();
    let mut text = "use sprag_checks::{At, BadValue, Errors};\n".to_owned();
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

fn ask(binary: &Path, cases: &[(&PackageFile, &Case)]) -> Result<Vec<Answer>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", binary.display());
    let mut child = Command::new(binary).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return Err("no pipes to generated code".into()) };
    let requests: Vec<String> = cases.iter().map(|(file, case)| request(file, case)).collect();
    let writer = std::thread::spawn(move || requests.iter().try_for_each(|line| writeln!(stdin, "{line}")));
    let mut answers = Vec::with_capacity(cases.len());
    for line in BufReader::new(stdout).lines() {
        answers.push(parse_answer(&line.map_err(failed)?)?);
    }
    let sent = writer.join().map_err(|_| "the writer of requests stopped".to_owned())?;
    let status = child.wait().map_err(failed)?;
    if !status.success() || answers.len() != cases.len() {
        return Err(format!("generated code answered {} of {} cases ({status}, {sent:?})", answers.len(), cases.len()));
    }
    Ok(answers)
}

fn request(file: &PackageFile, case: &Case) -> String {
    let mut request = Value::object();
    let options: Value = case.options.iter().flatten().map(|(name, on)| (name.as_str(), *on)).collect();
    request.insert("package", Corpus::case_package(file, case));
    request.insert("type", case.ty.as_str());
    request.insert("op", case.op.as_str());
    request.insert("options", options);
    request.insert("subresource", subresource(case));
    request.insert("obj", case.obj.clone());
    request.insert("old", case.old.clone());
    json::to_string(&request)
}

fn parse_answer(line: &str) -> Result<Answer, String> {
    let value = json::parse(line.as_bytes()).map_err(|error| format!("answer of generated code: {error}"))?;
    match value.as_str() {
        Some(failure) => Ok(Err(failure.to_owned())),
        None => sprag_value::from_value(&value).map(Ok).map_err(|error| format!("answer of generated code: {error}")),
    }
}
