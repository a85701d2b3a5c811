//! `sprag validate .` in repositories that hold other things than manifests, and in some that mean harm.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";
const BAD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\nspec: {containers: [{name: c, image: i}]}\n";

fn validate(scratch: &Scratch, args: &[&str]) -> Run {
    sprag_in(scratch.dir(), &[&["validate"], args].concat(), "")
}

/// Expects a clean run, and returns what it printed.
#[track_caller]
fn clean(scratch: &Scratch, args: &[&str]) -> String {
    let run = validate(scratch, args);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    run.stdout
}

/// Expects findings, and returns what was printed.
#[track_caller]
fn findings(scratch: &Scratch, args: &[&str]) -> String {
    let run = validate(scratch, args);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    run.stdout
}

#[test]
fn what_is_no_manifest_is_passed_over_in_folders_and_an_error_where_it_is_named() {
    let scratch = Scratch::new("repository-others");
    scratch.write("pod.yaml", POD);
    scratch.write("values.yaml", "replicas: 1\n");
    scratch.write("package.json", "{\"name\": \"web\"}\n");
    scratch.write("list.json", "[1]\n");
    scratch.write("broken.yaml", "a: [\n");
    scratch.write("template.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Name }}\n");
    let text = clean(&scratch, &["."]);
    assert!(text.contains("Valid: 1, Invalid: 0, Errors: 0, Skipped: 0"), "{text}");
    assert!(text.contains("  4 files without apiVersion and kind\n"), "{text}");
    assert!(text.contains("  1 template: validate what they are rendered to\n"), "{text}");
    for file in ["values.yaml", "package.json", "list.json", "broken.yaml", "template.yaml"] {
        findings(&scratch, &[file]);
    }
    // One that says in part what it is an object of is meant as a manifest.
    scratch.write("half.yaml", "kind: Pod\nmetadata: {name: a}\n");
    findings(&scratch, &["."]);
}

#[test]
fn kinds_that_kubernetes_does_not_serve_are_errors_in_every_mode() {
    let scratch = Scratch::new("repository-owned");
    scratch.write("widget.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n");
    scratch.write("deploy/a.yaml", "apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n");
    scratch.write("deploy/b.yaml", "apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n");
    scratch.write("deploy/c.yaml", "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\n");
    for flags in [&["."][..], &["--ignore-missing-schemas", "."], &["-ignore-missing-schemas", "."]] {
        let text = findings(&scratch, flags);
        assert!(text.contains("; did you mean Deployment (apps/v1)?\n"), "{text}");
        assert!(text.contains("; did you mean apiVersion: apps/v1?\n"), "{text}");
        assert!(
            text.contains("it was served until 1.21; use networking.k8s.io/v1, where `pathType` is required"),
            "{text}"
        );
        assert!(text.contains("Errors: 3, Skipped: 1"), "{text}");
    }
    let text = clean(&scratch, &["widget.yaml"]);
    assert!(
        text.contains("1 Widget (example.com/v1): kubectl get crd widgets.example.com -o yaml | sprag crds add -\n"),
        "{text}"
    );
    let text = findings(&scratch, &["--require-schemas", "widget.yaml"]);
    assert!(text.contains("error: could not find schema for Widget; name its definition with --crds"), "{text}");
    findings(&scratch, &["-ignore-missing-schemas=false", "widget.yaml"]);
}

#[test]
fn ignore_files_and_dot_folders_are_respected_unless_all_is_read() {
    let scratch = Scratch::new("repository-ignored");
    fs::create_dir(scratch.join(".git")).unwrap();
    scratch.write(".gitignore", "/build/\n*.gen.yaml\n!kept.gen.yaml\n");
    scratch.write("a/.gitignore", "local.yaml\n");
    scratch.write("go/vendor/modules.txt", "# example.com/a v1.0.0\n");
    for path in ["build/a.yaml", "a/x.gen.yaml", "a/local.yaml", ".cache/a.yaml", "go/vendor/a/a.yaml"] {
        scratch.write(path, BAD);
    }
    for path in ["a/a.yaml", "a/kept.gen.yaml", "local.yaml", "vendor/a.yaml"] {
        scratch.write(path, POD);
    }
    let text = clean(&scratch, &["."]);
    assert!(text.contains("Valid: 4,"), "{text}");
    assert!(
        text.contains("  6 files and folders that .gitignore, .helmignore, a dot or vendor/modules.txt hides"),
        "{text}"
    );
    assert!(findings(&scratch, &["--no-ignore", "."]).contains("Valid: 4, Invalid: 5,"));
    // What is named is read.
    findings(&scratch, &["build"]);
    findings(&scratch, &["a/local.yaml"]);
    findings(&scratch, &[".cache"]);
    // A link is no ignore file, as for git.
    fs::remove_file(scratch.join("a/.gitignore")).unwrap();
    scratch.write("rules", "local.yaml\n");
    symlink("../rules", scratch.join("a/.gitignore")).unwrap();
    findings(&scratch, &["."]);
}

