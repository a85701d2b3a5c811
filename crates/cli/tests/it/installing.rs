//! Parts of packages of the binary: its version, completions, manual pages, archives, and the files that name its commands.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{Run, sprag, sprag_in};
use crate::scratch::Scratch;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const WORKFLOWS: [&str; 2] = [".github/workflows/ci.yml", ".github/workflows/release.yml"];

fn root(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap()
}

#[test]
fn the_version_says_what_is_emulated() {
    let text = sprag(&["version"], "");
    assert_eq!((text.code, &*text.stderr), (Some(0), ""));
    let json: Value = serde_json::from_str(&sprag(&["version", "-o", "json"], "").stdout).unwrap();
    let platform = json["platform"].as_str().unwrap();
    let commit = json["commit"].as_str().unwrap_or("unknown");
    let features: Vec<&str> =
        json["features"].as_array().unwrap().iter().map(|feature| feature.as_str().unwrap()).collect();
    assert!(features.is_sorted() && features.contains(&"envtest"), "{features:?}");
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        text.stdout,
        format!(
            "sprag {}\ncommit: {commit}\nkubernetes: 1.37\nplatform: {platform}\nfeatures: {}\n",
            env!("CARGO_PKG_VERSION"),
            features.join(", ")
        )
    );
}

/// True if a shell can read a script, or is missing.
fn reads(shell: &str, script: &str) -> bool {
    let scratch = Scratch::new(&format!("completions-{shell}"));
    scratch.write("script", script);
    let mut command = Command::new(shell);
    let checked = command.args(["-n", "script"]).current_dir(scratch.dir()).stderr(Stdio::inherit()).status();
    let Ok(status) = checked else {
        eprintln!("skipped: {shell} is not installed");
        return true;
    };
    status.success()
}

#[test]
fn shells_complete_commands_and_flags() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = sprag(&["completions", shell], "");
        assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{shell}");
        for word in ["validate", "exit-with-stdin", "ignore-missing-schemas"] {
            assert!(run.stdout.contains(word), "{shell} knows no {word}");
        }
        assert!(!matches!(shell, "bash" | "fish" | "zsh") || reads(shell, &run.stdout), "{shell}");
    }
    let unknown = sprag(&["completions", "tcsh"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("bash, elvish, fish, powershell, zsh"), "{}", unknown.stderr);
}

#[test]
fn bash_completes_what_it_is_asked_for() {
    let script = sprag(&["completions", "bash"], "").stdout;
    let ask = "COMP_WORDS=(sprag serve --ready) COMP_CWORD=2; _sprag sprag --ready serve; echo \"${COMPREPLY[@]}\"";
    let Ok(output) = Command::new("bash").args(["--norc", "-c", &format!("{script}\n{ask}")]).output() else {
        eprintln!("skipped: bash is not installed");
        return;
    };
    assert_eq!(Run::of(output).stdout, "--ready-file\n");
}

#[test]
fn every_command_has_a_manual_page() {
    let scratch = Scratch::new("man");
    let run = sprag_in(scratch.dir(), &["man", "share/man1"], "");
    assert_eq!((run.code, &*run.stdout, &*run.stderr), (Some(0), "share/man1/sprag.1\n", ""));
    let page = |name: &str| fs::read_to_string(scratch.join("share/man1").join(name)).unwrap();
    let help = sprag(&["--help"], "").stdout;
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    for line in listed.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        if name != "help" {
            let page = page(&format!("sprag-{name}.1"));
            assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
        }
    }
    assert!(page("sprag-crd-check.1").contains("check"));
    scratch.write("file", "");
    let failed = sprag_in(scratch.dir(), &["man", "file"], "");
    assert_eq!(failed.code, Some(2));
    assert!(failed.stderr.contains("cannot make file"), "{}", failed.stderr);
}

/// Runs a script of the repository in a folder, with the archives of a release there.
fn script(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = Command::new(root(args[0]));
    command.args(&args[1..]).current_dir(scratch.dir()).stdin(Stdio::null());
    command.env("SPRAG_RELEASES", format!("file://{}", scratch.path("releases")));
    Run::of(command.output().unwrap())
}

