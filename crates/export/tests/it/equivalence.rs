//! A definition accepts and refuses the objects that the type's own rules accept and refuse, creates and updates.

use sprag_checks::{At, Op, Options, Request};
use sprag_export::{Settings, definitions};
use sprag_field::{Errors, Stage};
use sprag_program::{HookCall, HookTable, Program, ProgramParts};
use sprag_release::Release;
use sprag_schema::CustomResource;
use sprag_schema::crd::{Crd, prepare};
use sprag_shape::apply_defaults;
use sprag_value::{Value, json};

use crate::random::{Palette, Random};
use crate::source::{kep_widget, widget};

struct Pass;

impl HookTable for Pass {
    fn run(&self, _: &HookCall, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        Some(false)
    }
}

/// The two sides.
struct Sides<'p> {
    parts: &'p ProgramParts,
    program: Program,
    custom: CustomResource,
    options: Options,
}

impl Sides<'_> {
    fn new<'p>(parts: &'p ProgramParts, options: &Options) -> Sides<'p> {
        let exported = definitions(parts, &Settings { options: options.clone(), ..Settings::default() });
        assert!(exported.refused.is_empty() && exported.untranslated.is_empty(), "{exported:?}");
        let mut definition = exported.definitions[0].clone();
        prepare::set_defaults(&mut definition);
        prepare::for_create(&mut definition);
        let crd = Crd::read(&definition).unwrap();
        let custom = CustomResource::versions(&crd, Release::NEWEST).remove(0);
        Sides { parts, program: Program::new(parts.clone()), custom, options: options.clone() }
    }

    /// The object as the types store it, and what their rules say.
    fn typed(&self, object: &Value, old: Option<&Value>) -> (Value, Vec<String>) {
        let resource = &self.parts.resources[0];
        let mut object = object.clone();
        apply_defaults(&self.parts.shapes, resource.shape, &mut object);
        let op = if old.is_some() { Op::Update } else { Op::Create };
        let request = Request { op, options: &self.options, subresource: "/", beta: true };
        let mut errors = Errors::new();
        self.program.validate_object(&Pass, &request, resource.def, &object, old, &mut errors);
        let errors = errors.iter().filter(|error| error.stage != Stage::Alpha).map(ToString::to_string).collect();
        (object, errors)
    }

    /// The same for the definition.
    fn defined(&self, object: &Value, old: Option<&Value>) -> (Value, Vec<String>) {
        let mut object = self.custom.decode(object.clone()).unwrap().object;
        self.custom.default(&mut object).unwrap();
        let mut errors = Errors::new();
        if let Some(old) = old {
            self.custom.prepare_update(&mut object, old);
            self.custom.validate_update(&object, old, &mut errors);
        } else {
            self.custom.prepare_create(&mut object);
            self.custom.validate_create(&object, &mut errors);
        }
        (object, errors.iter().map(ToString::to_string).collect())
    }

    fn object(spec: Value) -> Value {
        let mut object = json::parse(
            br#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default"}}"#,
        )
        .unwrap();
        object.insert("spec", spec);
        object
    }
}

/// Compares both sides on random pairs: 2,000, or 100,000 with `SPRAG_FULL=1`.
#[track_caller]
fn check(spec: &str) {
    check_parts(&widget(spec));
}

