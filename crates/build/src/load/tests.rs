#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use expect_test::{Expect, expect};
use sprag_idl::model::TypeKind;

use super::*;

/// A directory of files that is removed in the end.
struct Tree(PathBuf);

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Tree {
        let name = format!("sprag-load-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Tree(root.canonicalize().unwrap())
    }

    fn load(&self, paths: &[&str], options: &LoadOptions) -> Result<Loaded, LoadError> {
        load(&paths.iter().map(|path| self.0.join(path)).collect::<Vec<_>>(), options)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Packages with their types, imported ones in parentheses.
fn summary(loaded: &Loaded, root: &Path) -> String {
    let mut out = String::new();
    for package in &loaded.packages {
        let types: Vec<String> =
            package
                .types
                .iter()
                .map(|ty| {
                    if let TypeKind::Opaque(why) = &ty.kind { format!("{} ({why})", ty.name) } else { ty.name.clone() }
                })
                .collect();
        let line = format!("{}: {}", package.path, types.join(", "));
        let (open, close) = if loaded.is_given(package) { ("", "") } else { ("(", ")") };
        writeln!(out, "{open}{line}{close}").unwrap();
    }
    for finding in &loaded.findings {
        let place = loaded.sources.locate(finding.span).map(|place| place.to_string()).unwrap_or_default();
        writeln!(out, "{place}: {}", finding.message).unwrap();
    }
    out.replace(&format!("{}/", root.display()), "")
}

#[track_caller]
fn check(files: &[(&str, &str)], paths: &[&str], recursive: bool, expect: impl std::borrow::Borrow<Expect>) {
    let tree = Tree::new(files);
    let actual = match tree.load(paths, &LoadOptions { recursive, ..LoadOptions::default() }) {
        Ok(loaded) => summary(&loaded, &tree.0),
        Err(error) => format!("error: {error}\n").replace(&format!("{}/", tree.0.display()), ""),
    };
    expect.borrow().assert_eq(&actual);
}

const WIDGET: &str = "package v1\ntype Widget struct{}\n";

#[test]
fn a_package_is_all_files_of_a_directory_but_tests_and_generated_ones() {
    check(
        &[
            ("go.mod", "module example.com/api\n"),
            ("v1/types.go", WIDGET),
            ("v1/more.go", "package v1\ntype Gadget struct{}\n"),
            ("v1/types_test.go", "package v1\ntype Test struct{}\n"),
            ("v1/zz_generated.deepcopy.go", "package v1\ntype Copy struct{}\n"),
            ("v1/_old.go", "package v1\ntype Old struct{}\n"),
            ("v1/deep/types.go", "package deep\ntype Deep struct{}\n"),
        ],
        &["v1"],
        false,
        expect![[r#"
            example.com/api/v1: Gadget, Widget
        "#]],
    );
}

#[test]
fn a_tree_is_read_in_the_order_of_names_past_what_go_skips() {
    check(
        &[
            ("go.mod", "module example.com/api\n"),
            ("b/v1/types.go", WIDGET),
            ("a/v1/types.go", WIDGET),
            ("a/vendor/x.io/y/types.go", WIDGET),
            ("a/testdata/types.go", WIDGET),
            ("a/.git/types.go", WIDGET),
        ],
        &["."],
        true,
        expect![[r#"
            example.com/api/a/v1: Widget
            example.com/api/b/v1: Widget
        "#]],
    );
}

#[test]
fn files_of_one_directory_are_one_package_read_once() {
    check(
        &[
            ("x.io/api/a.go", "package api\ntype A struct{}\n"),
            ("x.io/api/b.go", "package api\ntype B struct{}\n"),
            ("x.io/api/c.go", "package api\ntype C struct{}\n"),
        ],
        &["x.io/api/b.go", "x.io/api/a.go", "x.io/api/../api/b.go"],
        false,
        expect![[r#"
            x.io/api: B, A
        "#]],
    );
}

#[test]
fn directories_without_a_module_are_named_by_where_they_are() {
    check(
        &[("k8s.io/api@v0.34.0/core/v1/types.go", WIDGET)],
        &["k8s.io/api@v0.34.0/core/v1"],
        false,
        expect![[r#"
        k8s.io/api/core/v1: Widget
    "#]],
    );
    check(
        &[("types/v1/types.go", WIDGET), ("types/v2/types.go", WIDGET)],
        &["types"],
        true,
        expect![[r#"
        types/v1: Widget
        types/v2: Widget
    "#]],
    );
}

const USER: &str = "package v1\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
    import \"time\"\ntype Widget struct {\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tWait time.Duration `json:\"wait\"`\n}\n";

const META: &str = "package v1\nimport \"k8s.io/apimachinery/pkg/types\"\n\
    type ObjectMeta struct {\n\tUID types.UID `json:\"uid\"`\n\tAt Time `json:\"at\"`\n\tPhase Phase `json:\"phase\"`\n}\n\
    type Phase string\nconst On Phase = \"On\"\nconst Other = 1\ntype Unused struct{ x types.Also }\n\
    type Time struct { wall int }\nfunc (t *Time) UnmarshalJSON(b []byte) error { return nil }\n";

const TYPES: &str = "package types\ntype UID string\ntype Also string\n";

#[test]
fn imports_are_found_beside_the_module_in_the_required_version() {
    let files = [
        ("m/k8s.io/api@v0.34.0/go.mod", "module k8s.io/api\nrequire k8s.io/apimachinery v0.34.0\n"),
        ("m/k8s.io/api@v0.34.0/core/v1/types.go", USER),
        ("m/k8s.io/apimachinery@v0.34.0/go.mod", "module k8s.io/apimachinery\n"),
        ("m/k8s.io/apimachinery@v0.34.0/pkg/apis/meta/v1/types.go", META),
        ("m/k8s.io/apimachinery@v0.34.0/pkg/types/types.go", TYPES),
        ("m/k8s.io/apimachinery@v0.35.0/pkg/apis/meta/v1/types.go", "package v1\ntype Wrong struct{}\n"),
    ];
    check(
        &files,
        &["m/k8s.io/api@v0.34.0/core/v1"],
        false,
        expect![[r#"
            k8s.io/api/core/v1: Widget
            (k8s.io/apimachinery/pkg/apis/meta/v1: ObjectMeta, Phase, Time (reads its JSON by itself))
            (k8s.io/apimachinery/pkg/types: UID)
        "#]],
    );
}

#[test]
fn of_imported_packages_only_the_constants_of_reached_types_are_kept() {
    let user = format!("{USER}const Wrong metav1.Phase = \"Wrong\"\n");
    let tree = Tree::new(&[("k8s.io/api/types.go", &user), ("k8s.io/apimachinery/pkg/apis/meta/v1/types.go", META)]);
    let loaded = tree.load(&["k8s.io/api"], &LoadOptions::default()).unwrap();
    let consts: Vec<&str> = loaded.packages[1].consts.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(consts, ["On"]);
    assert_eq!(loaded.given.iter().collect::<Vec<_>>(), ["k8s.io/api"]);
}

#[test]
fn packages_can_be_narrowed_to_what_a_type_reaches() {
    let text = "package v1\ntype Widget struct{ S Spec `json:\"s\"` }\ntype Spec struct{ W *Widget; P []Phase }\n\
                type Phase string\nconst On Phase = \"On\"\ntype Other struct{ K Kind }\ntype Kind string\nconst A Kind = \"A\"\n";
    let tree = Tree::new(&[("x.io/v1/types.go", text)]);
    let mut loaded = tree.load(&["x.io/v1"], &LoadOptions::default()).unwrap();
    loaded.narrow("x.io/v1", "Widget");
    let types: Vec<&str> = loaded.packages[0].types.iter().map(|ty| ty.name.as_str()).collect();
    let consts: Vec<&str> = loaded.packages[0].consts.iter().map(|item| item.name.as_str()).collect();
    assert_eq!((types, consts), (vec!["Widget", "Spec", "Phase"], vec!["On"]));
}

#[test]
fn imports_are_found_in_every_place_go_would_look() {
    let found = |place: &str, go_mod: &str| {
        let meta = format!("{place}/k8s.io/apimachinery/pkg/apis/meta/v1/types.go");
        let meta = meta.replace("replaced/k8s.io/apimachinery", "replaced");
        let tree = Tree::new(&[("project/go.mod", go_mod), ("project/v1/types.go", USER), (&meta, META)]);
        let options = LoadOptions { module_cache: Some(tree.0.join("cache")), ..LoadOptions::default() };
        let loaded = tree.load(&["project/v1"], &options).unwrap();
        loaded.packages[1].types.iter().any(|ty| ty.name == "Phase")
    };
    let plain = "module example.com/project\n";
    assert!(found("project/vendor", plain));
    assert!(found("project/staging/src", plain));
    assert!(found("replaced", "module example.com/project\nreplace k8s.io/apimachinery => ../replaced\n"));
    // Unless that is outside of the repository.
    let tree = Tree::new(&[
        ("repo/.git/HEAD", ""),
        ("repo/go.mod", "module example.com/project\nreplace k8s.io/apimachinery => ../replaced\n"),
        ("repo/v1/types.go", USER),
        ("replaced/pkg/apis/meta/v1/types.go", META),
    ]);
    let load = |follow_links| tree.load(&["repo/v1"], &LoadOptions { follow_links, ..LoadOptions::default() });
    assert!(load(false).unwrap_err().to_string().contains("leads out of"));
    assert!(load(true).is_ok());
    assert!(found("cache", plain));
    assert!(!found("elsewhere", plain));
}

#[test]
fn object_metadata_is_known_without_its_source() {
    let user = "package v1\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\
                type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\
                \tSelector *metav1.LabelSelector `json:\"selector\"`\n\tStatus metav1.Status `json:\"status\"`\n}\n";
    check(
        &[("x.io/v1/types.go", user)],
        &["x.io/v1"],
        false,
        expect![[r#"
            x.io/v1: Widget
            (k8s.io/apimachinery/pkg/apis/meta/v1: TypeMeta, ObjectMeta, OwnerReference, ManagedFieldsEntry, ManagedFieldsOperationType, LabelSelector, LabelSelectorRequirement, LabelSelectorOperator, Time (reads its JSON by itself), FieldsV1 (reads its JSON by itself), Status (its package was not loaded))
            (k8s.io/apimachinery/pkg/types: UID)
            : type k8s.io/apimachinery/pkg/apis/meta/v1.Status is in a package that was not loaded; treating it as opaque
        "#]],
    );
}

const CORE: &str = "package v1\nimport \"x.io/base\"\ntype Family string\nconst IPv4 Family = base.Four\nconst IPv6 Family = \"IPv6\"\n";

#[test]
fn constants_of_imported_packages_keep_their_values() {
    let user = "package v1\nimport core \"x.io/core/v1\"\ntype Address string\n\
                const (\n\tA = Address(core.IPv4)\n\tB = Address(core.IPv6)\n\tC Address = core.Gone\n)\n";
    let base = "package base\nconst Four = \"IPv\" + \"4\"\n";
    let files = [("x.io/api/v1/types.go", user), ("x.io/core/v1/types.go", CORE), ("x.io/base/base.go", base)];
    let tree = Tree::new(&files);
    let consts = |paths: &[&str]| -> Vec<String> {
        let loaded = tree.load(paths, &LoadOptions::default()).unwrap();
        let package = loaded.packages.iter().find(|package| package.path == "x.io/api/v1").unwrap();
        package.consts.iter().map(|item| format!("{} {:?} {}", item.name, item.value, item.needs.is_some())).collect()
    };
    let expected = [r#"A Some(String("IPv4")) false"#, r#"B Some(String("IPv6")) false"#, "C None true"];
    assert_eq!(consts(&["x.io/api/v1"]), expected);
    assert_eq!(consts(&["x.io/api/v1", "x.io/core/v1", "x.io/base"]), expected);
    let loaded = tree.load(&["x.io/api/v1"], &LoadOptions::default()).unwrap();
    assert_eq!(loaded.packages.len(), 1, "packages needed only for constants are not loaded");
}

#[test]
fn packages_whose_constants_need_each_other_are_read_nevertheless() {
    let a = "package a\nimport \"x.io/b\"\nconst A = b.B\nconst One = 1\n";
    let b = "package b\nimport \"x.io/a\"\nconst B = a.A\nconst Two = a.One + 1\n";
    let tree = Tree::new(&[("x.io/a/a.go", a), ("x.io/b/b.go", b)]);
    let loaded = tree.load(&["x.io/a", "x.io/b"], &LoadOptions::default()).unwrap();
    let values: Vec<bool> =
        loaded.packages.iter().flat_map(|package| &package.consts).map(|item| item.value.is_some()).collect();
    assert_eq!(values, [false, true, false, true]);
}

#[test]
fn types_of_constants_of_an_input_package_are_followed() {
    check(
        &[
            ("x.io/rules/doc.go", "// +k8s:validation-gen=*\n// +k8s:validation-gen-input=x.io/v1\npackage rules\n"),
            (
                "x.io/v1/types.go",
                "package v1\nimport \"x.io/base\"\nconst On base.Phase = \"On\"\ntype Widget struct{}\n",
            ),
            ("x.io/base/types.go", "package base\ntype Phase string\ntype Unused string\n"),
        ],
        &["x.io/rules"],
        false,
        expect![[r#"
            x.io/rules: 
            (x.io/base: Phase)
            x.io/v1: Widget
        "#]],
    );
}

#[test]
fn without_a_required_version_the_latest_is_taken() {
    let tree = Tree::new(&[
        ("v1/types.go", USER),
        ("go.mod", "module example.com/project\n"),
        ("cache/k8s.io/apimachinery@v0.9.0/pkg/apis/meta/v1/types.go", "package v1\n"),
        ("cache/k8s.io/apimachinery@v0.10.0/pkg/apis/meta/v1/types.go", META),
    ]);
    let options = LoadOptions { module_cache: Some(tree.0.join("cache")), ..LoadOptions::default() };
    let loaded = tree.load(&["v1"], &options).unwrap();
    assert_eq!(loaded.packages[1].types.len(), 3);
}

#[test]
fn the_package_that_a_tag_names_as_input_counts_as_given() {
    check(
        &[
            ("go.mod", "module x.io/p\n"),
            ("rules/doc.go", "// +k8s:validation-gen=*\n// +k8s:validation-gen-input=x.io/p/v1\npackage rules\n"),
            ("v1/types.go", WIDGET),
        ],
        &["rules"],
        false,
        expect![[r#"
            x.io/p/rules: 
            x.io/p/v1: Widget
        "#]],
    );
}

#[test]
fn a_type_with_rules_keeps_its_fields_even_if_it_reads_json_by_itself() {
    let text = "package v1\ntype Odd struct {\n\t// +k8s:minimum=0\n\tA int `json:\"a\"`\n}\n\
                func (o *Odd) UnmarshalJSON(b []byte) error { return nil }\n";
    check(
        &[("v1/types.go", text)],
        &["v1"],
        false,
        expect![[r#"
        v1: Odd
        v1/types.go:2:6: type Odd reads its JSON by itself (UnmarshalJSON): its rules see the fields as declared
    "#]],
    );
}

#[test]
fn rust_modules_are_named_by_crate_and_file() {
    let files = [
        ("w/Cargo.toml", "[package]\nname = \"my-widgets\"\n"),
        ("w/src/lib.rs", "pub mod v1;\npub struct Top { pub a: i32 }\n"),
        ("w/src/v1/mod.rs", "use crate::v1::spec::Spec;\npub struct Widget { pub spec: Spec }\n"),
        ("w/src/v1/spec.rs", "pub struct Spec { pub a: i32 }\npub struct Unused { pub a: i32 }\n"),
    ];
    let all = expect![[r#"
        my_widgets: Top
        my_widgets::v1: Widget
        my_widgets::v1::spec: Spec, Unused
    "#]];
    check(&files, &["w"], false, &all);
    check(&files, &["w/src"], false, &all);
    check(
        &files,
        &["w/src/v1/mod.rs"],
        false,
        expect![[r#"
        my_widgets::v1: Widget
        (my_widgets::v1::spec: Spec)
    "#]],
    );
    check(
        &[("loose/widget.rs", "pub struct Widget { pub a: i32 }\n")],
        &["loose/widget.rs"],
        false,
        expect![[r#"
        widget: Widget
    "#]],
    );
}

#[test]
fn what_cannot_be_loaded_is_said() {
    let files = [("notes.txt", ""), ("empty/notes.txt", ""), ("a/v1/types.go", WIDGET), ("b/v1/types.go", WIDGET)];
    check(
        &files,
        &["notes.txt"],
        false,
        expect![[r#"
        error: notes.txt: neither a Go nor a Rust source file
    "#]],
    );
    check(
        &files,
        &["empty"],
        false,
        expect![[r#"
        error: empty: no Go or Rust source files here
    "#]],
    );
    check(
        &files,
        &["missing"],
        false,
        expect![[r#"
        error: missing
    "#]],
    );
    check(
        &files,
        &["a/v1", "b/v1"],
        false,
        expect![[r#"
        error: a/v1 and b/v1 are both package v1
    "#]],
    );
}

#[test]
fn limits_hold() {
    let tree = Tree::new(&[("v1/types.go", WIDGET)]);
    let big = tree.0.join("v1/big.go");
    let at_limit = usize::try_from(MAX_FILE_BYTES).unwrap();
    let mut text = "package v1\n".to_owned();
    text.push_str(&" ".repeat(at_limit - text.len()));
    fs::write(&big, &text).unwrap();
    assert!(tree.load(&["v1"], &LoadOptions::default()).is_ok());
    text.push(' ');
    fs::write(&big, &text).unwrap();
    assert!(matches!(tree.load(&["v1"], &LoadOptions::default()), Err(LoadError::TooLarge(path)) if path == big));

    let deep = |levels: usize| {
        let path = format!("{}types.go", "d/".repeat(levels));
        Tree::new(&[(&path, WIDGET)]).load(&["."], &LoadOptions { recursive: true, ..LoadOptions::default() })
    };
    assert!(deep(MAX_DIR_DEPTH).is_ok());
    assert!(matches!(deep(MAX_DIR_DEPTH + 1), Err(LoadError::TooDeep(_))));

    let mut disk = files::Disk::new(&[], &LoadOptions { follow_links: true, ..LoadOptions::default() });
    let file = tree.0.join("v1/types.go");
    assert!((0..MAX_FILES).all(|_| disk.read(&file).is_ok()));
    assert!(matches!(disk.read(&file), Err(LoadError::TooManyFiles)));
}

/// A module of three files, one of which is behind a feature.
const PARTS: [(&str, &str); 6] = [
    ("Cargo.toml", "[package]\nname = \"widgets\"\n"),
    ("src/lib.rs", "pub mod v1;\n"),
    (
        "src/v1.rs",
        "mod a;\n#[cfg(feature = \"more-types\")]\nmod b;\nmod helper;\npub use a::*;\n\
         #[cfg(feature = \"more-types\")]\npub use b::*;\npub struct Widget { pub a: A }\n",
    ),
    ("src/v1/a.rs", "pub struct A;\n"),
    ("src/v1/b/mod.rs", "use super::A;\npub struct B { pub a: A }\n"),
    ("src/v1/helper.rs", "pub struct Helper;\n"),
];

#[test]
fn child_modules_that_are_reexported_belong_to_their_parent() {
    check(
        &PARTS,
        &["src/v1.rs"],
        false,
        expect![[r#"
        widgets::v1: Widget, A (it has no fields), B
    "#]],
    );
    check(
        &PARTS,
        &["."],
        false,
        expect![[r#"
        widgets: 
        widgets::v1: Widget, A (it has no fields), B
        widgets::v1::helper: Helper (it has no fields)
    "#]],
    );
    check(
        &PARTS[..3],
        &["src/v1.rs"],
        false,
        expect![[r#"
        error: src/v1/a.rs
    "#]],
    );
}

#[test]
fn parts_behind_features_that_are_off_are_left_out() {
    let tree = Tree::new(&PARTS);
    let types = |features: &[&str]| {
        let features = Some(features.iter().map(ToString::to_string).collect());
        let loaded = tree.load(&["src/v1.rs"], &LoadOptions { features, ..LoadOptions::default() }).unwrap();
        loaded.packages[0].types.iter().map(|ty| ty.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(types(&[]), ["Widget", "A"]);
    assert_eq!(types(&["other"]), ["Widget", "A"]);
    assert_eq!(types(&["more-types"]), ["Widget", "A", "B"]);
    assert_eq!(types(&["MORE_TYPES"]), ["Widget", "A", "B"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_their_tree_are_refused() {
    use std::os::unix::fs::symlink;

    let outside =
        Tree::new(&[("secret.go", "package v1\n\ntype Secret struct{}\n"), ("v2/mod.rs", "pub struct Far;\n")]);
    let load = |tree: &Tree, path: &str, follow_links| {
        tree.load(&[path], &LoadOptions { follow_links, ..LoadOptions::default() })
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    // A link to a file, in a folder that is not a module and in one that is.
    for more in [&[][..], &[("go.mod", "module example.com/a\n")]] {
        let tree = Tree::new(&[&[("api/v1/types.go", WIDGET), ("api/shared.go", "package v1\n")], more].concat());
        symlink(outside.0.join("secret.go"), tree.0.join("api/v1/more.go")).unwrap();
        let error = load(&tree, "api/v1", false).unwrap_err();
        assert!(error.contains("more.go: leads out of") && error.contains("--follow-links"), "{error}");
        assert_eq!(load(&tree, "api/v1", true), Ok(()));
        assert_eq!(load(&tree, "api/v1/more.go", false), Ok(()), "a file that is named is meant");
        std::fs::remove_file(tree.0.join("api/v1/more.go")).unwrap();
        symlink("../shared.go", tree.0.join("api/v1/more.go")).unwrap();
        assert_eq!(
            load(&tree, "api/v1", false).is_ok(),
            !more.is_empty(),
            "inside of a module a link may lead anywhere"
        );
    }
    // A folder of a Rust module.
    let tree = Tree::new(&[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "mod v2;\npub use v2::*;\n")]);
    symlink(outside.0.join("v2"), tree.0.join("src/v2")).unwrap();
    assert!(load(&tree, "src/lib.rs", false).unwrap_err().contains("v2/mod.rs: leads out of"));
    assert_eq!(load(&tree, "src/lib.rs", true), Ok(()));
}
