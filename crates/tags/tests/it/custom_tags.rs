//! Tags of an API author's own.

use sprag_checks::At;
use sprag_field::{Error, Errors};
use sprag_program::{HookCall, HookTable};
use sprag_tags::{ArgSpec, CustomTag, CustomTagError, Dialect, LiteralKind, PayloadSpec, Registry, Scope};
use sprag_value::Value;

use crate::api::Api;

fn color() -> CustomTag {
    CustomTag {
        name: "acme:color".into(),
        scopes: vec![Scope::Field, Scope::ListVal],
        summary: "The string has to be a colour.".into(),
        function: "crate::checks::color".into(),
        ..CustomTag::default()
    }
}

fn palette() -> CustomTag {
    let arg = |name, kind, required| ArgSpec { name: Some(name), kind, required, docs: "" };
    CustomTag {
        args: vec![arg("palette", LiteralKind::String, true), arg("dark", LiteralKind::Bool, false)],
        payload: Some(PayloadSpec { kind: LiteralKind::Int, required: false }),
        ..color()
    }
}

#[test]
fn an_authors_tag_runs_the_authors_function() {
    let registry = Registry::standard().with(color()).expect("the name is free");
    let source = "type T struct {\n\t// +acme:color\n\tF string `json:\"f\"`\n}\n";
    let (api, findings) = Api::read(Dialect::Kep, source, &registry);
    assert!(findings.is_empty());
    // The interpreter has no such function, and says so.
    assert_eq!(api.create(r#"{"f": "red"}"#), ["f: Internal error: no hand-written check crate::checks::color"]);
}

#[test]
fn an_authors_tag_is_checked_like_any_other() {
    let registry = Registry::standard().with(color()).expect("the name is free");
    let (_, findings) = Api::read(Dialect::Kep, "// +acme:color\ntype T struct {}\n", &registry);
    assert_eq!(findings, ["example.dev/api/v1.T: tag \"acme:color\" cannot be specified on type definitions"]);
}

#[test]
fn a_standard_name_cannot_be_taken() {
    let with = |name: &str| Registry::standard().with(CustomTag { name: name.into(), ..color() }).map(drop);
    assert_eq!(with("k8s:minimum"), Err(CustomTagError::Taken("k8s:minimum".into())));
    assert_eq!(with("k8s:ifOptionEnabled"), Err(CustomTagError::Taken("k8s:ifOptionEnabled".into())));
    for name in ["", "color", ":color", "acme:", "acme color", "+acme:color"] {
        assert_eq!(with(name), Err(CustomTagError::NotAName(name.into())));
    }
    let nowhere = CustomTag { scopes: Vec::new(), ..color() };
    assert_eq!(Registry::standard().with(nowhere).map(drop), Err(CustomTagError::NoScope("acme:color".into())));
}

/// Hooks that say what they were called with.
struct Echo;

impl HookTable for Echo {
    fn run(
        &self,
        call: &HookCall,
        at: &At<'_>,
        _: Option<&Value>,
        _: Option<&Value>,
        errors: &mut Errors,
    ) -> Option<bool> {
        errors.push(Error::forbidden(&at.path, format!("{:?}", call.args)));
        Some(true)
    }
}

#[test]
fn an_authors_tag_passes_its_arguments_and_payload() {
    let registry = Registry::standard().with(palette()).expect("the name is free");
    for (tag, passed) in [
        (
            "+acme:color(palette: \"warm\", dark: true)=3",
            "[Required(String(\"warm\")), Optional(Some(Bool(true))), Optional(Some(Int(3)))]",
        ),
        ("+acme:color(palette: warm)", "[Required(String(\"warm\")), Optional(None), Optional(None)]"),
    ] {
        let source = format!("type T struct {{\n\t// {tag}\n\tF string `json:\"f\"`\n}}\n");
        let (api, findings) = Api::read(Dialect::Kep, &source, &registry);
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(api.create_with(&Echo, r#"{"f": "red"}"#), [format!("f: Forbidden: {passed}")]);
    }
}

#[test]
fn arguments_and_payload_of_an_authors_tag_are_checked() {
    let registry = Registry::standard().with(palette()).expect("the name is free");
    for (tag, expected) in [
        ("+acme:color=3", "missing named argument \"palette\" of type string"),
        ("+acme:color(palette: 1)", "argument \"palette: 1\" has wrong type: got int, want string"),
        ("+acme:color(palette: a, size: 1)", "unrecognized named argument \"size: 1\""),
        ("+acme:color(palette: a)=\"x\"", "tag value has wrong type: got string, want int"),
    ] {
        let source = format!("type T struct {{\n\t// {tag}\n\tF string `json:\"f\"`\n}}\n");
        let (_, findings) = Api::read(Dialect::Kep, &source, &registry);
        assert_eq!(findings, [format!("field example.dev/api/v1.T.f: tag \"acme:color\": {expected}")]);
    }
}

#[test]
fn an_authors_tag_that_short_circuits_skips_other_checks() {
    let source = "type T struct {\n\t// +acme:color\n\t// +k8s:maxLength=1\n\tF string `json:\"f\"`\n}\n";
    let found = |short_circuit: bool| {
        let registry = Registry::standard().with(CustomTag { short_circuit, ..color() }).expect("the name is free");
        let (api, findings) = Api::read(Dialect::Kep, source, &registry);
        assert!(findings.is_empty(), "{findings:?}");
        api.create_with(&Echo, r#"{"f": "red"}"#).len()
    };
    assert_eq!((found(true), found(false)), (1, 2));
}

#[test]
fn a_tag_without_payload_may_pass_the_constants_of_the_type() {
    let tag = CustomTag {
        payload: Some(PayloadSpec { kind: LiteralKind::String, required: false }),
        constants: true,
        words: "one of {payload}".into(),
        ..color()
    };
    let registry = Registry::standard().with(tag).expect("the name is free");
    let source = "
type Color string
const (
	Red Color = \"Red\"
	Blue Color = \"Blue\"
)
type T struct {
	// +acme:color
	F *Color `json:\"f\"`
	// +acme:color=\"Green,Grey\"
	G string `json:\"g\"`
}
";
    let (api, findings) = Api::read(Dialect::Kubernetes, source, &registry);
    assert!(findings.is_empty(), "{findings:?}");
    let passed = api.create_with(&Echo, r#"{"f": "Red", "g": ""}"#);
    assert_eq!(
        passed,
        ["f: Forbidden: [Required(String(\"Red,Blue\"))]", "g: Forbidden: [Required(String(\"Green,Grey\"))]",]
    );
    let words = |field: usize| {
        let plan = api.program().plan().of(api.root()).expect("it has rules");
        api.program().words(&plan.fields[field].cohorts[0].checks[0].rule).phrase
    };
    assert_eq!([words(0), words(1)], ["one of Red, Blue", "one of Green, Grey"]);

    let source = "type T struct {\n\t// +acme:color\n\tF string `json:\"f\"`\n}\n";
    let (_, findings) = Api::read(Dialect::Kubernetes, source, &registry);
    let message =
        "field example.dev/api/v1.T.f: tag \"acme:color\": the type has no constants: write the values after =";
    assert_eq!(findings, [message]);
}