#[test]
fn charts_and_kustomizations_are_known_and_counted() {
    let scratch = Scratch::new("repository-tools");
    scratch.write("chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    scratch.write("chart/values.yaml", "apiVersion: x\nkind: y\n");
    scratch.write("chart/.helmignore", "ci/\n");
    scratch.write("chart/ci/a.yaml", BAD);
    scratch.write("chart/templates/pod.yaml", "{{- if .Values.on }}\napiVersion: v1\nkind: Pod\n{{- end }}\n");
    scratch.write("chart/templates/plain.yaml", BAD);
    scratch.write(
        "base/kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [pod.yaml]\n",
    );
    scratch.write("base/pod.yaml", POD);
    scratch.write("prod/kustomization.yaml", "resources: [../base]\npatches: [{path: patch.yaml}]\n");
    scratch.write("prod/patch.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeName: b}\n");
    let text = clean(&scratch, &["."]);
    assert!(text.contains("Valid: 1,"), "{text}");
    assert!(text.contains("  2 templates: helm template chart | sprag validate -\n"), "{text}");
    assert!(text.contains("  1 part of kustomizations: kustomize build prod | sprag validate -\n"), "{text}");
    assert!(text.contains("  1 object that programs read, not clusters"), "{text}");
    findings(&scratch, &["prod/patch.yaml"]);
    findings(&scratch, &["base/kustomization.yaml"]);
}

#[test]
fn encrypted_values_are_any_values_and_the_rest_is_validated() {
    let scratch = Scratch::new("repository-sops");
    let secret = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}}}\ntype: kubernetes.io/dockerconfigjson\ndata:\n  \
             .dockerconfigjson: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nsops: {{mac: 'ENC[a]', version: 3.9.0}}\n"
        )
    };
    scratch.write("secret.yaml", &secret("a"));
    let text = clean(&scratch, &["--strict", "."]);
    assert!(text.contains("Valid: 1, Invalid: 0"), "{text}");
    scratch.write("secret.yaml", &secret("A"));
    let text = findings(&scratch, &["."]);
    assert!(text.contains("metadata.name: Invalid value: \"A\"") && !text.contains("ENC["), "{text}");
}

#[test]
fn no_output_shows_secrets() {
    let scratch = Scratch::new("repository-secrets");
    let marks = ["c2VjcmV0LW9uZQ", "secret-two", "secret-three", "secret-four", "secret-five", "secret-six"];
    scratch.write(
        "secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: A}\ntype: 7\ndata: {a: c2VjcmV0LW9uZQ, b: '!secret-two'}\nstringData: {c: [secret-three]}\n",
    );
    scratch.write("list.yaml", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: B}, stringData: {a: secret-three, b: 3}}\n");
    scratch.write("key.json", "{\"private_key\": \"secret-four\"}\n");
    scratch.write(
        "broken.yaml",
        "apiVersion: v1\nkind: Secret\nstringData: {? {secret-five: x} : y, {{ secret-five }}: z}\n",
    );
    scratch.write("values.yaml", "password: secret-six\n- broken\n");
    for format in ["text", "json", "junit", "tap", "sarif", "github"] {
        for places in [
            &["."][..],
            &["secret.yaml", "list.yaml", "key.json", "broken.yaml", "values.yaml"],
            &["--no-ignore", "--verbose", "."],
        ] {
            let run = validate(&scratch, &[&["--output", format], places].concat());
            assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
            let shown = marks.iter().find(|mark| run.stdout.contains(*mark) || run.stderr.contains(*mark));
            assert_eq!(shown, None, "{format}: {}{}", run.stdout, run.stderr);
        }
    }
}

