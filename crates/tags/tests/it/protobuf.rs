//! Numbers of fields in protobuf, from Go's struct tags and from tags above Rust fields.

use sprag_idl::model::Package;
use sprag_idl::{GoPackageInput, RustModuleInput, Sources, read_go, read_rust};
use sprag_shape::{Message, Shapes};
use sprag_tags::types::Universe;
use sprag_tags::{LowerOptions, Registry, ShapeTable, lower};

fn shapes(package: Package) -> Shapes {
    ShapeTable::new(&Universe::new(vec![package], |_| true)).shapes
}

fn go(text: &str) -> Shapes {
    let mut sources = Sources::default();
    let file = sources.add("types.go", text);
    let (package, findings) = read_go(GoPackageInput { path: "acme.dev/v1", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:#?}");
    shapes(package)
}

fn rust(text: &str) -> Shapes {
    let mut sources = Sources::default();
    let file = sources.add("v1.rs", text);
    let (package, findings) = read_rust(RustModuleInput { path: "acme::v1", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:#?}");
    shapes(package)
}

/// The JSON name and number of each field; embedded structs have their own name.
fn numbers(shapes: &Shapes, name: &str) -> Vec<(String, u32)> {
    let fields = shapes.get(shapes.by_name(name).expect("it is declared")).fields();
    let name = |json: &str, name: &str| if json.is_empty() { name.to_owned() } else { json.to_owned() };
    fields.iter().map(|field| (name(&field.json, &field.name), field.protobuf)).collect()
}

#[test]
fn struct_tags_of_go_and_tags_of_rust_give_numbers() {
    let go = go("package v1\n\ntype Volume struct {\n\tTypeMeta `json:\",inline\"`\n\
                 \tName string `json:\"name\" protobuf:\"bytes,1,opt,name=name\"`\n\
                 \tVolumeSource `json:\",inline\" protobuf:\"bytes,2,opt,name=volumeSource\"`\n\
                 \tOld int32 `json:\"old\" protobuf:\"-\"`\n}\n\
                 type TypeMeta struct {\n\tKind string `json:\"kind\" protobuf:\"bytes,1,opt,name=kind\"`\n}\n\
                 type VolumeSource struct {\n\tPath *string `json:\"path,omitempty\" protobuf:\"bytes,3,opt,name=path\"`\n}\n");
    let numbered =
        |pairs: &[(&str, u32)]| pairs.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect::<Vec<_>>();
    assert_eq!(numbers(&go, "v1.Volume"), numbered(&[("TypeMeta", 0), ("name", 1), ("VolumeSource", 2), ("old", 0)]));
    assert_eq!(numbers(&go, "v1.VolumeSource"), numbered(&[("path", 3)]));

    let rust = rust(
        "/// A volume.\n#[derive(Serialize, Deserialize)]\n#[serde(rename_all = \"camelCase\")]\n\
                     pub struct Volume {\n    /// Its name.\n    ///\n    /// +protobuf=1\n    pub the_name: String,\n\
                         /// Where it is.\n    ///\n    /// +protobuf=2\n    #[serde(flatten)]\n    pub source: VolumeSource,\n\
                         /// Has none.\n    pub old: i32,\n}\n\n\
                     #[derive(Serialize, Deserialize)]\npub struct VolumeSource {\n    /// +optional\n    /// +protobuf=3\n    pub path: Option<String>,\n}\n",
    );
    assert_eq!(numbers(&rust, "v1.Volume"), numbered(&[("theName", 1), ("VolumeSource", 2), ("old", 0)]));
    assert_eq!(numbers(&rust, "v1.VolumeSource"), numbered(&[("path", 3)]));
}

#[test]
fn lists_that_are_messages_say_so() {
    let go = go("package v1\n\n// +protobuf.nullable=true\ntype Verbs []string\n\ntype Rules []string\n\n\
                 type T struct {\n\tVerbs Verbs `json:\"verbs\" protobuf:\"bytes,1,opt,name=verbs\"`\n\
                 \tRules Rules `json:\"rules\" protobuf:\"bytes,2,rep,name=rules\"`\n}\n");
    let message =
        |shapes: &Shapes, name: &str| shapes.get(shapes.by_name(name).expect("it is declared")).message.clone();
    assert_eq!((message(&go, "v1.Verbs"), message(&go, "v1.Rules")), (Message::Items, Message::OfKind));
    let rust = rust(
        "/// Verbs.\n///\n/// +protobuf.nullable=true\n#[serde(transparent)]\npub struct Verbs(pub Vec<String>);\n\
                     pub struct T {\n    /// +protobuf=1\n    pub verbs: Verbs,\n}\n",
    );
    assert_eq!(message(&rust, "v1.Verbs"), Message::Items);
}

/// Returns the findings of lowering a Rust struct with these fields.
fn findings(fields: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let text = format!("#[derive(Serialize, Deserialize)]\npub struct Volume {{\n{fields}}}\n");
    let file = sources.add("v1.rs", &text);
    let (package, findings) = read_rust(RustModuleInput { path: "acme::v1", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:#?}");
    let universe = Universe::new(vec![package], |_| true);
    let lowering = lower(&universe, &Registry::standard(), LowerOptions::default());
    lowering.findings.iter().map(|finding| finding.message.clone()).collect()
}

#[test]
fn numbers_that_are_none_are_refused() {
    let field = |number: &str| format!("    /// +protobuf={number}\n    pub a: String,\n");
    for number in ["1", "18999", "20000", "536870911"] {
        assert_eq!(findings(&field(number)), [""; 0], "{number}");
    }
    for number in ["x", "0", "-1", "1x", "", "19000", "19999", "536870912", "99999999999"] {
        let message = format!("field acme::v1.Volume.a: {number:?} is no number of a field in protobuf");
        assert_eq!(findings(&field(number)), [message], "{number}");
    }
}

#[test]
fn a_type_has_each_number_once() {
    let fields = "    /// +protobuf=1\n    pub a: String,\n    /// +protobuf=2\n    pub b: String,\n    \
                  /// +protobuf=1\n    pub c: String,\n";
    assert_eq!(findings(fields), ["field acme::v1.Volume.c: a has the number 1 in protobuf, too"]);
}
