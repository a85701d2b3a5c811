//! The content of a program beside the rules: kinds, shapes, and declarations of resources.

use sprag_checks::Request;
use sprag_field::Errors;
use sprag_idl::{GoPackageInput, Sources, read_go};
use sprag_program::{FieldPlan, GatedStep, NoHooks, Program, ProgramParts, Resource, ResourceScope, WireError};
use sprag_release::Release;
use sprag_shape::apply_defaults;
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, LowerOptions, Registry, Untagged, lower, program};
use sprag_value::json;

use crate::api::Api;

/// Kinds in two packages, of which only the first says which group it is.
fn kinds() -> Program {
    let grouped = "// +groupName=acme.dev\npackage v1\n\n// +genclient\n// +genclient:nonNamespaced\n\n\
                   // Widget spins.\ntype Widget struct {\n\tMetadata M `json:\"metadata\"`\n\
                   \tSpec WidgetSpec `json:\"spec\"`\n}\n\
                   type WidgetSpec struct {\n\t// +default=3\n\tSize *int32 `json:\"size,omitempty\"`\n\
                   \t// +k8s:featureGate=Turning\n\t// +k8s:optional\n\tTurns []Turn `json:\"turns,omitempty\"`\n}\n\
                   type Turn struct {\n\t// +k8s:featureGate=Speed\n\t// +k8s:optional\n\
                   \tSpeed *int32 `json:\"speed,omitempty\"`\n}\ntype M struct{}\n";
    let plain = "package api\n\n// +genclient\ntype Widget struct {\n\tMetadata M `json:\"metadata\"`\n\
                 \tStatus M `json:\"status\"`\n}\n\ntype Gadget struct {\n\tMetadata M `json:\"metadata\"`\n}\n\
                 type M struct{}\n";
    let mut sources = Sources::default();
    let packages = [("acme.dev/api/v1", grouped), ("acme.dev/api", plain)].map(|(path, text)| {
        let file = sources.add("types.go", text);
        let (package, findings) = read_go(GoPackageInput { path, files: &[file] }, &sources);
        assert!(findings.is_empty(), "{findings:#?}");
        package
    });
    let universe = Universe::new(packages.into(), |_| true);
    let options = LowerOptions { dialect: Some(Dialect::Kep), untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    assert!(lowering.findings.is_empty(), "{:#?}", lowering.findings);
    program(&universe, &lowering)
}

fn found<'p>(program: &'p Program, group: &str, version: &str, kind: &str) -> Option<(&'p str, Option<&'p str>)> {
    let resource = program.find(group, version, kind)?;
    Some((&resource.go_type, resource.group.as_deref()))
}

#[test]
fn a_kind_is_found_by_what_its_package_says_about_it() {
    let program = kinds();
    assert_eq!(found(&program, "acme.dev", "v1", "Widget"), Some(("*v1.Widget", Some("acme.dev"))));
    assert_eq!(found(&program, "acme.dev", "v2", "Widget"), Some(("*api.Widget", None)));
    assert_eq!(found(&program, "other.dev", "v1", "Gadget"), Some(("*api.Gadget", None)));
    assert_eq!(found(&program, "acme.dev", "v1", "Gizmo"), None);
}

fn widget(program: &Program) -> &Resource {
    program.find("acme.dev", "v1", "Widget").expect("it is declared")
}

#[test]
fn declarations_say_where_objects_are() {
    let program = kinds();
    let scope = |version: &str, kind: &str| program.find("acme.dev", version, kind).and_then(|found| found.facts.scope);
    assert_eq!(scope("v1", "Widget"), Some(ResourceScope::Cluster));
    assert_eq!(scope("v2", "Widget"), Some(ResourceScope::Namespaced));
    assert_eq!(scope("v2", "Gadget"), None);
}

#[test]
fn a_resource_knows_its_parts_and_gated_fields() {
    let program = kinds();
    let facts = &widget(&program).facts;
    assert!(facts.has_spec && !facts.has_status);
    let step = |step: &GatedStep| match step {
        GatedStep::Field(name) => name.clone(),
        GatedStep::Each => "*".to_owned(),
    };
    let gated = facts.gated.iter().map(|field| {
        let path: Vec<String> = field.path.iter().map(step).collect();
        format!("{}: {}", field.gate, path.join("."))
    });
    assert_eq!(gated.collect::<Vec<_>>(), ["Turning: spec.turns", "Speed: spec.turns.*.speed"]);
}