/// Installs a release to `attested`, verified by the `gh` of the folder `tools`.
fn attested_install(scratch: &Scratch, version: &str) -> Run {
    let path = format!("{}:{}", scratch.path("tools"), std::env::var("PATH").unwrap());
    let mut command = Command::new(root(".ci/install-release"));
    command.args([version, "attested"]).current_dir(scratch.dir()).stdin(Stdio::null());
    command.env("SPRAG_RELEASES", format!("file://{}", scratch.path("releases")));
    command.env("SPRAG_ATTESTED_BY", "example/sprag").env("PATH", path);
    Run::of(command.output().unwrap())
}

#[test]
fn an_archive_is_packed_and_installed() {
    let has_tools = ["curl", "tar", "sha256sum"].iter().all(|tool| {
        let mut command = Command::new(tool);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    });
    if !has_tools || !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        eprintln!("skipped: archives need curl, tar and sha256sum, and this test Linux on x86-64");
        return;
    }
    let scratch = Scratch::new("archive");
    // The binary itself, with its debug information, takes long to compress.
    scratch.write("sprag", &format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_sprag")));
    fs::set_permissions(scratch.join("sprag"), fs::Permissions::from_mode(0o755)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let folder = format!("releases/v{version}");
    let name = format!("sprag-{version}-x86_64-unknown-linux-musl");
    let pack = || script(&scratch, &[".ci/archive", "sprag", "x86_64-unknown-linux-musl", &folder]);
    let packed = pack();
    let again = pack();
    assert_eq!((packed.code, &*packed.stderr), (Some(0), ""));
    assert!(packed.stdout.ends_with(&format!("  {name}.tar.gz\n")), "{}", packed.stdout);
    assert_eq!(packed.stdout, again.stdout, "the same files make another archive");
    let listed =
        Command::new("tar").arg("-tzf").arg(scratch.join(&format!("{folder}/{name}.tar.gz"))).output().unwrap();
    let listed = Run::of(listed).stdout;
    for file in ["sprag", "LICENSE", "sprag.service", "completions/sprag.zsh", "man/man1/sprag-serve.1"] {
        assert!(listed.contains(&format!("{name}/{file}\n")), "{file} is not in {listed}");
    }

    let installed = script(&scratch, &[".ci/install-release", &format!("v{version}"), "bin"]);
    assert_eq!((installed.code, &*installed.stdout), (Some(0), &*format!("sprag {version}\n")), "{}", installed.stderr);
    assert!(scratch.join("bin/sprag").exists());
    // An archive without an attestation is not unpacked, whatever its checksum.
    for (answer, expected) in [(1, "no attestation\n"), (0, "")] {
        scratch.write("tools/gh", &format!("#!/bin/sh\necho \"$@\" >asked\nprintf '{expected}' >&2\nexit {answer}\n"));
        fs::set_permissions(scratch.join("tools/gh"), fs::Permissions::from_mode(0o755)).unwrap();
        let attested = attested_install(&scratch, version);
        assert_eq!((attested.code == Some(0), &*attested.stderr), (answer == 0, expected));
        assert_eq!(scratch.join("attested").exists(), answer == 0);
    }
    let odd = script(&scratch, &[".ci/install-release", "../0.1.0", "odd"]);
    assert_eq!((odd.code, &*odd.stderr), (Some(1), "install-release: not a version: ../0.1.0\n"));
    fs::write(scratch.join(&format!("{folder}/{name}.tar.gz")), "something else").unwrap();
    let refused = script(&scratch, &[".ci/install-release", version, "other"]);
    assert!(refused.code != Some(0) && !scratch.join("other").exists(), "{}{}", refused.stdout, refused.stderr);
}

#[test]
fn files_for_other_tools_name_commands_that_exist() {
    let hooks = read(".pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: sprag ")).collect();
    assert_eq!(entries.len(), hooks.matches("- id:").count());
    for entry in entries {
        let args: Vec<&str> = entry.split(' ').chain(["--help"]).collect();
        assert_eq!(sprag(&args, "").code, Some(0), "{entry}");
    }
    let help = sprag(&["serve", "--help"], "").stdout;
    let unit = read("dist/sprag.service");
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/sprag serve ")).unwrap();
    for flag in start.split(' ').filter(|word| word.starts_with("--")) {
        assert!(help.contains(&format!("{flag} <")), "{flag}");
    }
    let action = read("action.yml");
    let args = action.lines().find_map(|line| line.trim().strip_prefix("default: validate ")).unwrap();
    let scratch = Scratch::new("action");
    scratch.write("below/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n");
    let args: Vec<&str> = ["validate"].into_iter().chain(args.split(' ')).chain(["-o", "github"]).collect();
    let run = sprag_in(scratch.dir(), &args, "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.starts_with("::error file=below/map.yaml,line="), "{}", run.stdout);
}

#[test]
fn packages_of_other_languages_have_our_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (file, line) in [
        ("wrappers/python/pyproject.toml", format!("version = \"{version}\"")),
        ("wrappers/python/src/sprag_k8s/__init__.py", format!("__version__ = \"{version}\"")),
        ("wrappers/node/package.json", format!("\"version\": \"{version}\"")),
        ("wrappers/node/package.json", format!("\"sprag-linux-x64\": \"{version}\"")),
        ("wrappers/java/pom.xml", format!("<version>{version}</version>")),
        ("Cargo.toml", format!("sprag-server = {{ version = \"{version}\"")),
    ] {
        assert!(read(file).contains(&line), "{file} has no {line}");
    }
    let toolchain = read("Cargo.toml");
    let rust = toolchain.lines().find_map(|line| line.strip_prefix("rust-version = \"")).unwrap().trim_end_matches('"');
    assert!(read("Dockerfile").contains(&format!("rust:{rust}-alpine")));
    for workflow in WORKFLOWS {
        assert!(read(workflow).contains(&format!("rustup toolchain install {rust} ")), "{workflow}");
    }
}

