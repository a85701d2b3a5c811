//! Files that others sent name further files: settings and tests reach nothing outside of the repository, wait for no pipe, and print
//! no text of a file that they should not have reached.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{self, Run};
use crate::scratch::Scratch;

/// What must never be printed: it is in files beside the repository and in its `.git`.
const SECRET: &str = "c2VjcmV0OnNlY3JldA";
const GOOD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: good}\nspec: {size: 1}\n";
const TESTS: &str =
    "tests:\n- name: a\n  given: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n  valid: true\n";

/// A home with secrets and a repository in it.
struct Home(Scratch);

impl Home {
    fn new(name: &str) -> Home {
        let scratch = Scratch::new(name);
        scratch
            .write("home/docker.json", &format!(r#"{{"auths": {{"registry.example.com": {{"auth": "{SECRET}"}}}}}}"#));
        scratch.write("home/private/types.go", &format!("package private\n\n// {SECRET}\ntype {SECRET} struct{{}}\n"));
        scratch.write("home/repo/m/a.yaml", GOOD);
        scratch.write("home/repo/tests/keep", "");
        let crds = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();
        scratch.write("home/repo/crds/widgets.yaml", &crds);
        scratch.write("home/repo/.git/HEAD", "ref: refs/heads/main\n");
        scratch.write("home/repo/.git/config", &format!("[http]\n\textraheader = AUTHORIZATION: basic {SECRET}\n"));
        let home = Home(scratch);
        symlink("../docker.json", home.repo().join("link.json")).unwrap();
        symlink("..", home.repo().join("up")).unwrap();
        symlink(".git/config", home.repo().join("config.yaml")).unwrap();
        assert!(Command::new("mkfifo").arg(home.repo().join("pipe.yaml")).status().unwrap().success());
        home
    }

    fn repo(&self) -> PathBuf {
        self.0.join("home/repo")
    }
}

/// Runs it in a folder; it shows no secret.
#[track_caller]
fn sprag(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let Run { stdout, stderr, code } = run::sprag_in(folder, args, "");
    let said = format!("{stdout}{stderr}");
    assert!(!said.contains(SECRET) && !said.contains("extraheader") && !said.contains("auths"), "{args:?}: {said}");
    (code, said)
}

/// Paths that lead out of a repository, seen from a folder in it, and why they are refused.
const PATHS: [(&str, &str); 10] = [
    ("../../docker.json", "is outside of the repository"),
    ("../../no-such-file", "is outside of the repository"),
    ("../../*.json", "is outside of the repository"),
    ("/proc/self/environ", "is outside of the repository"),
    ("../link.json", "is outside of the repository"),
    ("../up/docker.json", "is outside of the repository"),
    ("../l*.json", "is outside of the repository"),
    ("../.git/config", "is in the folder of git"),
    ("../c*.yaml", "is in the folder of git"),
    ("../pipe.yaml", "is neither a file nor a folder"),
];

#[test]
fn paths_of_test_files_stay_inside_of_the_repository() {
    let home = Home::new("test-paths");
    for key in ["crds", "policies", "types", "tags"] {
        for (path, why) in PATHS {
            let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Test\n{key}: ['{path}']\n{TESTS}");
            home.0.write("home/repo/tests/a.yaml", &text);
            for (folder, file) in [(home.repo(), "tests"), (home.repo().join("tests"), "a.yaml")] {
                let (code, said) = sprag(&folder, &["test", file]);
                assert_eq!(code, Some(2), "{key} {path}: {said}");
                assert!(said.contains(&format!(":3: {key}: ")) && said.contains(why), "{key} {path}: {said}");
            }
        }
    }
    let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: '../m/../crds/*.yaml'\n{TESTS}");
    home.0.write("home/repo/tests/a.yaml", &text);
    assert_eq!(sprag(&home.repo(), &["test", "tests"]).0, Some(0));
}

#[test]
fn paths_of_settings_stay_inside_of_the_repository() {
    let home = Home::new("settings-paths");
    let validate = ["filenames", "crds", "policies", "types", "tags"].map(|key| ("validate", key, "validate"));
    for (section, key, command) in
        validate.into_iter().chain([("test", "filenames", "test"), ("lint", "exceptions", "lint")])
    {
        for (path, why) in PATHS {
            let path = path.strip_prefix("../").unwrap_or(path);
            let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\n{section}:\n  {key}: '{path}'\n");
            home.0.write("home/repo/.sprag.yaml", &text);
            let args = if command == "lint" { vec!["lint", "crds"] } else { vec![command] };
            let (code, said) = sprag(&home.repo(), &args);
            if key == "exceptions" && path.contains('*') {
                // The name of one file, no pattern.
                assert_eq!(code, Some(2), "{said}");
                continue;
            }
            assert_eq!(code, Some(2), "{section}.{key} {path}: {said}");
            assert!(said.contains(&format!(".sprag.yaml:4: {section}.{key}: ")), "{key} {path}: {said}");
            assert!(said.contains(why), "{section}.{key} {path}: {said}");
        }
    }
}

#[test]
fn without_a_repository_files_reach_what_is_in_the_working_directory() {
    let place = std::env::temp_dir().join(format!("sprag-no-repository-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = place.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("secret.yaml", &format!("a: {SECRET}\n"));
    write("project/crds/widgets.yaml", &fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap());
    let test = |crds: &str| format!("apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: {crds}\n{TESTS}");
    write("project/tests/a.yaml", &test("../crds"));
    assert_eq!(sprag(&place.join("project"), &["test", "tests"]).0, Some(0));
    let (code, said) = sprag(&place.join("project/tests"), &["test"]);
    let why =
        format!("crds: ./../crds is outside of {}", place.canonicalize().unwrap().join("project/tests").display());
    assert!(code == Some(2) && said.contains(&why), "{said}");
    write("project/tests/a.yaml", &test("../../secret.yaml"));
    let (code, said) = sprag(&place.join("project"), &["test", "tests"]);
    assert!(code == Some(2) && said.contains("../../secret.yaml is outside of "), "{said}");
    fs::remove_dir_all(&place).unwrap();
}

#[test]
fn links_that_match_a_pattern_do_not_lead_out() {
    let home = Home::new("pattern-links");
    symlink("../..", home.repo().join("m/up")).unwrap();
    for pattern in ["*.json", "m/*/docker.json", "m/u*/*.json", "[l]ink.json"] {
        let (code, said) = sprag(&home.repo(), &["validate", "-f", pattern]);
        assert_eq!(code, Some(2), "{pattern}: {said}");
        assert!(said.contains("a link that leads out of the folder"), "{pattern}: {said}");
    }
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.com",
        "-c",
        "init.defaultBranch=main",
    ]);
    command.args(args);
    assert!(command.output().unwrap().status.success(), "git {args:?}");
}

fn commit(folder: &Path, file: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    git(folder, &["init", "--quiet"]);
    fs::write(folder.join(file), text).unwrap();
    git(folder, &["add", file]);
    git(folder, &["commit", "--quiet", "--message", "a"]);
}

/// Makes a sent repository lead to a private one.
type Steal = fn(&Path, &Path);

#[test]
fn revisions_are_those_of_the_own_repository() {
    let scratch = Scratch::new("settings-git");
    let private = scratch.join("private");
    commit(&private, "a.yaml", &GOOD.replace("good", SECRET).replace("size: 1", "size: -1"));
    let settings = |file: &str| format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  {file}\n");
    let crds = fs::read_to_string(format!("{}/crds/widgets.yaml", run::FIXTURES)).unwrap();

    // A `.git` file, a link, a common folder and an object folder of another repository.
    let steal: [(&str, Steal); 4] = [
        ("file", |sent, private| {
            fs::write(sent.join(".git"), format!("gitdir: {}/.git\n", private.display())).unwrap();
        }),
        ("link", |sent, private| symlink(private.join(".git"), sent.join(".git")).unwrap()),
        ("common", |sent, private| {
            git(sent, &["init", "--quiet"]);
            fs::write(sent.join(".git/commondir"), format!("{}/.git\n", private.display())).unwrap();
        }),
        ("objects", |sent, private| {
            git(sent, &["init", "--quiet"]);
            fs::remove_dir_all(sent.join(".git/objects")).unwrap();
            symlink(private.join(".git/objects"), sent.join(".git/objects")).unwrap();
            fs::copy(private.join(".git/refs/heads/main"), sent.join(".git/refs/heads/main")).unwrap();
        }),
    ];
    for (name, steal) in steal {
        let sent = scratch.join(name);
        fs::create_dir_all(&sent).unwrap();
        scratch.write(&format!("{name}/widgets.yaml"), &crds);
        steal(&sent, &private);
        for (setting, key) in
            [("crds: git:HEAD:a.yaml", "validate.crds"), ("filenames: ['git:HEAD:a.yaml']", "validate.filenames")]
        {
            scratch.write(&format!("{name}/.sprag.yaml"), &settings(setting));
            let (code, said) = sprag(&sent, &["validate"]);
            assert_eq!(code, Some(2), "{name} {setting}: {said}");
            assert!(said.contains(&format!("{key}: git:HEAD:a.yaml is in another repository")), "{name}: {said}");
        }
        scratch.write(&format!("{name}/.sprag.yaml"), &settings("base: HEAD"));
        let (code, said) = sprag(&sent, &["validate", "widgets.yaml"]);
        assert!(code == Some(2) && said.contains("validate.base: HEAD is in another repository"), "{name}: {said}");
    }

    // A linked worktree and a submodule are repositories of their own, wherever git keeps their objects.
    let own = scratch.join("own");
    commit(&own, "a.yaml", GOOD);
    scratch.write("own/widgets.yaml", &crds);
    scratch.write("own/.sprag.yaml", &settings("crds: git:HEAD:widgets.yaml\n  base: HEAD\n  filenames: a.yaml"));
    git(&own, &["add", "."]);
    git(&own, &["commit", "--quiet", "--message", "b"]);
    git(&own, &["worktree", "add", "--quiet", "../linked"]);
    git(&private, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../own", "sub"]);
    for folder in [own, scratch.join("linked"), private.join("sub")] {
        let (code, said) = sprag(&folder, &["validate"]);
        assert_eq!(code, Some(0), "{}: {said}", folder.display());
    }
}

#[test]
fn settings_of_git_that_were_sent_run_nothing() {
    let scratch = Scratch::new("git-settings");
    let sent = scratch.join("sent");
    commit(&sent, "a.yaml", GOOD);
    let ran = scratch.join("ran");
    scratch.write("run.sh", &format!("#!/bin/sh\necho \"$0 $*\" >>{}\n", ran.display()));
    fs::set_permissions(scratch.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = scratch.path("run.sh");
    let config = format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {run}\n\tpager = {run}\n\tsshCommand = {run}\n\taskPass = {run}\n\thooksPath = {}\n\
         \talternateRefsCommand = {run}\n\tgitProxy = {run}\n[extensions]\n\tpartialClone = origin\n\
         [remote \"origin\"]\n\turl = ext::{run}\n\tpromisor = true\n\tuploadpack = {run}\n\
         [alias]\n\trev-parse = !{run}\n\tls-tree = !{run}\n\tcat-file = !{run}\n\
         [diff \"x\"]\n\ttextconv = {run}\n\tcommand = {run}\n[filter \"x\"]\n\tsmudge = {run}\n\tprocess = {run}\n\trequired = true\n\
         [credential]\n\thelper = {run}\n[protocol]\n\tallow = always\n",
        scratch.dir().display()
    );
    scratch.write("sent/.gitattributes", "* diff=x filter=x\n");
    scratch.write("sent/.git/config", &config);
    for hook in ["post-checkout", "reference-transaction", "post-index-change"] {
        fs::copy(&run, scratch.join(hook)).unwrap();
    }
    // A missing object would be fetched.
    for args in [
        &["validate", "--base", "HEAD", "a.yaml", "--ignore-missing-schemas"][..],
        &["validate", "--base", "HEAD~3", "a.yaml"],
        &["validate", "git:HEAD:a.yaml", "--ignore-missing-schemas"],
        &["validate", "git:0123456789012345678901234567890123456789:a.yaml"],
    ] {
        let (_, said) = sprag(&sent, args);
        assert!(!ran.exists(), "{args:?} ran {}: {said}", fs::read_to_string(&ran).unwrap());
    }
    // A bare repository amid the files of another one.
    commit(&scratch.join("outer"), "a.yaml", GOOD);
    git(&scratch.join("outer"), &["init", "--quiet", "--bare", "inner"]);
    scratch.write(
        "outer/inner/config",
        &format!("[core]\n\tbare = false\n\tworktree = {0}\n\tfsmonitor = {run}\n", scratch.path("outer")),
    );
    let (code, said) = sprag(&scratch.join("outer/inner"), &["validate", "--base", "HEAD", "../a.yaml"]);
    assert!(code == Some(2) && said.contains("cannot use bare repository"), "{said}");
    assert!(!ran.exists());
}

#[test]
fn sources_are_files_of_the_repository() {
    let home = Home::new("source-files");
    let repo = home.repo();
    let user =
        "package api\n\nimport \"example.com/private\"\n\ntype Widget struct {\n\tA private.Thing `json:\"a\"`\n}\n";
    home.0.write("home/repo/api/types.go", user);
    for go_mod in [
        "module example.com/repo\nreplace example.com/private => ../private\n".to_owned(),
        format!("module example.com/repo\nreplace example.com/private => {}\n", home.0.path("home/private")),
    ] {
        home.0.write("home/repo/go.mod", &go_mod);
        let (code, said) = sprag(&repo, &["lint", "api"]);
        assert!(code == Some(2) && said.contains("leads out of"), "{said}");
    }
    home.0.write("home/repo/go.mod", "module example.com/repo\n");
    // Pipes and devices are not sources, whatever their name.
    assert!(Command::new("mkfifo").arg(repo.join("api/pipe.go")).status().unwrap().success());
    symlink("/dev/zero", repo.join("api/zero.go")).unwrap();
    assert_ne!(sprag(&repo, &["lint", "api"]).0, Some(2));
    home.0.write("home/repo/rust/src/lib.rs", "pub struct Widget { pub a: i32 }\n");
    symlink("/dev/zero", repo.join("rust/Cargo.toml")).unwrap();
    assert_ne!(sprag(&repo, &["lint", "rust/src"]).0, None);
    // A tags file without end.
    let (code, said) = sprag(&repo, &["lint", "api", "--tags", "/dev/zero"]);
    assert!(code == Some(2) && said.contains("/dev/zero: larger than "), "{said}");
}

/// Credentials that an earlier step of a pipeline left beside the manifests are inside of the repository.
#[test]
fn files_that_are_no_manifests_are_not_printed() {
    let scratch = Scratch::new("credentials");
    scratch.write("repo/.git/HEAD", "");
    scratch.write("repo/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let test = format!("apiVersion: sprag.dev/v1alpha1\nkind: Test\ncrds: ./creds\npolicies: ./creds\n{TESTS}");
    scratch.write("repo/tests/a.yaml", &test.replace("./creds", "../creds"));
    for creds in [
        format!("{{\"type\": \"service_account\", \"private_key\": \"{SECRET}\"}}"),
        format!("{{\"private_key\": \"{SECRET}"),
        format!("a: {SECRET}\n"),
        format!("{SECRET}\n"),
        format!("- {SECRET}\n- [\n"),
        format!("token: '{SECRET}\nother: *{SECRET}\n"),
        format!("{SECRET},admin,1,\"system:masters\"\n"),
        format!("//registry.example.com/:_authToken={SECRET}\n"),
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: a, annotations: {{a: 1}}}}\nstringData: {{a: {SECRET}, b: [{SECRET}]}}\n"
        ),
    ] {
        scratch.write("repo/creds", &creds);
        for key in ["filenames", "crds", "policies", "tags"] {
            let text = format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  {key}: creds\n");
            scratch.write("repo/.sprag.yaml", &text);
            let args = if key == "filenames" { &["validate"][..] } else { &["validate", "m.yaml"] };
            for output in ["text", "json", "github", "sarif", "junit", "tap"] {
                let (_, said) = sprag(&scratch.join("repo"), &[args, &["--output", output]].concat());
                assert!(!said.contains("panicked"), "{said}");
            }
        }
        let text = "apiVersion: sprag.dev/v1alpha1\nkind: Config\nlint: {profile: kubernetes, exceptions: creds}\n";
        scratch.write("repo/.sprag.yaml", text);
        for args in [
            &["lint", "creds"][..],
            &["lint", "m.yaml"],
            &["crd", "check", "creds"],
            &["test", "tests"],
            &["validate", "--old", "creds", "m.yaml"],
            &["validate", "--config", "creds", "m.yaml"],
            &["docs", "crd", "creds"],
            &["api", "diff", "creds", "creds"],
        ] {
            sprag(&scratch.join("repo"), args);
        }
    }
}

/// Each folder is read once for each part of a pattern, however many ways lead there.
#[test]
fn patterns_of_many_stars_end_soon() {
    let scratch = Scratch::new("stars");
    scratch.write("repo/.git/HEAD", "");
    let folder = format!("repo/m{}", "/d".repeat(12));
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    for number in 0..50 {
        scratch.write(&format!("{folder}/{number}.yaml"), map);
    }
    for pattern in ["**/".repeat(100) + "*.yaml", "**/d/".repeat(10) + "**/*.yaml"] {
        scratch.write(
            "repo/.sprag.yaml",
            &format!("apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  filenames: '{pattern}'\n"),
        );
        let (code, said) = sprag(&scratch.join("repo"), &["validate", "--summary"]);
        assert!(code == Some(0) && said.contains("50 resources found in 50 files"), "{pattern}: {said}");
    }
}