#[test]
fn objects_of_a_resource_are_defaulted_by_its_shape() {
    let program = kinds();
    let mut object = json::parse(br#"{"spec":{}}"#).unwrap();
    apply_defaults(program.shapes(), widget(&program).shape, &mut object);
    assert_eq!(json::to_string(&object), r#"{"spec":{"size":3}}"#);
}

#[test]
fn a_program_is_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    shared(&kinds());
}

#[test]
fn selectors_and_columns_name_one_value() {
    let source = "type T struct {\n\tMetadata M `json:\"metadata\"`\n\tParts []Part `json:\"parts\"`\n}\n\
                  type M struct{}\ntype Part struct {\n\t// +k8s:selectableField\n\tName string `json:\"name\"`\n}\n";
    let message = "+k8s:selectableField stands below a list or map, where it cannot name one value";
    assert_eq!(Api::refusals(Dialect::Kep, source), [message]);
}

/// A source with every rule that a tag can make.
const EVERY_RULE: &str = r#"
// +k8s:validateTrue="t"
type T struct {
	// +k8s:required
	// +k8s:minLength=2
	// +k8s:maxLength=5
	// +k8s:format=k8s-short-name
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:minimum=-3
	// +k8s:maximum=9
	// +k8s:neq=4
	Size *int `json:"size"`
	// +k8s:optional
	// +k8s:immutable
	Fixed *string `json:"fixed"`
	// +k8s:optional
	// +k8s:maxItems=3
	// +k8s:listType=map
	// +k8s:listMapKey=key
	// +k8s:item(key: "a")=+k8s:immutable
	// +k8s:eachVal=+k8s:validateFalse="each"
	Items []Item `json:"items"`
	// +k8s:optional
	// +k8s:eachKey=+k8s:maxLength=3
	// +k8s:eachVal=+k8s:minLength=1
	Labels map[string]string `json:"labels"`
	// +k8s:optional
	// +k8s:ifEnabled(Gate)=+k8s:forbidden
	Gated *string `json:"gated"`
	// +k8s:optional
	// +k8s:subfield(value)=+k8s:maxLength=1
	Sub *Item `json:"sub"`
	// +k8s:optional
	Mode Mode `json:"mode"`
	// +k8s:optional
	// +k8s:update=NoModify
	Update *string `json:"update"`
	Union `json:",inline"`
}

type Union struct {
	// +k8s:unionMember
	// +k8s:optional
	A *string `json:"a"`
	// +k8s:unionMember
	// +k8s:optional
	B *string `json:"b"`
}

type Item struct {
	// +k8s:required
	Key string `json:"key"`
	// +k8s:optional
	Value string `json:"value"`
}

// +k8s:enum
type Mode string

const (
	Fast Mode = "Fast"
	Slow Mode = "Slow"
)
"#;

#[test]
fn a_program_is_the_same_after_it_was_written_and_read() {
    let api = Api::new(Dialect::Kubernetes, EVERY_RULE);
    let parts = api.parts();
    let bytes = parts.to_bytes();
    let read = ProgramParts::from_bytes(&bytes).unwrap();
    assert_eq!(format!("{read:#?}"), format!("{parts:#?}"));
    assert_eq!(read.to_bytes(), bytes);
}

#[test]
fn damaged_bytes_are_an_error_and_never_a_panic() {
    let api = Api::new(Dialect::Kubernetes, EVERY_RULE);
    let good = api.parts().to_bytes();
    assert_eq!(ProgramParts::from_bytes(b"{}").unwrap_err(), WireError::NotAProgram);
    assert_eq!(ProgramParts::from_bytes(&good[..5]).unwrap_err(), WireError::NotAProgram);
    let mut newer = good.clone();
    newer[4] = 9;
    assert_eq!(ProgramParts::from_bytes(&newer).unwrap_err(), WireError::OtherVersion { found: 9 });
    let of_size = |size: u32| [&good[..6], &size.to_le_bytes(), &good[10..]].concat();
    let size = u32::from_le_bytes(*good[6..].first_chunk().unwrap());
    let too_short = WireError::Damaged("it is longer than announced");
    assert_eq!(ProgramParts::from_bytes(&of_size(size - 1)).unwrap_err(), too_short);
    assert!(matches!(ProgramParts::from_bytes(&of_size(size + 1)).unwrap_err(), WireError::Compression(_)));
    let too_large = WireError::TooLarge { limit: 16 << 20 };
    assert_eq!(ProgramParts::from_bytes(&of_size((16 << 20) + 1)).unwrap_err(), too_large);
    (0..good.len()).for_each(|end| assert!(ProgramParts::from_bytes(&good[..end]).is_err(), "cut at {end}"));
    let object = json::parse(br#"{"name":"abc","items":[{"key":"a"}],"sub":{"value":"xx"},"a":"x","b":"y"}"#).unwrap();
    for at in 6..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        let Ok(program) = Program::from_bytes(&bytes) else { continue };
        for root in &program.plan().roots {
            program.validate(&NoHooks, &Request::create(), root.def, &object, None, &mut Errors::new());
        }
    }
}

#[test]
fn a_program_names_the_options_and_hand_written_checks_of_a_type() {
    let program = kinds();
    let names = |names: std::collections::BTreeSet<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(program.options(widget(&program).def)), ["Speed", "Turning"]);
    let gadget = program.find("other.dev", "v1", "Gadget").expect("it is declared");
    assert_eq!(names(program.options(gadget.def)), <[&str; 0]>::default());

    let source = "type T struct {\n\t// +k8s:ifEnabled(A)=+k8s:required\n\tE E `json:\"e\"`\n\
                  \t// +k8s:eachVal=+k8s:ifDisabled(B)=+k8s:minLength=1\n\tL []string `json:\"l\"`\n\tU *U `json:\"u\"`\n}\n\
                  // +k8s:enum\ntype E string\nconst (\n\t// +k8s:ifEnabled(C)=+k8s:enumExclude\n\tX E = \"x\"\n)\n\
                  type U struct {\n\t// +k8s:customValidation\n\tN int32 `json:\"n\"`\n\tT *T `json:\"t\"`\n}\n\
                  func ValidateCustom_U_N(ctx context.Context, op operation.Operation, p *field.Path, v, old *int32) field.ErrorList\n";
    let imports = "import (\n\t\"context\"\n\t\"k8s.io/apimachinery/pkg/api/operation\"\n\
                   \t\"k8s.io/apimachinery/pkg/util/validation/field\"\n)\n";
    let api = Api::new(Dialect::Kubernetes, &format!("{imports}{source}"));
    let plan = api.program().plan();
    let root = api.root();
    assert_eq!(names(plan.options(root)), ["A", "B", "C"]);
    assert_eq!(names(plan.hand_written(root)), ["ValidateCustom_U_N"]);
}

