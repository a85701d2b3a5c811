//! Go types in Rust, one mapping per test.

use expect_test::{Expect, expect};

use crate::fixture::{file, go};

/// Prints the types of a Go file, without derives and imports.
#[track_caller]
fn check(source: &str, want: &Expect) {
    let output = go("example.dev/v1", &format!("package v1\n{source}"));
    let text = file(&output, "example_dev_v1/mod.rs");
    let (_, types) = text.split_once("mod traits;\n").unwrap();
    let mut derives = false;
    let lines = types.lines().filter(|line| {
        derives |= line.starts_with("#[derive(");
        let skipped = derives || line.starts_with("use ") || *line == "pub mod validation;";
        derives &= !line.ends_with(")]");
        !skipped
    });
    want.assert_eq(&format!("{}\n", lines.collect::<Vec<_>>().join("\n").trim()));
}

#[test]
fn scalars_by_width() {
    check(
        r#"
type A struct {
	I int
	J int32
	U uint16
	F float64
	B bool
	S string
}
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(rename = "I", deserialize_with = "wire::null_default")]
                pub i: i64,
                #[serde(rename = "J", deserialize_with = "wire::null_default")]
                pub j: i32,
                #[serde(rename = "U", deserialize_with = "wire::null_default")]
                pub u: u16,
                #[serde(rename = "F", deserialize_with = "wire::null_default")]
                pub f: f64,
                #[serde(rename = "B", deserialize_with = "wire::null_default")]
                pub b: bool,
                #[serde(rename = "S", deserialize_with = "wire::null_default")]
                pub s: String,
            }
        "##]],
    );
}

#[test]
fn pointers_lists_and_maps() {
    check(
        r#"
type A struct {
	P *int32 `json:"p,omitempty"`
	L []*B `json:"l"`
	M map[string]B `json:"m,omitempty"`
	D []byte `json:"d"`
}
type B struct{}
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(skip_serializing_if = "Option::is_none")]
                pub p: Option<i32>,
                #[serde(
                    deserialize_with = "wire::null_default",
                    serialize_with = "wire::null_if_empty"
                )]
                pub l: Vec<Option<B>>,
                #[serde(
                    deserialize_with = "wire::null_default",
                    skip_serializing_if = "wire::is_zero"
                )]
                pub m: std::collections::BTreeMap<String, B>,
                #[serde(
                    deserialize_with = "wire::null_default",
                    serialize_with = "wire::null_if_empty"
                )]
                pub d: sprag_value::ByteString,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct B {}
        "##]],
    );
}

#[test]
fn names_that_camel_case_does_not_give_are_spelled_out() {
    check(
        r#"
type A struct {
	NodeName string `json:"nodeName"`
	PodIPs string `json:"podIPs"`
	Type string `json:"type"`
}
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default, rename_all = "camelCase")]
            pub struct A {
                #[serde(deserialize_with = "wire::null_default")]
                pub node_name: String,
                #[serde(rename = "podIPs", deserialize_with = "wire::null_default")]
                pub pod_ips: String,
                #[serde(deserialize_with = "wire::null_default")]
                pub r#type: String,
            }
        "##]],
    );
}

