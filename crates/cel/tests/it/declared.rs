//! Rules over objects of a declared type: what they say, cost, and are estimated to cost in Kubernetes.

use std::sync::Arc;

use sprag_cel::{
    DeclField, DeclType, Declarations, Encoding, Env, Limits, ListKind, Name, Program, Scratch, Type, TypeProvider,
    Val, Variable,
};
use sprag_value::Value;

/// The type of the root, and those of the elements of its lists.
struct Types {
    root: DeclType,
    item: DeclType,
    entry: DeclType,
}

impl TypeProvider for Types {
    fn object(&self, name: &str) -> Option<&DeclType> {
        match name {
            "T" => Some(&self.root),
            "T.items.@idx" => Some(&self.item),
            "T.keyed.@idx" => Some(&self.entry),
            _ => None,
        }
    }

    fn sizes(&self) -> Option<&DeclType> {
        Some(&self.root)
    }
}

fn field(key: &str, ty: DeclType) -> DeclField {
    DeclField { name: key.replace('-', "__dash__"), key: key.to_owned(), ty: Arc::new(ty) }
}

fn text(max: u64) -> DeclType {
    DeclType::scalar(Type::String, max)
}

fn list(element: &DeclType, max: u64, kind: ListKind) -> DeclType {
    DeclType::list(Arc::new(element.clone()), max, kind)
}

/// Sizes are those of a schema with `maxLength` 10, 4, 3 and 99, `maxItems` 5 and 7, and without limits elsewhere.
fn types() -> Types {
    let object = |name: &str, fields| DeclType::object(Name::from(name), fields, 0);
    let int = || DeclType::scalar(Type::Int, 0);
    let names = list(&text(12), 7, ListKind::Atomic);
    let item = object(
        "T.items.@idx",
        vec![field("name", text(16)), field("list", names), field("limit", int()), field("other", text(396))],
    );
    let entry = object("T.keyed.@idx", vec![field("k", text(3_145_726)), field("v", int())]);
    let free = || text(3_145_726);
    let root = object(
        "T",
        vec![
            field("replicas", int()),
            field("max", int()),
            field("name", text(40)),
            field("num", DeclType::scalar(Type::Double, 0)),
            field("ios", DeclType::int_or_string(3_145_726)),
            field("when", DeclType::encoded(Type::Timestamp, Encoding::DateTime, 32)),
            field("dur", DeclType::encoded(Type::Duration, Encoding::Duration, 32)),
            field("data", DeclType::encoded(Type::Bytes, Encoding::Base64, 3_145_726)),
            field("nul", free().nullable()),
            field("foo-bar", int()),
            field("items", list(&item, 5, ListKind::Atomic)),
            field("set", list(&free(), 1_048_575, ListKind::Set)),
            field("keyed", list(&entry, 1_048_575, ListKind::Map(vec!["k".into()]))),
            field("labels", DeclType::map(Arc::new(text(0)), Arc::new(text(32)), 6)),
        ],
    );
    Types { root, item, entry }
}

const NEW: &str = r#"{"replicas": 3, "max": 5, "name": "héllo", "num": 4, "ios": "10%", "when": "2024-02-29T12:00:00+01:00",
    "dur": "1 day", "data": "aGk=", "nul": null, "foo-bar": 7, "set": ["a", "b"], "labels": {"l1": "v1", "l2": "v2"},
    "items": [{"name": "a", "list": ["x", "y"], "limit": 2, "other": "o"}, {"name": "bb", "list": [], "limit": 0}],
    "keyed": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]}"#;

const OLD: &str = r#"{"replicas": 4, "set": ["b", "a"], "keyed": [{"k": "b", "v": 2}, {"k": "a", "v": 1}]}"#;