#[track_caller]
fn check_parts(parts: &ProgramParts) {
    let sides = Sides::new(parts, &Options::default());
    let count = if std::env::var_os("SPRAG_FULL").is_some() { 100_000 } else { 2_000 };
    let palette = Palette::new(parts);
    let kind = &parts.defs[parts.resources[0].def.index()];
    let spec = kind.members.iter().find(|member| member.json.as_deref() == Some("spec")).unwrap().ty;
    let mut random = Random(0x5eed);
    let mut valid = 0;
    let mut updated = 0;
    let mut stored: Option<(Value, Value)> = None;
    for _ in 0..count {
        let made = Sides::object(palette.value(&mut random, spec));
        let ((typed_new, typed), (defined_new, defined)) = (sides.typed(&made, None), sides.defined(&made, None));
        assert_eq!(
            typed.is_empty(),
            defined.is_empty(),
            "{}\ntyped: {typed:?}\ndefined: {defined:?}",
            json::to_string(&made)
        );
        if typed.is_empty() {
            valid += 1;
            stored = Some((typed_new, defined_new));
        }
        let Some((typed_old, defined_old)) = &stored else { continue };
        let old = typed_old.get("spec").cloned().unwrap_or_default();
        let new = Sides::object(palette.changed(&mut random, spec, &old));
        let typed = sides.typed(&new, Some(typed_old)).1;
        let defined = sides.defined(&new, Some(defined_old)).1;
        assert_eq!(
            typed.is_empty(),
            defined.is_empty(),
            "{}\nof {}\ntyped: {typed:?}\ndefined: {defined:?}",
            json::to_string(&new),
            json::to_string(typed_old)
        );
        updated += usize::from(typed.is_empty());
    }
    assert!(valid * 50 > count && updated * 50 > count, "{valid} valid objects and {updated} valid updates of {count}");
}

#[test]
fn presence_bounds_and_sizes() {
    check(
        "type WidgetSpec struct {
	// +k8s:required
	Class string `json:\"class\"`
	// +k8s:optional
	// +k8s:minLength=2
	// +k8s:maxLength=3
	Name string `json:\"name,omitempty\"`
	// +k8s:optional
	// +k8s:minimum=2
	// +k8s:maximum=9
	Size *int32 `json:\"size,omitempty\"`
	// +k8s:optional
	// +k8s:minimum=2
	Count int32 `json:\"count,omitempty\"`
	// +k8s:optional
	// +k8s:minItems=2
	// +k8s:maxItems=3
	Tags []string `json:\"tags,omitempty\"`
}",
    );
}

#[test]
fn bounds_by_field() {
    check_parts(&kep_widget(
        "type WidgetSpec struct {
	Max int32 `json:\"max,omitempty\"`
	// +k8s:optional
	Least *int32 `json:\"least,omitempty\"`
	// +k8s:optional
	Limits *Limits `json:\"limits,omitempty\"`
	// +k8s:maximum(constraint: max)
	// +k8s:minimum(constraint: least)
	Size int32 `json:\"size,omitempty\"`
	// +k8s:optional
	// +k8s:exclusiveMaximum(constraint: limits.top)
	Count *int32 `json:\"count,omitempty\"`
	// +k8s:maxItems=4
	// +k8s:eachVal=+k8s:maximum(constraint: max)
	Sizes []int32 `json:\"sizes,omitempty\"`
	// +k8s:subfield(width)=+k8s:minimum(constraint: least)
	Inline `json:\",inline\"`
	// +k8s:maximum(constraint: width)
	Depth int32 `json:\"depth,omitempty\"`
}

type Inline struct {
	Width int32 `json:\"width,omitempty\"`
}

type Limits struct {
	Top int32 `json:\"top,omitempty\"`
}",
    ));
}

#[test]
fn bounds_by_field_of_values_below() {
    check_parts(&kep_widget(
        "type WidgetSpec struct {
	Max int32 `json:\"max,omitempty\"`
	// +k8s:optional
	Least *int32 `json:\"least,omitempty\"`
	// +k8s:maxItems=4
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:eachVal=+k8s:subfield(weight)=+k8s:maximum(constraint: max)
	// +k8s:item(name: \"a\")=+k8s:subfield(size)=+k8s:minimum(constraint: least)
	Parts []Part `json:\"parts,omitempty\"`
	// +k8s:maxProperties=4
	// +k8s:eachVal=+k8s:subfield(size)=+k8s:maximum(constraint: max)
	ByName map[string]Part `json:\"byName,omitempty\"`
	// +k8s:subfield(inner)=+k8s:subfield(size)=+k8s:minimum(constraint: least)
	Outer Outer `json:\"outer,omitempty\"`
}

type Outer struct {
	Inner Part `json:\"inner,omitempty\"`
}

type Part struct {
	// +k8s:required
	Name string `json:\"name\"`
	// +k8s:optional
	Weight *int32 `json:\"weight,omitempty\"`
	Size int32 `json:\"size,omitempty\"`
}",
    ));
}