#[test]
fn named_strings_with_their_constants() {
    check(
        r#"
// Phase is how far it is.
type Phase string

const (
	// PhaseRunning is at work.
	PhaseRunning Phase = "Running"
	Done Phase = "Done"
)
"#,
        &expect![[r#"
            /// Phase is how far it is.
            #[serde(crate = "sprag_value::serde", transparent)]
            pub struct Phase(pub String);

            impl From<&str> for Phase {
                fn from(text: &str) -> Self {
                    Phase(text.into())
                }
            }

            impl Phase {
                /// PhaseRunning is at work.
                pub const PHASE_RUNNING: &'static str = "Running";
                pub const DONE: &'static str = "Done";
            }
        "#]],
    );
}

#[test]
fn named_numbers_and_collections() {
    check(
        r#"
type Port int32
const HTTP Port = 80
type Ports []Port
type Key string
type ByKey map[Key]Port
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", transparent)]
            pub struct Port(pub i32);

            impl Port {
                pub const HTTP: Port = Port(80);
            }

            #[serde(crate = "sprag_value::serde", transparent)]
            pub struct Ports(pub Vec<Port>);

            #[serde(crate = "sprag_value::serde", transparent)]
            pub struct Key(pub String);

            impl From<&str> for Key {
                fn from(text: &str) -> Self {
                    Key(text.into())
                }
            }

            #[serde(crate = "sprag_value::serde", transparent)]
            pub struct ByKey(pub std::collections::BTreeMap<Key, Port>);
        "##]],
    );
}

#[test]
fn definition_of_a_struct_has_its_own_fields() {
    check(
        r#"
type A struct {
	X int `json:"x"`
}
type B A
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(deserialize_with = "wire::null_default")]
                pub x: i64,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct B {
                #[serde(deserialize_with = "wire::null_default")]
                pub x: i64,
            }
        "##]],
    );
}

#[test]
fn embedded_structs_are_flattened() {
    check(
        r#"
type A struct {
	B `json:",inline"`
	*C `json:",inline"`
	D `json:"d"`
}
type B struct{ X int `json:"x"` }
type C struct{ Y int `json:"y"` }
type D struct{}
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(flatten)]
                pub b: B,
                #[serde(flatten, deserialize_with = "read_a_c")]
                pub c: Option<C>,
                #[serde(deserialize_with = "wire::null_default")]
                pub d: D,
            }

            fn read_a_c<'de, __D: sprag_value::serde::Deserializer<'de>>(
                deserializer: __D,
            ) -> Result<Option<C>, __D::Error> {
                wire::embedded(deserializer, &["y"])
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct B {
                #[serde(deserialize_with = "wire::null_default")]
                pub x: i64,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct C {
                #[serde(deserialize_with = "wire::null_default")]
                pub y: i64,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct D {}
        "##]],
    );
}

#[test]
fn embedded_structs_that_clash_are_nested() {
    check(
        r#"
type A struct {
	B `json:",inline"`
	X string `json:"x"`
}
type B struct{ X int `json:"x"` }
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(rename = "B", deserialize_with = "wire::null_default")]
                pub b: B,
                #[serde(deserialize_with = "wire::null_default")]
                pub x: String,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct B {
                #[serde(deserialize_with = "wire::null_default")]
                pub x: i64,
            }
        "##]],
    );
}

#[test]
fn cycles_are_boxed() {
    check(
        r#"
type A struct {
	B *B `json:"b"`
	All []A `json:"all"`
}
type B struct{ A *A `json:"a"` }
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                pub b: Option<Box<B>>,
                #[serde(
                    deserialize_with = "wire::null_default",
                    serialize_with = "wire::null_if_empty"
                )]
                pub all: Vec<A>,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct B {
                pub a: Option<Box<A>>,
            }
        "##]],
    );
}

#[test]
fn well_known_and_unknown_types() {
    check(
        r#"
import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"example.dev/other"
)
type A struct {
	T metav1.Time `json:"t"`
	Q *resource.Quantity `json:"q"`
	O other.Thing `json:"o"`
	I interface{} `json:"i"`
}
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct A {
                #[serde(deserialize_with = "wire::null_default")]
                pub t: sprag_value::Time,
                pub q: Option<sprag_value::Quantity>,
                pub o: sprag_value::Value,
                pub i: sprag_value::Value,
            }
        "##]],
    );
}

#[test]
fn names_of_the_standard_library_are_kept_apart() {
    check(
        r#"
type Option struct{ X *int `json:"x"` }
type Vec struct{ L []string `json:"l"` }
"#,
        &expect![[r##"
            #[serde(crate = "sprag_value::serde", default)]
            pub struct Option {
                pub x: std::option::Option<i64>,
            }

            #[serde(crate = "sprag_value::serde", default)]
            pub struct Vec {
                #[serde(
                    deserialize_with = "wire::null_default",
                    serialize_with = "wire::null_if_empty"
                )]
                pub l: std::vec::Vec<String>,
            }
        "##]],
    );
}

#[test]
fn same_input_gives_the_same_bytes() {
    let source = "package v1\ntype A struct {\n\tM map[string]B\n}\ntype B struct{}\ntype C string";
    assert_eq!(go("example.dev/v1", source), go("example.dev/v1", source));
}
