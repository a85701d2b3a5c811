//! Runs of a configuration on small crates.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use sprag_build::{CompileError, Config, CustomTag, CustomTagError, Dialect, Scope};

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("config").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), "[package]\nname = \"my-crate\"\n").unwrap();
    folder
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn without(folder: &Path, text: &str) -> String {
    text.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn types_are_found_inside_of_the_crate() {
    let folder = folder("inside");
    let api = put(&folder, "src/v1/api.rs", "pub struct A {\n    /// +k8s:minimum=1\n    pub size: i32,\n}\n");
    let compiled = Config::new().file(&api).compile_to(&folder.join("out"), "my-crate").unwrap();
    let root = fs::read_to_string(&compiled.root).unwrap();
    assert!(root.contains("Entry::of::<crate::v1::api::A>"), "{root}");
    assert!(compiled.sources.contains(&api), "{:?}", compiled.sources);
}

#[test]
fn files_of_an_earlier_run_are_removed() {
    let folder = folder("earlier");
    let old = put(&folder, "out/sprag/old.rs", "");
    let api = put(&folder, "src/api.rs", "pub struct A {\n    /// +k8s:minimum=1\n    pub size: i32,\n}\n");
    Config::new().file(&api).compile_to(&folder.join("out"), "my-crate").unwrap();
    assert!(!old.exists());
}

#[test]
fn code_that_is_checked_in_is_compared_with_the_types() {
    let folder = folder("verified");
    let api = put(&folder, "src/api.rs", "pub struct A {\n    /// +k8s:minimum=1\n    pub size: i32,\n}\n");
    let verify = || Config::new().file(&api).verify(&folder.join("out"), "my-crate").map_err(|error| error.to_string());
    assert!(verify().unwrap_err().ends_with("is not what the types yield: generate it again"));
    Config::new().file(&api).compile_to(&folder.join("out"), "my-crate").unwrap();
    assert_eq!(verify(), Ok(()));
    put(&folder, "src/api.rs", "pub struct A {\n    /// +k8s:minimum=2\n    pub size: i32,\n}\n");
    assert!(verify().is_err());
}

#[test]
fn wrong_tags_are_rendered_with_their_place() {
    let folder = folder("wrong");
    let api = put(
        &folder,
        "src/api.rs",
        "pub struct A {\n    /// +k8s:minimum=one\n    /// +k8s:maxLength=2\n    pub size: i32,\n    /// +k8s:minLength\n    pub name: String,\n}\n",
    );
    let config = Config::new().file(&api).dialect(Dialect::Kubernetes);
    let error = config.compile_to(&folder.join("out"), "my-crate").unwrap_err();
    expect![[r#"
        src/api.rs:3:10: error: field my_crate::api.A.size: tag "k8s:maxLength": can only be used on string types (int32)
        src/api.rs:2:10: error: field my_crate::api.A.size: tag "k8s:minimum": tag value has wrong type: got string, want int
        src/api.rs:5:10: error: field my_crate::api.A.name: tag "k8s:minLength": missing required tag value of type int
    "#]].assert_eq(&format!("{}\n", without(&folder, &format!("{error:?}"))));
}

#[test]
fn go_packages_get_types_and_validators() {
    let folder = folder("go");
    put(
        &folder,
        "v1/types.go",
        "package v1\n\ntype A struct {\n\t// +k8s:maxLength=3\n\tName string `json:\"name\"`\n}\n",
    );
    put(&folder, "v1/go.mod", "module example.dev/things/v1\n");
    let config = Config::new().go_package(folder.join("v1"));
    let compiled = config.compile_to(&folder.join("out"), "my-crate").unwrap();
    let types = fs::read_to_string(compiled.root.with_file_name("things_v1").join("mod.rs")).unwrap();
    assert!(types.contains("pub struct A {") && types.contains("use ::sprag::value::wire;"), "{types}");
    let rules = fs::read_to_string(compiled.root.with_file_name("things_v1").join("validation.rs")).unwrap();
    assert!(rules.contains("use ::sprag::checks::{At, Errors, Same, size_limits};"), "{rules}");
}

#[test]
fn resources_are_printed_in_terms_of_the_root_path() {
    let folder = folder("root");
    let api =
        put(&folder, "src/api.rs", "pub struct A {\n    pub metadata: sprag::ObjectMeta,\n    pub size: i32,\n}\n");
    let file = |config: Config, name: &str| {
        let compiled = config.file(&api).compile_to(&folder.join("out"), "my-crate").unwrap();
        fs::read_to_string(compiled.root.with_file_name(name)).ok()
    };
    let text = file(Config::new(), "resources.rs").unwrap();
    assert!(text.contains("use ::sprag::rest::{") && text.contains("impl Resource for crate::api::A"), "{text}");
    let text = file(Config::new().root_path("acme::api"), "shapes.rs").unwrap();
    assert!(text.contains("use acme::api::shape::{"), "{text}");
    assert_eq!(file(Config::new().validators_only(), "shapes.rs"), None);
}

#[test]
fn hooks_are_called_in_the_module_that_was_named() {
    let folder = folder("hooks");
    let api = put(
        &folder,
        "src/api.rs",
        "pub struct A {\n    /// +k8s:optional\n    /// +k8s:customValidation\n    pub size: i32,\n}\n",
    );
    let config = Config::new().file(&api).hooks_path("crate::by_hand");
    let compiled = config.compile_to(&folder.join("out"), "my-crate").unwrap();
    let text = fs::read_to_string(compiled.root.with_file_name("api").join("validation.rs")).unwrap();
    assert!(text.contains("crate::by_hand::validate_custom_a_size(at, Some(new), old, errors)"), "{text}");
}

#[test]
fn tag_of_a_taken_name_is_refused() {
    let folder = folder("taken");
    let api = put(&folder, "src/api.rs", "pub struct A;\n");
    let tag = CustomTag {
        name: "k8s:minimum".into(),
        scopes: vec![Scope::Field],
        function: "crate::f".into(),
        ..CustomTag::default()
    };
    let error = Config::new().file(&api).tag(tag).compile_to(&folder.join("out"), "my-crate").unwrap_err();
    assert!(matches!(&error, CompileError::Tag(CustomTagError::Taken(name)) if name == "k8s:minimum"), "{error}");
}

#[test]
fn tags_file_that_is_wrong_is_refused() {
    let folder = folder("tags");
    let api = put(&folder, "src/api.rs", "pub struct A;\n");
    for (text, expected) in [
        ("kind: Tags\n", "apiVersion must be sprag.dev/v1alpha1 and kind Tags"),
        (
            "apiVersion: sprag.dev/v1alpha1\nkind: Tags\ntags:\n- {name: k8s:enum, function: f, scopes: [field]}\n",
            "there is a tag \"k8s:enum\" already",
        ),
    ] {
        let file = put(&folder, "tags.yaml", text);
        let error = Config::new().file(&api).tags_file(&file).compile_to(&folder.join("out"), "my-crate").unwrap_err();
        assert_eq!(error.to_string(), format!("{}: {expected}", file.display()));
    }
}

#[test]
fn all_errors_are_reported_with_suggestions() {
    let folder = folder("findings");
    let text = "pub struct A {\n    // +k8s:requierd\n    pub name: String,\n    /// +k8s:minimum=x\n    /// +k8s:maxLength=1\n\
                \x20   pub size: i32,\n}\n";
    let api = put(&folder, "src/api.rs", text);
    let error = Config::new().file(&api).compile_to(&folder.join("out"), "my-crate").unwrap_err();
    let CompileError::Findings(findings) = error else { panic!("{error}") };
    assert_eq!(findings.0.len(), 3, "{findings}");
    assert!(
        findings.0.iter().any(|line| {
            line.ends_with("api.rs:2:9: error: unknown tag \"k8s:requierd\" (did you mean +k8s:required?)")
        }),
        "{findings}"
    );
}

#[test]
fn missing_file_is_reported() {
    let folder = folder("missing");
    let error = Config::new().file(folder.join("src/none.rs")).compile_to(&folder.join("out"), "x").unwrap_err();
    assert!(matches!(error, CompileError::Load(_)), "{error}");
}

#[test]
fn a_tag_that_names_an_undeclared_gate_is_an_error() {
    let folder = folder("gates");
    let text = "pub struct A {\n    /// +k8s:featureGate=Sise\n    /// +k8s:optional\n    pub size: Option<i32>,\n    \
                /// +k8s:ifEnabled(Names)=+k8s:required\n    pub name: String,\n}\n";
    let api = put(&folder, "src/api.rs", text);
    let compile = |config: Config| config.file(&api).compile_to(&folder.join("out"), "my-crate");
    let error = compile(Config::new().feature_gates(["Size", "Names"])).unwrap_err();
    expect!["src/api.rs:2:10: error: feature gate Sise is not declared (declared: Size, Names)"]
        .assert_eq(&without(&folder, &error.to_string()));
    assert!(compile(Config::new().feature_gates(["Sise", "Names"])).is_ok());
    assert!(compile(Config::new()).is_ok());
}
