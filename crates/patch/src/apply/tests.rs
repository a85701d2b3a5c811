use std::borrow::Cow;
use std::fmt::Write as _;

use sprag_shape::{Field, Kind, ListType, TypeRef, TypeShape, UnknownFields};
use sprag_value::{Time, json};

use super::*;
use crate::PatchError;

pub(super) const THING: TypeId = TypeId(12);

/// `{spec: {size, name, labels: map, atomic: map as one value, granular: map, plain: list, set, parts: keyed by name, open}, status}`
pub(super) fn shapes() -> Shapes {
    let value = |id: u32| TypeRef::value(TypeId(id));
    let field = |json: &'static str, id: u32| Field::new(json, json, value(id)).omit_empty();
    let fields = |fields: Vec<Field>| Kind::of_fields(Cow::Owned(fields));
    let map = Kind::Map { key: value(0), value: value(0) };
    let by = |key: &'static str| ListType::Map(Cow::Owned(vec![key.into()]));
    let ports = ListType::Map(Cow::Owned(vec!["port".into(), "protocol".into()]));
    Shapes::new(vec![
        TypeShape::new("", Kind::String),
        TypeShape::new("", Kind::Int { bits: 64, signed: true }),
        TypeShape::new("", map.clone()),
        TypeShape::new("", map).atomic(),
        TypeShape::new("", Kind::List { elem: value(0), list: ListType::Unset }),
        TypeShape::new("", Kind::List { elem: value(0), list: ListType::Set }),
        TypeShape::new("", fields(vec![field("port", 1), field("protocol", 0).default("\"TCP\""), field("host", 0)])),
        TypeShape::new("", Kind::List { elem: value(6), list: ports }),
        TypeShape::new("", fields(vec![field("name", 0), field("qty", 1), field("ports", 7)])),
        TypeShape::new("", Kind::List { elem: value(8), list: by("name") }),
        TypeShape::new("", fields(vec![field("known", 0)])).unknown(UnknownFields::Preserve),
        TypeShape::new(
            "",
            fields(vec![
                field("size", 1),
                field("name", 0),
                field("labels", 2),
                field("atomic", 3),
                field("granular", 3).granular(),
                field("plain", 4),
                field("set", 5),
                field("parts", 9),
                field("open", 10),
            ]),
        ),
        TypeShape::new(
            "",
            fields(vec![
                field("apiVersion", 0),
                field("kind", 0),
                field("metadata", 13),
                field("spec", 11),
                field("status", 2),
            ]),
        ),
        TypeShape::new(
            "v1.ObjectMeta",
            fields(vec![
                field("name", 0),
                field("namespace", 0),
                field("uid", 0),
                field("labels", 2),
                field("annotations", 2),
                field("finalizers", 5),
            ]),
        ),
    ])
}

/// A resource with another version, which has no room for objects of size 7.
struct Things {
    shapes: Shapes,
    reset: FieldSet,
}

impl Versions for Things {
    fn shape(&self, api_version: &str) -> Option<(&Shapes, TypeId)> {
        ["example.com/v1", "example.com/v2"].contains(&api_version).then_some((&self.shapes, THING))
    }

    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConvertError> {
        if object.lookup(&["spec", "size"]) == Some(&Value::Int(7)) {
            return Err(ConvertError::Failed("no room".into()));
        }
        let mut object = object.clone();
        object.insert("apiVersion", api_version);
        Ok(object)
    }

    fn reset_fields(&self, _: &str) -> Option<&FieldSet> {
        Some(&self.reset)
    }
}

/// One object and the writes to it.
struct World {
    things: Things,
    live: Option<Value>,
    seconds: i64,
}

impl World {
    fn new() -> Self {
        let reset = FieldSet::of_fields([&["status"][..]]);
        Self { things: Things { shapes: shapes(), reset }, live: None, seconds: 0 }
    }