/// Files that name actions of others: workflows, the action itself, and what users copy from the documentation.
const USES_ACTIONS: [&str; 5] = [WORKFLOWS[0], WORKFLOWS[1], "action.yml", "docs/ci.md", "docs/install.md"];

fn is_digest(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A tag of somebody else's action may be moved; a digest cannot.
#[test]
fn actions_are_pinned_by_digest() {
    let mut pins = 0;
    for file in USES_ACTIONS {
        for line in read(file).lines().map(|line| line.trim().trim_start_matches("- ")) {
            let Some(action) = line.strip_prefix("uses: ") else { continue };
            if action.starts_with("OWNER/sprag@") {
                continue;
            }
            let (_, pin) = action.split_once('@').unwrap_or_default();
            let (digest, comment) = pin.split_once(" # ").unwrap_or((pin, ""));
            assert!(is_digest(digest, 40), "{file}: {action}");
            let version = comment.strip_prefix('v').unwrap_or_default();
            assert_eq!(version.split('.').count(), 3, "{file}: {action}: the version is not beside it, as # v1.2.3");
            pins += 1;
        }
    }
    assert!(pins >= 8, "only {pins} actions were found");
}

#[test]
fn workflows_may_read_only_and_leave_no_token_behind() {
    for workflow in WORKFLOWS {
        let text = read(workflow);
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{workflow}");
        let checkouts = text.matches("actions/checkout@").count();
        assert_eq!(text.matches("persist-credentials: false").count(), checkouts, "{workflow}");
    }
}

#[test]
fn images_are_built_from_digests() {
    let file = read("Dockerfile");
    let bases: Vec<&str> = file.lines().filter_map(|line| line.strip_prefix("FROM ")).collect();
    let pinned = bases.iter().filter(|base| **base != "scratch");
    for base in pinned {
        let digest = base.split_once("@sha256:").unwrap_or_default().1.split(' ').next().unwrap_or_default();
        assert!(is_digest(digest, 64), "{base}");
    }
    assert_eq!(bases.len(), 2);
    // A front end of the builder would be an image by tag, too.
    assert!(!file.starts_with("# syntax="), "{file}");
}

#[test]
fn releases_are_attested_before_they_are_published() {
    let release = read(".github/workflows/release.yml");
    let attest = release.find("uses: actions/attest-build-provenance@").unwrap();
    assert!(attest < release.find("gh release create").unwrap());
    assert!(release.contains("id-token: write") && release.contains("attestations: write"));
    for kind in ["tar.gz", "tgz", "whl"] {
        assert!(release.contains(&format!("            out/*.{kind}\n")), "{kind}");
    }
}

#[test]
fn an_image_is_made_the_same_twice_and_its_digests_are_right() {
    let scratch = Scratch::new("image");
    scratch.write("sprag", "#!/bin/sh\n");
    scratch.write("ca.crt", "certificates\n");
    let image = |out: &str| {
        let mut command = Command::new(root(".ci/image"));
        command.args(["sprag", out]).current_dir(scratch.dir()).stdin(Stdio::null());
        let certificates = scratch.join("ca.crt");
        Run::of(command.env("SSL_CERT_FILE", certificates).env("SOURCE_DATE_EPOCH", "1").output().unwrap())
    };
    let made = image("a");
    if made.code != Some(0) && !cfg!(target_os = "linux") {
        eprintln!("skipped: images need GNU tar");
        return;
    }
    assert_eq!((made.code, &*made.stderr), (Some(0), ""));
    assert_eq!(image("b").stdout, made.stdout);
    let digest = |text: &Value| text["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap().to_owned();
    let blob = |name: &str| fs::read_to_string(scratch.join(&format!("a/blobs/sha256/{name}"))).unwrap();
    let index: Value = serde_json::from_str(&fs::read_to_string(scratch.join("a/index.json")).unwrap()).unwrap();
    let manifest = digest(&index["manifests"][0]);
    assert_eq!(made.stdout.trim(), format!("sha256:{manifest}"));
    let manifest: Value = serde_json::from_str(&blob(&manifest)).unwrap();
    let config: Value = serde_json::from_str(&blob(&digest(&manifest["config"]))).unwrap();
    assert_eq!(config["config"]["User"], "65532:65532");
    let layer = scratch.join(&format!("a/blobs/sha256/{}", digest(&manifest["layers"][0])));
    let listed = Run::of(Command::new("tar").args(["-tvzf"]).arg(layer).output().unwrap()).stdout;
    assert!(listed.contains("usr/local/bin/sprag") && listed.contains("65532/65532"), "{listed}");
}

#[test]
fn the_formula_has_the_checksums_of_the_archives() {
    let scratch = Scratch::new("formula");
    let version = env!("CARGO_PKG_VERSION");
    let targets =
        ["aarch64-apple-darwin", "x86_64-apple-darwin", "aarch64-unknown-linux-musl", "x86_64-unknown-linux-musl"];
    for (number, target) in targets.iter().enumerate() {
        let name = format!("sprag-{version}-{target}.tar.gz");
        scratch.write(&format!("{name}.sha256"), &format!("{}  {name}\n", number.to_string().repeat(64)));
    }
    let formula = script(&scratch, &[".ci/formula", "."]);
    assert_eq!((formula.code, &*formula.stderr), (Some(0), ""));
    for (number, target) in targets.iter().enumerate() {
        let (_, after) = formula.stdout.split_once(&format!("/v{version}/sprag-{version}-{target}.tar.gz\"")).unwrap();
        assert!(after.trim_start().starts_with(&format!("sha256 \"{}\"", number.to_string().repeat(64))), "{target}");
    }
    fs::remove_file(scratch.join(&format!("sprag-{version}-{}.tar.gz.sha256", targets[0]))).unwrap();
    assert_ne!(script(&scratch, &[".ci/formula", "."]).code, Some(0), "a formula lacks an archive");
}

/// Pinned by its commit, the action has no tag to take a version from.
#[test]
fn the_action_installs_the_version_of_its_own_manifest() {
    let run = Run::of(Command::new(root(".ci/version")).current_dir("/").output().unwrap());
    assert_eq!((run.code, &*run.stdout), (Some(0), &*format!("{}\n", env!("CARGO_PKG_VERSION"))));
    let action = read("action.yml");
    assert!(action.contains("/.ci/version") && !action.contains("action_ref"), "{action}");
}

/// `CONTRIBUTING.md` tells what waits for the address of the repository, and the release workflow does not publish before.
#[test]
fn placeholders_are_listed_in_one_place() {
    let run = Run::of(Command::new(root(".ci/placeholders")).output().unwrap());
    assert_eq!(run.code, Some(i32::from(!run.stderr.is_empty())), "{}", run.stderr);
    let contributing = read("CONTRIBUTING.md");
    let (_, section) = contributing.split_once("## Before the first release\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    for line in run.stderr.lines() {
        let file = line.split(':').next().unwrap();
        assert!(section.contains(&format!("`{file}`")), "{line}: not in CONTRIBUTING.md");
    }
    assert!(read(".github/workflows/release.yml").contains("run: .ci/placeholders\n"));
}