#[test]
fn formats() {
    check(
        "type WidgetSpec struct {
	// +k8s:optional
	// +k8s:format=k8s-short-name
	Class string `json:\"class,omitempty\"`
	// +k8s:optional
	// +k8s:format=k8s-uuid
	Uid *string `json:\"uid,omitempty\"`
	// +k8s:optional
	// +k8s:format=k8s-label-key
	Key string `json:\"key,omitempty\"`
}",
    );
}

#[test]
fn enums() {
    check(
        "// +k8s:enum
type Mode string

const (
	Fast Mode = \"Fast\"
	Slow Mode = \"Slow\"
)

type WidgetSpec struct {
	// +k8s:optional
	Mode Mode `json:\"mode,omitempty\"`
	// +k8s:required
	Other *Mode `json:\"other\"`
}",
    );
}

#[test]
fn unions() {
    check(
        "type WidgetSpec struct {
	// +k8s:unionMember
	// +k8s:optional
	A *A `json:\"a,omitempty\"`
	// +k8s:unionMember
	// +k8s:optional
	B *A `json:\"b,omitempty\"`
	// +k8s:zeroOrOneOfMember
	// +k8s:optional
	C string `json:\"c,omitempty\"`
	// +k8s:zeroOrOneOfMember
	// +k8s:optional
	D []string `json:\"d,omitempty\"`
}

type A struct {
	// +k8s:optional
	X string `json:\"x,omitempty\"`
}",
    );
}

#[test]
fn changes() {
    check(
        "type WidgetSpec struct {
	// +k8s:optional
	// +k8s:immutable
	// +k8s:maxLength=10
	Class string `json:\"class,omitempty\"`
	// +k8s:optional
	// +k8s:immutable
	Size *int32 `json:\"size,omitempty\"`
	// +k8s:optional
	// +k8s:update=NoUnset
	Name *string `json:\"name,omitempty\"`
}",
    );
}

#[test]
fn keyed_lists() {
    check(
        "type WidgetSpec struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:maxItems=5
	Ports []Port `json:\"ports,omitempty\"`
	// +k8s:optional
	// +k8s:listType=set
	Tags []string `json:\"tags,omitempty\"`
}

type Port struct {
	// +k8s:required
	Name string `json:\"name\"`
	// +k8s:optional
	// +k8s:minimum=1
	Number int32 `json:\"number,omitempty\"`
}",
    );
}

#[test]
fn modes_dependents_and_bounds_by_fields() {
    check(
        "type WidgetSpec struct {
	// +k8s:required
	// +k8s:modeDiscriminator
	Type string `json:\"type\"`
	// +k8s:ifMode(\"Fast\")=+k8s:required
	// +k8s:ifMode(\"Slow\")=+k8s:optional
	Limit *int32 `json:\"limit,omitempty\"`
}",
    );
}

#[test]
fn maps_and_structs() {
    check(
        "type WidgetSpec struct {
	// +k8s:optional
	// +k8s:eachKey=+k8s:maxLength=3
	// +k8s:eachVal=+k8s:minimum=1
	// +k8s:maxProperties=4
	Weights map[string]int32 `json:\"weights,omitempty\"`
	Part Loose `json:\"part,omitzero\"`
	Whole Part `json:\"whole\"`
	// +k8s:optional
	Other *Part `json:\"other,omitempty\"`
}

type Loose struct {
	// +k8s:optional
	// +k8s:maxLength=3
	Name string `json:\"name,omitempty\"`
}

type Part struct {
	// +k8s:required
	Name string `json:\"name\"`
}",
    );
}
