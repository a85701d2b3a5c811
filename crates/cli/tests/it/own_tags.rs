//! Tags of an API author's own, and tags without effect, on the command line.

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

const TAGS: &str = "apiVersion: sprag.dev/v1alpha1\nkind: Tags\ntags:\n- name: acme:color\n  function: crate::checks::color\n\
                    \x20 scopes: [field]\n  summary: The string has to be a colour.\n  args:\n\
                    \x20 - {name: palette, type: string, required: true, summary: The palette.}\n  payload: {type: int}\n";

const TYPES: &str = "pub struct Lamp {\n    pub metadata: ObjectMeta,\n    /// +acme:color(palette: warm)=3\n    pub shade: String,\n}\n";

fn folder(name: &str) -> Scratch {
    let folder = Scratch::new(name);
    folder.write("tags.yaml", TAGS);
    folder.write("lamp.rs", &format!("use sprag::ObjectMeta;\n\n{TYPES}"));
    folder.write("lamp.json", r#"{"apiVersion": "v1", "kind": "Lamp", "metadata": {"name": "a"}, "shade": "red"}"#);
    folder
}

#[track_caller]
fn run(folder: &Scratch, args: &[&str]) -> Run {
    sprag_in(folder.dir(), args, "")
}

#[test]
fn the_reference_shows_own_tags() {
    let folder = folder("own-docs");
    let run = run(&folder, &["docs", "tags", "--tags", "tags.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let section = "## `+acme:color`\n\nThe string has to be a colour.\n\n- Stability: Stable\n- Dialects: kubernetes, kep\n\
                   - Calls: `crate::checks::color`\n- Scopes: field\n- Arguments:\n\
                   \x20 - `palette` (string, required): The palette.\n- Payload: int, may be left out\n";
    assert!(run.stdout.contains(section), "{}", run.stdout);
}

#[test]
fn own_tags_are_known_where_the_file_is_given() {
    let folder = folder("own-known");
    let gen_args = ["gen", "--types", "lamp.rs", "--out", "out"];
    let check = ["check", "--types", "lamp.rs", "-f", "lamp.json"];
    let validate = ["validate", "--types", "lamp.rs", "-f", "lamp.json"];
    for args in [&gen_args[..], &check, &validate] {
        let run = run(&folder, &[args, &["--tags", "tags.yaml"]].concat());
        assert_eq!(run.code, Some(0), "{args:?}: {}{}", run.stdout, run.stderr);
    }
    let generated = std::fs::read_to_string(folder.join("out/lamp/validation.rs")).unwrap();
    assert!(generated.contains(r#"crate::checks::color(at, Some(new), old, "warm", Some(3), errors)"#), "{generated}");
    let run = run(&folder, &[&check[..], &["--tags", "tags.yaml", "-o", "json"]].concat());
    assert!(run.stdout.contains("crate::checks::color"), "{}", run.stdout);
}

#[test]
fn a_misspelt_own_tag_is_an_error() {
    let folder = folder("own-misspelt");
    folder.write("lamp.rs", &TYPES.replace("acme:color", "acme:colour").replace("ObjectMeta", "sprag::ObjectMeta"));
    let run = run(&folder, &["check", "--types", "lamp.rs", "-f", "lamp.json", "--tags", "tags.yaml"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("unknown tag \"acme:colour\""), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean +acme:color?"), "{}", run.stderr);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let folder = Scratch::new("all-at-once");
    let types = "pub struct Lamp {\n    pub metadata: sprag::ObjectMeta,\n    // +k8s:requierd\n    pub shade: String,\n\
                 \x20   /// +k8s:minimum=x\n    /// +k8s:maxLength=1\n    pub watts: i32,\n}\n\n\
                 /// +k8s:maxLenght=1\npub type Name = String;\n";
    folder.write("lamp.rs", types);
    folder.write("lamp.json", r#"{"apiVersion": "v1", "kind": "Lamp", "metadata": {"name": "a"}}"#);
    for args in [
        &["gen", "--types", "lamp.rs", "--out", "out"][..],
        &["check", "--types", "lamp.rs", "-f", "lamp.json"],
        &["validate", "--types", "lamp.rs", "-f", "lamp.json"],
    ] {
        let run = run(&folder, args);
        assert_ne!(run.code, Some(0), "{args:?}");
        for part in ["k8s:requierd", "did you mean +k8s:required?", "\"k8s:minimum\"", "\"k8s:maxLength\"", "lamp.rs:3"]
        {
            assert!(run.stderr.contains(part), "{args:?}: {part} is missing:\n{}", run.stderr);
        }
        // `check` looks at what the object's type reaches, and nothing reaches the alias.
        assert!(args[0] == "check" || run.stderr.contains("did you mean +k8s:maxLength?"), "{args:?}:\n{}", run.stderr);
    }
}
