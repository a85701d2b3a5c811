//! Programs made by hand: what running one yields, and how its resources are found.

use sprag_checks::{At, Regexp, Request};
use sprag_field::{BadValue, Error, Errors};
use sprag_program::{
    Check, Cohort, DefId, DefLayout, FieldPlan, FieldRef, Form, HookCall, HookTable, Member, NoHooks, PathStep,
    PatternId, Plan, Program, ProgramParts, Resource, ResourceFacts, Root, Rule, TypeId, TypeLayout, TypePlan,
};
use sprag_release::Releases;
use sprag_shape::{Kind, Shapes, TypeId as ShapeId, TypeShape};
use sprag_value::{Value, json};

const STRING: TypeId = TypeId(0);
const WIDGET: DefId = DefId(0);

/// A string field of the widget: its name, its optional inline form, and its checks.
struct Text {
    name: String,
    inline: bool,
    cohort: Cohort,
}

fn text(name: &str, checks: Vec<Check>) -> Text {
    let stops = checks.iter().filter(|check| check.short_circuit).count();
    Text { name: name.to_owned(), inline: false, cohort: Cohort { checks, stops, ..Cohort::default() } }
}

/// A program of one type with these fields, which is validated as a whole object.
fn program(fields: Vec<Text>) -> Program {
    let plans = fields.iter().enumerate().map(|(index, text)| FieldPlan {
        field: FieldRef { def: WIDGET, index },
        ty: STRING,
        step: PathStep::Child(text.name.clone()),
        cohorts: vec![text.cohort.clone()],
        descend: Vec::new(),
        changes: Vec::new(),
        calls: Vec::new(),
        ends_unset: text.cohort.stops > 0,
        called: false,
    });
    let root = Root {
        def: WIDGET,
        go_type: "*v1.Widget".to_owned(),
        registered_by: Vec::new(),
        subresources: vec!["/".to_owned()],
    };
    let plan = Plan {
        types: vec![Some(TypePlan { fields: plans.collect(), ..TypePlan::default() }), None],
        roots: vec![root],
        hooks: Vec::new(),
        patterns: vec![Regexp::new("^[a-z]+$").expect("it is a pattern")],
    };
    let member = |text: Text| Member {
        ty: STRING,
        json: (!text.inline).then(|| text.name.as_str().into()),
        name: text.name.as_str().into(),
    };
    let layout = |form| TypeLayout { form, pointer: false, shape: ShapeId(0) };
    Program::new(ProgramParts {
        plan,
        shapes: Shapes::new(vec![TypeShape::new("", Kind::String)]),
        types: vec![layout(Form::Text), layout(Form::Struct(WIDGET))],
        defs: vec![
            DefLayout { ty: TypeId(1), members: fields.into_iter().map(member).collect() },
            DefLayout { ty: STRING, members: Vec::new() },
        ],
        resources: Vec::new(),
        ranges: Vec::new(),
    })
}

fn run(program: &Program, hooks: &dyn HookTable, request: &Request<'_>, root: DefId, object: &str) -> Vec<String> {
    let object: Value = json::parse(object.as_bytes()).expect("tests hold valid JSON");
    let mut errors = Errors::new();
    program.validate(hooks, request, root, &object, None, &mut errors);
    errors.iter().map(ToString::to_string).collect()
}

fn create(program: &Program, object: &str) -> Vec<String> {
    run(program, &NoHooks, &Request::create(), WIDGET, object)
}

#[test]
fn other_subresource_is_an_internal_error() {
    let request = Request::create().with_subresource("/status");
    assert_eq!(
        run(&program(Vec::new()), &NoHooks, &request, WIDGET, "{}"),
        ["<nil>: Internal error: no validation found for *v1.Widget, subresource: /status"]
    );
}

#[test]
fn a_type_that_is_not_a_root_has_no_rules() {
    let program = program(vec![text("a", vec![Check::new(Rule::Required)])]);
    assert_eq!(create(&program, "{}"), ["a: Required value"]);
    for def in [DefId(1), DefId(7)] {
        assert_eq!(run(&program, &NoHooks, &Request::create(), def, "{}"), [""; 0]);
    }
}

