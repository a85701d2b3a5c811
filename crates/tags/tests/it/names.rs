//! Names of fields, aliases and constants, and the places where their tags count.

use sprag_tags::Dialect::Kubernetes;

use crate::api::Api;

#[test]
fn a_field_without_a_json_tag_has_its_own_name() {
    let source = "type T struct {\n\t// +k8s:minimum=1\n\tCount int\n}\n";
    let errors = Api::new(Kubernetes, source).create(r#"{"Count": 0}"#);
    assert_eq!(errors, ["Count: Invalid value: 0: must be greater than or equal to 1"]);
}

#[test]
fn a_subfield_without_a_json_tag_is_found_by_its_own_name() {
    let source = "type T struct {\n\t// +k8s:subfield(A)=+k8s:minLength=1\n\tH H `json:\"h\"`\n}\n\
                  type H struct {\n\tA string\n}\n";
    let errors = Api::new(Kubernetes, source).create(r#"{"h": {"A": ""}}"#);
    assert_eq!(errors, ["h.A: Too short: must be at least 1 character"]);
}

#[test]
fn an_alias_adds_no_tags() {
    let source = "// +k8s:required\ntype X = string\ntype T struct {\n\t// +k8s:minLength=1\n\tF X `json:\"f\"`\n}\n";
    assert_eq!(Api::new(Kubernetes, source).create(r#"{"f": ""}"#).len(), 1);
}

#[test]
fn tags_of_an_untyped_constant_are_checked() {
    let source = "const (\n\t// +k8s:minimum=1\n\tA = \"a\"\n)\ntype T struct {}\n";
    let refusals = Api::refusals(Kubernetes, source);
    assert_eq!(refusals, ["constant example.dev/api/v1.A: tag \"k8s:minimum\" cannot be specified on constant values"]);
}

#[test]
fn tags_of_a_field_that_is_not_on_the_wire_are_checked() {
    let source = "type T struct {\n\t// +k8s:minimum=1\n\tF string `json:\"-\"`\n}\n";
    assert_eq!(Api::refusals(Kubernetes, source).len(), 1);
}

#[test]
fn a_union_member_may_have_a_named_scalar_type() {
    let source = "type Name string\ntype T struct {\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tA Name `json:\"a\"`\n\
                  \t// +k8s:optional\n\t// +k8s:unionMember\n\tB *string `json:\"b\"`\n}\n";
    let api = Api::new(Kubernetes, source);
    assert!(api.create(r#"{"a": "x"}"#).is_empty());
    assert_eq!(api.create("{}"), ["<nil>: Invalid value: \"\": must specify one of: `a`, `b`"]);
}

#[test]
fn a_type_that_was_not_read_has_to_be_opaque() {
    let source = "import \"reflect\"\ntype T struct {\n\t// +k8s:minLength=1\n\tF reflect.StructTag `json:\"f\"`\n}\n";
    let refusals = Api::refusals(Kubernetes, source);
    assert!(refusals[0].contains("can only be used on string types (reflect.StructTag)"), "{refusals:?}");
}

#[test]
fn an_enum_with_a_constant_of_unknown_value_is_refused() {
    let source = |value: &str| {
        format!(
            "import core \"example.dev/core/v1\"\n// +k8s:enum\ntype E string\nconst A E = \"a\"\nconst B = E({value})\n\
             type T struct {{\n\tE E `json:\"e\"`\n}}\n"
        )
    };
    let refusals = Api::refusals(Kubernetes, &source("core.B"));
    let expected = "example.dev/api/v1.E: tag \"k8s:enum\": the value of constant B is not known: \
                    constant B of package example.dev/core/v1 was not found";
    assert_eq!(refusals, [expected]);
    let refusals = Api::refusals(Kubernetes, &source("min(\"b\", \"c\")"));
    let expected = "example.dev/api/v1.E: tag \"k8s:enum\": the value of constant B is not known: \
                    its expression is not one that can be worked out";
    assert_eq!(refusals, [expected]);
    assert_eq!(Api::new(Kubernetes, &source("\"b\"")).create(r#"{"e": "b"}"#), <[&str; 0]>::default());
}