#[test]
fn links_that_lead_out_are_neither_read_nor_written() {
    let scratch = Scratch::new("repository-links");
    let old = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n";
    scratch.write("outside/secret.yaml", old);
    scratch.write("inside/pod.yaml", POD);
    symlink("../outside/secret.yaml", scratch.join("inside/link.yaml")).unwrap();
    symlink("../outside", scratch.join("inside/folder")).unwrap();
    let run = validate(&scratch, &["--fix", "inside"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stdout.contains("a link that leads out of the folder"), "{}", run.stdout);
    validate(&scratch, &["--fix", "inside/link.yaml"]);
    validate(&scratch, &["--fix", "--follow-links", "inside"]);
    assert_eq!(fs::read_to_string(scratch.join("outside/secret.yaml")).unwrap(), old);
    assert!(scratch.join("inside/link.yaml").is_symlink());
}

#[test]
fn files_without_end_or_text_cost_nothing() {
    let scratch = Scratch::new("repository-large");
    scratch.write("pod.yaml", POD);
    // A sparse file, and one of NUL bytes.
    File::create(scratch.join("values.yaml")).unwrap().set_len(1 << 30).unwrap();
    fs::write(scratch.join("nul.yaml"), vec![0; 1000]).unwrap();
    scratch.write("chart/Chart.yaml", "apiVersion: v2\nname: web\n");
    File::create(scratch.join("chart/values.yaml")).unwrap().set_len(1 << 30).unwrap();
    let text = clean(&scratch, &["."]);
    assert!(text.contains("Valid: 1,") && text.contains("  4 files without apiVersion and kind\n"), "{text}");
    // A long text that says nowhere what it is.
    scratch.write("long.yaml", &"- value\n".repeat(1 << 20));
    assert!(clean(&scratch, &["."]).contains("  5 files without apiVersion and kind\n"));
}

#[test]
fn many_files_are_read_one_by_one() {
    let scratch = Scratch::new("repository-many");
    let count = if std::env::var_os("SPRAG_FULL").is_some() { 100_000 } else { 2_000 };
    for number in 0..count {
        let name = format!("{}/{number}.yaml", number % 100);
        scratch.write(&name, if number % 2 == 0 { POD } else { "a: b\n" });
    }
    let text = clean(&scratch, &["."]);
    assert!(text.contains(&format!("Valid: {},", count / 2)), "{text}");
    assert!(text.contains(&format!("  {} files without apiVersion and kind\n", count / 2)), "{text}");
}

#[test]
fn settings_of_git_start_nothing() {
    let scratch = Scratch::new("repository-git");
    scratch.write("pod.yaml", POD);
    scratch.write("ran.sh", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(scratch.join("ran.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args).current_dir(scratch.dir());
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "pod.yaml"]);
    git(&["commit", "-q", "-m", "a"]);
    let program = scratch.path("ran.sh");
    let settings = format!(
        "[core]\nrepositoryformatversion = 0\nbare = false\nfsmonitor = {program}\nhooksPath = .\nsshCommand = {program}\npager = {program}\n\
         excludesFile = {program}\n[diff]\nexternal = {program}\n[filter \"x\"]\nsmudge = {program}\nclean = {program}\n[alias]\nrev-parse = !{program}\n"
    );
    fs::write(scratch.join(".git/config"), settings).unwrap();
    scratch.write(".gitattributes", "* filter=x diff=x\n");
    clean(&scratch, &["."]);
    clean(&scratch, &["--base", "HEAD", "."]);
    clean(&scratch, &["git:HEAD:pod.yaml"]);
    assert!(!scratch.join("ran").exists());
}

#[test]
fn fixes_are_written_and_said() {
    let scratch = Scratch::new("repository-fix");
    scratch.write(
        "ingress.yaml",
        "# The shop.\napiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  backend: {serviceName: web, servicePort: 80} # all\n",
    );
    scratch.write("policy.yaml", "apiVersion: policy/v1beta1\nkind: PodSecurityPolicy\nmetadata: {name: a}\n");
    let run = validate(&scratch, &["--fix", "."]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(
        run.stderr.contains(
            "ingress.yaml:1: Ingress shop was rewritten from networking.k8s.io/v1beta1 to networking.k8s.io/v1"
        ),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("policy.yaml:1: PodSecurityPolicy a is left: it is not converted"), "{}", run.stderr);
    assert_eq!(
        fs::read_to_string(scratch.join("ingress.yaml")).unwrap(),
        "# The shop.\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: shop}\nspec:\n  \
         defaultBackend: {service: {name: web, port: {number: 80}}} # all\n"
    );
    assert!(clean(&scratch, &["ingress.yaml"]).contains("Valid: 1,"));
    assert_eq!(fs::read_dir(scratch.dir()).unwrap().count(), 2);
    let run = sprag_in(scratch.dir(), &["validate", "--fix", "-"], POD);
    assert!(run.code == Some(2) && run.stderr.contains("--fix writes to files, and stdin is none"), "{}", run.stderr);
}

const WIDGETS: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\n\
    spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}\n  \
    versions:\n  - name: VERSION\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}\n";

#[test]
fn definitions_are_kept_in_the_repository() {
    let scratch = Scratch::new("repository-crds");
    fs::create_dir(scratch.join(".git")).unwrap();
    scratch.write(
        "deploy/widget.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: large}\n",
    );
    let sprag = |folder: &str, args: &[&str], stdin: &str| sprag_in(&scratch.join(folder), args, stdin);
    clean(&scratch, &["."]);
    let added = sprag("deploy", &["crds", "add", "-"], &WIDGETS.replace("VERSION", "v1"));
    assert_eq!((added.code, &*added.stdout), (Some(0), "added: widgets.example.com (v1)\n"), "{}", added.stderr);
    assert!(
        scratch.join(".sprag-crds/widgets.example.com.yaml").is_file()
            && scratch.join(".sprag-crds/lock.yaml").is_file()
    );
    for folder in ["", "deploy"] {
        let run = sprag(folder, &["validate", "."], "");
        assert!(
            run.code == Some(1) && run.stdout.contains("spec.size: Invalid value: \"string\""),
            "{}{}",
            run.stdout,
            run.stderr
        );
    }
    assert_eq!(sprag("", &["crds", "list"], "").stdout, "widgets.example.com\tv1\tstandard input\n");
    assert_eq!(sprag("", &["crds", "check"], "").code, Some(0));
    let again = sprag("", &["crds", "add", "-"], &WIDGETS.replace("VERSION", "v1"));
    assert_eq!(again.stdout, "unchanged: widgets.example.com (v1)\n");
    let file = scratch.join(".sprag-crds/widgets.example.com.yaml");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("integer", "string")).unwrap();
    let changed = sprag("", &["crds", "check"], "");
    assert!(changed.code == Some(1) && changed.stderr.contains("was changed since it was added"), "{}", changed.stderr);
    let outside = WIDGETS
        .replace("VERSION", "v1")
        .replace("plural: widgets", "plural: ../../widgets")
        .replace("metadata: {", "metadata: {uid: a, ");
    let refused = sprag("deploy", &["crds", "add", "-"], &outside);
    assert!(refused.code == Some(2) && !scratch.join("widgets.example.com.yaml").exists(), "{}", refused.stderr);
    // A link in the place of a definition is not read.
    fs::remove_file(&file).unwrap();
    symlink("/etc/hostname", &file).unwrap();
    let run = sprag("", &["validate", "."], "");
    assert!(run.code == Some(2) && run.stderr.contains("is missing or not a file"), "{}", run.stderr);
}