#[test]
fn no_walk_runs_called_rules() {
    let source = "
// +sprag:called
type Part struct {
	// +k8s:minimum=0
	Size int `json:\"size\"`
}
type T struct {
	// +k8s:required
	Walked string `json:\"walked\"`
	// +sprag:called
	// +k8s:required
	Called string `json:\"called\"`
	// +sprag:called
	Parts []Part `json:\"parts\"`
	Part Part `json:\"part\"`
	// +sprag:called=+k8s:minimum=3
	// +k8s:maximum=5
	Partly int `json:\"partly\"`
}
";
    let api = Api::new(Dialect::Kubernetes, source);
    let object = r#"{"walked":"","called":"","parts":[{"size":0},{"size":-1}],"part":{"size":-1},"partly":1}"#;
    assert_eq!(api.create(object), ["walked: Required value"]);
    let object = r#"{"walked":"a","parts":[],"part":{"size":0},"partly":7}"#;
    assert_eq!(api.create(object), ["partly: Invalid value: 7: must be less than or equal to 5"]);
    let plan = api.program().plan();
    let calls = |field: &FieldPlan| field.calls.len();
    assert_eq!(
        plan.of(api.root()).expect("it has rules").fields.iter().map(calls).collect::<Vec<_>>(),
        [0, 0, 0, 0, 1]
    );
}

#[test]
fn a_rule_about_more_than_a_field_cannot_be_called_by_itself() {
    let source = "type T struct {\n\t// +sprag:called=+k8s:unionMember\n\tF *int `json:\"f\"`\n}\n";
    let message = "field example.dev/api/v1.T.f: tag \"sprag:called\": can wrap rules about the field alone";
    assert_eq!(Api::refusals(Dialect::Kubernetes, source), [message]);
    let source = "// +sprag:called=+k8s:maxLength=3\ntype T string\n";
    let message = "example.dev/api/v1.T: tag \"sprag:called\": can wrap rules of fields only";
    assert_eq!(Api::refusals(Dialect::Kubernetes, source), [message]);
}

#[test]
fn a_field_that_may_be_left_out_later_is_judged_before() {
    let source = "
type T struct {
	// +sprag:since(\"1.36\")=+k8s:optional
	// +k8s:minimum=1
	F int `json:\"f\"`
}
";
    let api = |release| Api::new(Dialect::Kubernetes, source).in_release(release);
    assert_eq!(api(Release::V1_36).create("{}"), Vec::<String>::new());
    assert_eq!(api(Release::V1_35).create("{}"), ["f: Invalid value: 0: must be greater than or equal to 1"]);
}