/// Checks a rule: its value, or error; its cost; the upper bound of its estimated cost.
#[track_caller]
fn check(rule: &str, expected: &str, cost: u64, max: u64) {
    let types = types();
    let variables = [Variable::new("self", types.root.ty.clone()), Variable::new("oldSelf", types.root.ty.clone())];
    let declarations = Declarations { variables: &variables, types: &types, container: "" };
    let checked = Env::kubernetes(37).compile(rule, declarations).unwrap();
    assert_eq!(checked.cost(&types).max, max, "estimate of {rule}");
    let explained = checked.explain_cost(&types).unwrap();
    assert_eq!(explained.cost.max, max, "explained estimate of {rule}");
    let program = Program::new(&checked).unwrap();
    let new: Value = parse(NEW);
    let old: Value = parse(OLD);
    let scratch = Scratch::default();
    let cx = scratch.cx();
    let values: [Val<'_>; 2] = [cx.read(&new, &types.root).unwrap(), cx.read(&old, &types.root).unwrap()];
    let evaluation = program.eval(&values, &scratch, Limits::PER_CALL);
    let actual = evaluation.outcome.map_or_else(|trap| trap.to_string(), |value| value.literal(&cx));
    assert_eq!((actual.as_str(), evaluation.cost), (expected, cost), "{rule}");
}

fn parse(text: &str) -> Value {
    sprag_value::json::parse(text.as_bytes()).unwrap()
}

#[track_caller]
fn refuse(rule: &str, expected: &str) {
    let types = types();
    let variables = [Variable::new("self", types.root.ty.clone())];
    let declarations = Declarations { variables: &variables, types: &types, container: "" };
    let issues = Env::kubernetes(37).compile(rule, declarations).err().unwrap();
    assert_eq!(issues.list()[0].message, expected);
}

#[test]
fn sizes_of_declared_types_bound_the_cost() {
    check("self.replicas <= self.max", "true", 5, 5);
    check("self.items.all(i, i.name.size() < 64)", "true", 17, 38);
    check("self.items.map(i, i.name)", r#"["a", "bb"]"#, 31, 83);
    check("self.labels.all(k, self.labels[k].size() < 5)", "true", 19, 57);
    check("self.name + self.name", r#""héllohéllo""#, 5, 12);
    check("self.items[1].other", "no such key: other", 4, 4);
    check("self.items[2].name", "index out of bounds: 2", 3, 4);
}

/// Upstream looks up the size of `i.list` as that of the field that was selected last.
#[test]
fn paths_share_memory_in_estimates() {
    check("self.items.all(i, i.list.all(x, x.size() < i.limit))", "true", 31, 33);
    check("self.items.all(i, i.list.all(x, x < i.other))", "false", 20, 15_873);
}

#[test]
fn sets_and_keyed_lists_have_their_own_equality_and_sum() {
    check("self.set == oldSelf.set", "true", 5, 104_862);
    check("(self.set + ['a', 'c']).size()", "3", 4, 14);
    check("self.keyed == oldSelf.keyed", "true", 5, 104_862);
    check("(self.keyed + oldSelf.keyed).size()", "2", 6, 6);
    check("self.items == self.items", "true", 5, 5);
}

#[test]
fn strings_are_read_as_their_format_says() {
    check("self.num == 4.0", "true", 3, 2);
    check("self.when.getHours()", "11", 3, 3);
    check("string(self.when)", r#""2024-02-29T12:00:00+01:00""#, 3, 3);
    check("self.dur == duration('24h')", "true", 3, 4);
    check("self.data == b'hi'", "true", 3, 3);
    check("self.ios == '10%'", "true", 3, 3);
}

#[test]
fn fields_are_found_by_their_escaped_names_and_null_is_absent() {
    check("self.foo__dash__bar", "7", 2, 2);
    check("has(self.nul)", "false", 1, 1);
    check("self.labels.?nope.orValue('d')", r#""d""#, 2, 4);
    refuse("self.nope", "undefined field 'nope'");
    refuse(
        "self.items == self.keyed",
        "found no matching overload for '_==_' applied to '(list(T.items.@idx), list(T.keyed.@idx))'",
    );
}

/// Values that are not read, or whose size does not matter, are none of them.
#[test]
fn costs_grow_with_some_of_the_values_that_are_read() {
    let drivers = |rule: &str| {
        let types = types();
        let variables = [Variable::new("self", types.root.ty.clone())];
        let declarations = Declarations { variables: &variables, types: &types, container: "" };
        let checked = Env::kubernetes(37).compile(rule, declarations).ok().unwrap();
        let drivers = checked.cost_drivers(&types);
        drivers.iter().map(|path| path.join(".")).collect::<Vec<String>>()
    };
    assert_eq!(drivers("self.replicas <= self.max"), [""; 0]);
    assert_eq!(drivers("self.name == 'x' && has(self.items)"), [""; 0]);
    assert_eq!(drivers("self.items.all(i, i.limit > 1)"), ["items"]);
    assert_eq!(drivers("self.items.all(i, i.name.matches('a'))"), ["items", "items.@items.name"]);
    assert_eq!(drivers("self.labels.all(k, self.labels[k] != '')"), ["labels"]);
}