#[test]
fn settings_further_down_do_not_count_and_a_note_says_so() {
    let scratch = Scratch::new("repository-settings");
    fs::create_dir(scratch.join(".git")).unwrap();
    scratch.write(
        "team/.sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {filenames: [deploy], strict: true}\n",
    );
    scratch.write("team/deploy/pod.yaml", &POD.replace("spec: {", "spec: {x: 1, "));
    let top = validate(&scratch, &["."]);
    assert_eq!(top.code, Some(0), "{}", top.stdout);
    assert!(top.stderr.contains("note: team/.sprag.yaml does not count here: "), "{}", top.stderr);
    // Paths of settings above are shown as seen from here.
    let below = sprag_in(&scratch.join("team/deploy"), &["validate"], "");
    assert_eq!((below.code, &*below.stderr), (Some(1), ""), "{}", below.stdout);
    assert!(below.stdout.contains("--> ../deploy/pod.yaml:4:"), "{}", below.stdout);
}

#[test]
fn definitions_have_one_owner() {
    let scratch = Scratch::new("repository-owner");
    let object = |version: &str| {
        format!("apiVersion: example.com/{version}\nkind: Widget\nmetadata: {{name: a}}\nspec: {{size: 1}}\n")
    };
    // The first one is rejected, the second serves another version.
    scratch.write("a.yaml", &WIDGETS.replace("VERSION", "v1").replace("Namespaced", "Nowhere"));
    scratch.write("b.yaml", &WIDGETS.replace("VERSION", "v1alpha1"));
    scratch.write("c.yaml", &WIDGETS.replace("VERSION", "v1"));
    scratch.write("objects/old.yaml", &object("v1alpha1"));
    scratch.write("objects/new.yaml", &object("v1"));
    scratch.write("objects/next.yaml", &object("v2"));
    let run = validate(&scratch, &["."]);
    assert!(run.stdout.contains("Valid: 4, Invalid: 1, Errors: 1,"), "{}", run.stdout);
    assert!(
        run.stdout.contains("no matches for kind \"Widget\" in version \"example.com/v2\"; served: v1alpha1"),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("Widget (example.com) is defined in "), "{}", run.stderr);
}