    fn resource(&self) -> Resource<'_> {
        Resource {
            versions: &self.things,
            api_version: "example.com/v1",
            kind: "Thing",
            subresource: "",
            writes_zero_values: false,
            empty_managed_fields_reset: false,
            keeps_unsettled_owners: true,
        }
    }

    fn object(spec: &str) -> Value {
        let text =
            format!(r#"{{"apiVersion":"example.com/v1","kind":"Thing","metadata":{{"name":"x"}},"spec":{spec}}}"#);
        json::parse(text.as_bytes()).unwrap()
    }

    fn try_apply(&mut self, manager: &str, spec: &str, force: bool) -> Result<(), PatchError> {
        self.seconds += 60;
        let now = Time::from_unix(self.seconds, 0);
        let mut object = self.resource().apply(self.live.as_ref(), &Self::object(spec), manager, force, now)?;
        object.get_mut("metadata").unwrap().insert("uid", "u");
        self.live = Some(object);
        Ok(())
    }

    #[track_caller]
    fn apply(mut self, manager: &str, spec: &str) -> Self {
        self.try_apply(manager, spec, false).unwrap();
        self
    }

    #[track_caller]
    fn force(mut self, manager: &str, spec: &str) -> Self {
        self.try_apply(manager, spec, true).unwrap();
        self
    }

    /// All managers have written in this version.
    fn managed_in(mut self, api_version: &str) -> Self {
        let entries = |version: &str| format!(r#""apiVersion":"{version}","fieldsType""#);
        let text = json::to_string(self.live.as_ref().unwrap());
        let text = text.replace(&entries("example.com/v1"), &entries(api_version));
        self.live = Some(json::parse(text.as_bytes()).unwrap());
        self
    }

    fn update(mut self, manager: &str, spec: &str) -> Self {
        self.seconds += 60;
        let now = Time::from_unix(self.seconds, 0);
        let mut new = Self::object(spec);
        new.get_mut("metadata").unwrap().insert("uid", "u");
        self.live = Some(self.resource().update(self.live.as_ref(), new, manager, now));
        self
    }

    /// The spec and who owns what of it, a line for each manager.
    fn describe(&self) -> String {
        let live = self.live.as_ref().unwrap();
        let mut text = json::to_string(live.get("spec").unwrap_or(&Value::Null));
        for entry in live.lookup(&["metadata", "managedFields"]).and_then(Value::as_array).into_iter().flatten() {
            let member = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("-");
            let fields = json::to_string(entry.get("fieldsV1").unwrap());
            let manager = member("manager");
            let operation = member("operation");
            write!(text, "\n{manager} {operation} {} {fields}", &member("time")[11.min(member("time").len() - 1)..])
                .unwrap();
        }
        text
    }

    #[track_caller]
    fn check(self, want: &str) -> Self {
        let want: Vec<&str> = want.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(self.describe(), want.join("\n"));
        self
    }

    #[track_caller]
    fn refuses(mut self, manager: &str, spec: &str, want: &str) -> Self {
        let error = self.try_apply(manager, spec, false).unwrap_err();
        assert_eq!(error.to_string(), want);
        self
    }
}

#[test]
fn appliers_own_what_they_apply_and_remove_what_they_drop() {
    World::new()
        .apply("a", r#"{"size":1,"labels":{"x":"1"}}"#)
        .apply("b", r#"{"name":"n"}"#)
        .check(
            r#"{"labels":{"x":"1"},"name":"n","size":1}
            a Apply 00:01:00Z {"f:spec":{"f:labels":{"f:x":{}},"f:size":{}}}
            b Apply 00:02:00Z {"f:spec":{"f:name":{}}}"#,
        )
        .apply("a", r#"{"size":1}"#)
        .check(
            r#"{"name":"n","size":1}
            b Apply 00:02:00Z {"f:spec":{"f:name":{}}}
            a Apply 00:03:00Z {"f:spec":{"f:size":{}}}"#,
        );
}

#[test]
fn an_apply_that_changes_nothing_keeps_its_time() {
    let world = World::new().apply("a", r#"{"size":1,"set":["x"]}"#);
    let before = world.describe();
    let world = world.apply("a", r#"{"size":1,"set":["x"]}"#);
    assert_eq!(world.describe(), before);
}

#[test]
fn equal_values_are_shared_and_different_ones_conflict() {
    World::new()
        .apply("a", r#"{"size":1,"name":"n"}"#)
        .apply("b", r#"{"size":1}"#)
        .refuses(
            "c",
            r#"{"size":2}"#,
            "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.size\nconflicts with \"b\":\n- .spec.size",
        )
        .update("u", r#"{"size":3,"name":"n"}"#)
        .refuses(
            "c",
            r#"{"size":2}"#,
            r#"Apply failed with 1 conflict: conflict with "u" using example.com/v1: .spec.size"#,
        )
        .force("c", r#"{"size":2}"#)
        .check(
            r#"{"name":"n","size":2}
            a Apply 00:01:00Z {"f:spec":{"f:name":{}}}
            c Apply 00:06:00Z {"f:spec":{"f:size":{}}}"#,
        );
}

#[test]
fn long_numbers_in_keys_keep_their_digits() {
    let port = |spec: &str| format!(r#"{{{spec}"parts":[{{"name":"p","ports":[{{"port":9007199254740993}}]}}]}}"#);
    World::new().apply("a", &port("")).update("u", &port(r#""size":1,"#)).apply("a", &port("")).check(
        r#"{"parts":[{"name":"p","ports":[{"port":9007199254740993}]}],"size":1}
        a Apply 00:01:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:name":{},"f:ports":{"k:{\"port\":9007199254740993,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}}}}
        u Update 00:02:00Z {"f:spec":{"f:size":{}}}"#,
    );
}

#[test]
fn updates_own_what_they_change() {
    World::new()
        .update("u", r#"{"size":1,"parts":[{"name":"p","qty":1}]}"#)
        .update("v", r#"{"size":2,"parts":[{"name":"p","qty":1},{"name":"q"}]}"#)
        .check(
            r#"{"parts":[{"name":"p","qty":1},{"name":"q"}],"size":2}
            u Update 00:01:00Z {"f:spec":{".":{},"f:parts":{".":{},"k:{\"name\":\"p\"}":{".":{},"f:name":{},"f:qty":{}}}}}
            v Update 00:02:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"q\"}":{".":{},"f:name":{}}},"f:size":{}}}"#,
        )
        .update("v", r#"{"size":2,"parts":[{"name":"p","qty":1},{"name":"q"}]}"#)
        .update("w", "{}")
        .check(
            r#"{}
            u Update 00:01:00Z {"f:spec":{}}"#,
        );
}

#[test]
fn lists_are_merged_by_their_keys() {
    World::new()
        .apply("a", r#"{"parts":[{"name":"p","ports":[{"port":80}]},{"name":"q","qty":1}],"set":["x","y"]}"#)
        .apply("b", r#"{"parts":[{"name":"r"},{"name":"q"}],"set":["z","y"]}"#)
        .check(
            r#"{"parts":[{"name":"p","ports":[{"port":80}]},{"name":"r"},{"name":"q","qty":1}],"set":["x","z","y"]}
            a Apply 00:01:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:name":{},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}},"k:{\"name\":\"q\"}":{".":{},"f:name":{},"f:qty":{}}},"f:set":{"v:\"x\"":{},"v:\"y\"":{}}}}
            b Apply 00:02:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"q\"}":{".":{},"f:name":{}},"k:{\"name\":\"r\"}":{".":{},"f:name":{}}},"f:set":{"v:\"y\"":{},"v:\"z\"":{}}}}"#,
        )
        .apply("a", r#"{"parts":[{"name":"p"}]}"#)
        .check(
            r#"{"parts":[{"name":"p"},{"name":"r"},{"name":"q"}],"set":["z","y"]}
            b Apply 00:02:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"q\"}":{".":{},"f:name":{}},"k:{\"name\":\"r\"}":{".":{},"f:name":{}}},"f:set":{"v:\"y\"":{},"v:\"z\"":{}}}}
            a Apply 00:03:00Z {"f:spec":{"f:parts":{"k:{\"name\":\"p\"}":{".":{},"f:name":{}}}}}"#,
        );
}

#[test]
fn granular_fields_of_an_atomic_type_have_owners_by_member() {
    World::new().apply("a", r#"{"granular":{"x":"1"}}"#).apply("b", r#"{"granular":{"y":"1"}}"#).check(
        r#"{"granular":{"x":"1","y":"1"}}
            a Apply 00:01:00Z {"f:spec":{"f:granular":{"f:x":{}}}}
            b Apply 00:02:00Z {"f:spec":{"f:granular":{"f:y":{}}}}"#,
    );
}

#[test]
fn atomic_parts_are_one_value() {
    World::new()
        .apply("a", r#"{"atomic":{"x":"1"},"plain":["a"]}"#)
        .refuses(
            "b",
            r#"{"atomic":{"y":"1"},"plain":["b"]}"#,
            "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.atomic\n- .spec.plain",
        )
        .force("b", r#"{"atomic":{"y":"1"}}"#)
        .check(
            r#"{"atomic":{"y":"1"},"plain":["a"]}
            a Apply 00:01:00Z {"f:spec":{"f:plain":{}}}
            b Apply 00:03:00Z {"f:spec":{"f:atomic":{}}}"#,
        );
}

#[test]
fn undeclared_members_are_refused_unless_they_are_kept() {
    let prefix = "failed to create typed patch object (/x; example.com/v1, Kind=Thing): ";
    World::new()
        .refuses("a", r#"{"nope":1}"#, &format!("{prefix}.spec.nope: field not declared in schema"))
        .refuses("a", r#"{"size":"1"}"#, &format!("{prefix}.spec.size: expected numeric (int or float), got string"))
        .refuses("a", r#"{"set":["x","x"]}"#, &format!("{prefix}.spec.set: duplicate entries for key [=\"x\"]"))
        .refuses(
            "a",
            r#"{"parts":[{"name":"p"},{"name":"p","qty":"1"}]}"#,
            &format!(
                "{prefix}errors:\n  .spec.parts: duplicate entries for key [name=\"p\"]\n  \
                 .spec.parts[name=\"p\"].qty: expected numeric (int or float), got string"
            ),
        )
        .apply("a", r#"{"open":{"any":{"deep":[1]}}}"#)
        .check(
            r#"{"open":{"any":{"deep":[1]}}}
            a Apply 00:05:00Z {"f:spec":{"f:open":{"f:any":{".":{},"f:deep":{}}}}}"#,
        );
}

#[test]
fn objects_without_owners_get_one_on_the_first_apply() {
    let mut world = World::new();
    let mut live = World::object(r#"{"size":1,"name":"n"}"#);
    live.get_mut("metadata").unwrap().insert("uid", "u");
    world.live = Some(live);
    world.apply("a", r#"{"size":1}"#).check(
        r#"{"name":"n","size":1}
        a Apply - {"f:spec":{"f:size":{}}}
        before-first-apply Update 00:01:00Z {"f:spec":{".":{},"f:name":{},"f:size":{}}}"#,
    );
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_client() {
    let spec = r#"{"size":1,"name":"n"}"#;
    let mut world = World::new().update("kubectl-client-side-apply", spec);
    let annotation = json::to_string(&World::object(spec));
    let annotations: Value =
        [("kubectl.kubernetes.io/last-applied-configuration", Value::from(annotation))].into_iter().collect();
    world.live.as_mut().unwrap().get_mut("metadata").unwrap().insert("annotations", annotations);
    let mut other = World { live: world.live.clone(), ..World::new() };
    assert!(other.try_apply("someone", r#"{"size":2}"#, false).is_err());
    world.try_apply("kubectl", r#"{"size":2}"#, false).unwrap();
    let live = world.live.as_ref().unwrap();
    let annotation = live.lookup(&["metadata", "annotations"]).unwrap().as_object().unwrap().values().next().unwrap();
    assert_eq!(annotation.as_str().unwrap(), json::to_string(&World::object(r#"{"size":2}"#)) + "\n");
}

#[test]
fn managers_in_unknown_versions_are_dropped() {
    World::new().apply("a", r#"{"size":1}"#).managed_in("example.com/v0").apply("b", r#"{"size":2}"#).check(
        r#"{"size":2}
        b Apply 00:02:00Z {"f:spec":{"f:size":{}}}"#,
    );
}

#[test]
fn the_version_is_named_that_an_object_cannot_be_pruned_in() {
    let world = World::new().apply("b", r#"{"labels":{"l":"1"}}"#).managed_in("example.com/v2");
    world.apply("a", r#"{"size":1,"name":"n"}"#).refuses(
        "a",
        r#"{"size":7}"#,
        "failed to prune fields: failed add back owned items: failed to convert merged object at version \
         example.com/v2: no room",
    );
}

#[test]
fn many_updaters_are_merged() {
    let mut world = World::new().update("u00", r#"{"size":0}"#);
    for at in 1..15 {
        world = world.update(&format!("u{at:02}"), &format!(r#"{{"size":0,"labels":{{"l{}":"{at}"}}}}"#, at % 14));
    }
    let entries = world.live.as_ref().unwrap().lookup(&["metadata", "managedFields"]).unwrap().as_array().unwrap();
    assert!(entries.len() <= 10);
}

#[test]
fn malformed_books_are_refused_by_apply_and_overlooked_by_updates() {
    for fields in [r#"{"x":1}"#, r#"{"f:a":3}"#, r#"{"k:{":{}}"#] {
        let mut world = World::new().apply("a", r#"{"size":1}"#);
        let entry = format!(
            r#"[{{"manager":"m","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{fields}}}]"#
        );
        let entries = json::parse(entry.as_bytes()).unwrap();
        world.live.as_mut().unwrap().get_mut("metadata").unwrap().insert("managedFields", entries);
        assert!(matches!(world.try_apply("a", r#"{"size":2}"#, false), Err(PatchError::BadRequest(_))));
        let world = world.update("u", r#"{"size":3}"#);
        assert_eq!(world.describe(), r#"{"size":3}"#);
    }
}

#[test]
fn large_books_and_lists_take_little_time() {
    let labels: Vec<String> = (0..40_000).map(|at| format!(r#""label-{at:06}":"v""#)).collect();
    let set: Vec<String> = (0..20_000).map(|at| format!(r#""{at}""#)).collect();
    let spec = format!(r#"{{"labels":{{{}}},"set":[{}]}}"#, labels.join(","), set.join(","));
    let mut world = World::new().apply("a", &spec);
    assert!(json::to_string(world.live.as_ref().unwrap()).len() > 1 << 20);
    let error = world.try_apply("b", &spec.replace(r#":"v""#, r#":"w""#), false).unwrap_err();
    assert!(matches!(error, PatchError::Conflict(conflicts) if conflicts.causes.len() == 40_000));
    world.try_apply("a", r#"{"size":1}"#, false).unwrap();
    assert_eq!(json::to_string(world.live.unwrap().get("spec").unwrap()), r#"{"size":1}"#);
}

mod properties;

/// Checks the changes between two lists of parts, in short lists as in long ones.
#[track_caller]
fn check_changes(old: &str, new: &str, want: &str) {
    let shapes = shapes();
    let changes = |more: usize| {
        let padding: Vec<String> = (0..more).map(|at| format!(r#",{{"name":"pad-{at}","qty":{at}}}"#)).collect();
        let padding = padding.concat();
        let object = |parts: &str| World::object(&format!(r#"{{"parts":[{{"name":"first"}}{parts}{padding}]}}"#));
        let compared = fields::compare::compare(types::ty::Ty::root(&shapes, THING), &object(old), &object(new));
        let signed = |sign: &str, set: &FieldSet| match set.to_string() {
            text if text.is_empty() => text,
            text => format!("{sign}{}", text.replace('\n', &format!(" {sign}"))),
        };
        let signed = [("+", &compared.added), ("-", &compared.removed), ("~", &compared.modified)]
            .map(|(s, set)| signed(s, set));
        signed.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join(" ").replace(".spec.parts", "")
    };
    assert_eq!(changes(0), want);
    assert_eq!(changes(100), want);
}

#[test]
fn elements_are_compared_by_name_wherever_they_are() {
    let a = r#",{"name":"a","qty":1}"#;
    let b = r#",{"name":"b"}"#;
    check_changes(a, a, "");
    check_changes(a, r#",{"name":"a","qty":2}"#, r#"~[name="a"].qty"#);
    check_changes(a, r#",{"name":"a"}"#, r#"-[name="a"].qty"#);
    check_changes(b, r#",{"name":"b","qty":1}"#, r#"+[name="b"].qty"#);
    check_changes(&format!("{a}{b}"), &format!("{b}{a}"), "");
    check_changes(a, b, r#"+[name="b"] +[name="b"].name -[name="a"] -[name="a"].name -[name="a"].qty"#);
    check_changes(&format!("{a}{a}"), &format!("{a}{a}"), "");
    check_changes(a, &format!("{a}{a}"), r#"+[name="a"] -[name="a"] -[name="a"].name -[name="a"].qty"#);
}