#[test]
fn patterns_are_found_by_their_id() {
    let program = program(vec![text("a", vec![Check::new(Rule::Pattern(PatternId(0)))])]);
    assert_eq!(create(&program, r#"{"a":"x"}"#), [""; 0]);
    assert_eq!(create(&program, r#"{"a":"1"}"#), [r#"a: Invalid value: "1": must match the pattern "^[a-z]+$""#]);
}

struct OneHook;

impl HookTable for OneHook {
    fn run(
        &self,
        call: &HookCall,
        at: &At<'_>,
        _: Option<&Value>,
        _: Option<&Value>,
        errors: &mut Errors,
    ) -> Option<bool> {
        (call.name == "known").then(|| {
            errors.push(Error::invalid(&at.path, BadValue::Nil, "hooked"));
            true
        })
    }
}

#[test]
fn hooks_are_called_by_name() {
    let hook = |name: &str| {
        Check::new(Rule::Custom(HookCall {
            name: name.to_owned(),
            tag: String::new(),
            words: String::new(),
            args: Vec::new(),
        }))
    };
    let program = program(vec![text("a", vec![hook("known")]), text("b", vec![hook("unknown")])]);
    assert_eq!(
        run(&program, &OneHook, &Request::create(), WIDGET, "{}"),
        ["a: Invalid value: null: hooked", "b: Internal error: no hand-written check unknown"]
    );
}

#[test]
fn members_past_the_64th_are_checked() {
    let checks = || vec![Check::quiet(Rule::Optional), Check::new(Rule::MaxLength(1))];
    let program = program((0..70).map(|at| text(&format!("f{at}"), checks())).collect());
    assert_eq!(
        create(&program, r#"{"f0":"xx","f63":"xx","f64":"xx","f65":"x","f69":"xx"}"#),
        ["f0", "f63", "f64", "f69"].map(|name| format!("{name}: Too long: may not be more than 1 character"))
    );
}

#[test]
fn an_inlined_member_is_always_looked_at() {
    let inlined =
        Text { inline: true, ..text("a", vec![Check::quiet(Rule::Optional), Check::new(Rule::MaxLength(1))]) };
    let others = (0..8).map(|at| text(&format!("f{at}"), vec![Check::quiet(Rule::Optional)]));
    let program = program(std::iter::once(inlined).chain(others).collect());
    assert_eq!(create(&program, r#"{"a":"xx"}"#), ["a: Too long: may not be more than 1 character"]);
}

#[test]
fn a_resource_that_names_group_and_version_is_preferred() {
    let resource = |def: u32, group: Option<&str>, version: Option<&str>| Resource {
        def: DefId(def),
        group: group.map(str::to_owned),
        version: version.map(str::to_owned),
        kind: "Widget".to_owned(),
        go_type: "*v1.Widget".to_owned(),
        shape: ShapeId(0),
        releases: Releases::ALL,
        facts: ResourceFacts::default(),
    };
    let resources =
        vec![resource(0, Some("acme.dev"), Some("v1")), resource(1, None, Some("v1")), resource(2, None, None)];
    let program = Program::new(ProgramParts { resources, ..ProgramParts::default() });
    let found = |group: &str, version: &str, kind: &str| Some(program.find(group, version, kind)?.def.0);
    assert_eq!(found("acme.dev", "v1", "Widget"), Some(0));
    assert_eq!(found("other.dev", "v1", "Widget"), Some(1));
    assert_eq!(found("acme.dev", "v2", "Widget"), Some(2));
    assert_eq!(found("acme.dev", "v1", "Gadget"), None);
}

#[test]
fn an_embedded_program_borrows_its_texts() {
    let sizes = vec![text("size", vec![Check::new(Rule::MaxLength(2))])];
    let bytes: &'static [u8] = program(sizes).to_parts().to_bytes().leak();
    let parts = ProgramParts::embedded(bytes).expect("it was just written");
    assert_eq!(parts.to_bytes(), bytes);
    assert!(matches!(parts.shapes.types()[0].doc, std::borrow::Cow::Borrowed(_)));
    let copied = ProgramParts::from_bytes(bytes).expect("it was just written");
    assert!(matches!(copied.shapes.types()[0].doc, std::borrow::Cow::Owned(_)));
    assert_eq!(create(&Program::new(parts), r#"{"size": "xxl"}"#), create(&Program::new(copied), r#"{"size": "xxl"}"#));
}
