//! Pruning: dropping members that no schema describes, and nulls that no schema allows.

use sprag_value::{Object, Value};

use crate::node::{Additional, Node};
use crate::trail::Trail;

/// Members of a resource that need no schema.
pub(crate) const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops from a whole resource what its schema does not describe; without a schema all but its own metadata goes.
/// Returns where something was dropped, sorted. Nulls that are dropped are not mentioned.
pub(crate) fn prune(node: Option<&Node>, object: &mut Object) -> Vec<String> {
    let mode = node.map_or(Mode::Drop, |node| Mode::Drop.at(node));
    if !Nulls::Dropped.changes_members(node, object, mode, true) {
        return Vec::new();
    }
    let mut pruner = Pruner { nulls: Nulls::Dropped, unknown: Vec::new() };
    pruner.members(node, object, mode, true, &Trail::ROOT);
    pruner.unknown.sort_unstable();
    pruner.unknown
}

/// Drops from the default of a schema what the schema does not describe.
pub(crate) fn prune_default(node: &Node, value: &mut Value, inherited: Mode) {
    let mut pruner = Pruner { nulls: Nulls::Kept, unknown: Vec::new() };
    pruner.part(Some(node), value, inherited, &Trail::ROOT);
}

/// True if a value has members that the schema does not describe.
pub(crate) fn has_unknown(node: &Node, value: &Value, inherited: Mode) -> bool {
    Nulls::Kept.changes(Some(node), value, inherited)
}

/// Treatment of members without a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Drop,
    Keep,
}

impl Mode {
    /// The mode for the values of a node that is reached in this mode.
    pub(crate) fn at(self, node: &Node) -> Mode {
        if node.preserve { Mode::Keep } else { self }
    }
}

/// The treatment of nulls that are neither allowed nor about to be replaced by a default.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Dropped,
    Kept,
}

/// A look first: most objects need no change, and a change in place copies what is shared.
impl Nulls {
    /// True if anything in a value is dropped.
    fn changes(self, node: Option<&Node>, value: &Value, inherited: Mode) -> bool {
        let mode = node.map_or(inherited, |node| inherited.at(node));
        match value {
            Value::Object(object) if node.is_some() || mode == Mode::Drop => {
                self.changes_members(node, object, mode, node.is_some_and(|node| node.embedded))
            }
            Value::Array(array) => {
                let items = node.and_then(|node| node.items.as_deref());
                (items.is_some() || mode == Mode::Drop)
                    && array.iter().any(|element| self.changes(items, element, mode))
            }
            _ => false,
        }
    }

    fn changes_members(self, node: Option<&Node>, object: &Object, mode: Mode, is_resource: bool) -> bool {
        object.iter().any(|(name, value)| {
            let treatment = treatment(node, name, mode, is_resource);
            treatment.drops(value, self)
                || match treatment {
                    Treatment::Described(node) => self.changes(Some(node), value, Mode::Drop),
                    Treatment::Undescribed => self.changes(None, value, Mode::Drop),
                    Treatment::Meta(Some(node)) => self == Nulls::Dropped && has_dropped_nulls(node, value),
                    Treatment::Meta(None) | Treatment::Kept | Treatment::Unknown => false,
                }
        })
    }
}

struct Pruner {
    nulls: Nulls,
    unknown: Vec<String>,
}

impl Pruner {
    /// Prunes a value. `inherited` is what a list hands down to its elements; members always start by dropping.
    fn part(&mut self, node: Option<&Node>, value: &mut Value, inherited: Mode, trail: &Trail<'_>) {
        let mode = node.map_or(inherited, |node| inherited.at(node));
        match value {
            Value::Object(object) if node.is_some() || mode == Mode::Drop => {
                self.members(node, object, mode, node.is_some_and(|node| node.embedded), trail);
            }
            Value::Array(array) => {
                let items = node.and_then(|node| node.items.as_deref());
                if (items.is_some() || mode == Mode::Drop) && array.iter().any(is_compound) {
                    for (index, element) in array.as_mut_slice().iter_mut().enumerate() {
                        self.part(items, element, mode, &trail.index(index));
                    }
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, node: Option<&Node>, object: &mut Object, mode: Mode, is_resource: bool, trail: &Trail<'_>) {
        let treatment = |name: &str| treatment(node, name, mode, is_resource);
        let nulls = self.nulls;
        if object.iter().any(|(name, value)| treatment(name).drops(value, nulls)) {
            object.retain(|name, value| {
                let treatment = treatment(name);
                if matches!(treatment, Treatment::Unknown) {
                    self.unknown.push(trail.entry(name).unknown());
                }
                !treatment.drops(value, nulls)
            });
        }
        if !object.values().any(is_compound) {
            return;
        }
        for (name, value) in object.iter_mut().filter(|(_, value)| is_compound(value)) {
            match treatment(name) {
                Treatment::Described(node) => self.part(Some(node), value, Mode::Drop, &trail.entry(name)),
                Treatment::Undescribed => self.part(None, value, Mode::Drop, &trail.entry(name)),
                Treatment::Meta(Some(node)) if nulls == Nulls::Dropped => drop_nulls(node, value),
                Treatment::Meta(_) | Treatment::Kept | Treatment::Unknown => {}
            }
        }
    }
}

/// The treatment of a member.
enum Treatment<'n> {
    /// It has a schema.
    Described(&'n Node),
    /// It is allowed, but its contents have no schema.
    Undescribed,
    /// It is metadata of a resource: only nulls are looked for.
    Meta(Option<&'n Node>),
    /// It stays as it is.
    Kept,
    /// It goes.
    Unknown,
}

impl Treatment<'_> {
    fn drops(&self, value: &Value, nulls: Nulls) -> bool {
        match self {
            Treatment::Described(node) | Treatment::Meta(Some(node)) => {
                nulls == Nulls::Dropped && is_dropped_null(node, value)
            }
            Treatment::Unknown => true,
            Treatment::Undescribed | Treatment::Meta(None) | Treatment::Kept => false,
        }
    }
}

fn treatment<'n>(node: Option<&'n Node>, name: &str, mode: Mode, is_resource: bool) -> Treatment<'n> {
    if is_resource && META_FIELDS.contains(&name) {
        return Treatment::Meta(node.and_then(|node| node.member(name)));
    }
    let Some(node) = node else { return Treatment::Unknown };
    match (node.properties.get(name), &node.additional, mode) {
        (Some(property), ..) => Treatment::Described(property),
        (None, Additional::Schema(values), _) => Treatment::Described(values),
        (None, Additional::Allowed | Additional::Forbidden, _) => Treatment::Undescribed,
        (None, Additional::Absent, Mode::Keep) => Treatment::Kept,
        (None, Additional::Absent, Mode::Drop) => Treatment::Unknown,
    }
}

/// A null that is neither allowed nor about to be replaced by a default.
fn is_dropped_null(node: &Node, value: &Value) -> bool {
    value.is_null() && !node.nullable && node.default.is_none()
}

/// True if [`drop_nulls`] has something to drop.
fn has_dropped_nulls(node: &Node, value: &Value) -> bool {
    match value {
        Value::Object(object) => object.iter().any(|(name, value)| {
            node.member(name).is_some_and(|node| is_dropped_null(node, value) || has_dropped_nulls(node, value))
        }),
        Value::Array(array) => {
            let items = node.items.as_deref();
            items.is_some_and(|items| array.iter().any(|element| has_dropped_nulls(items, element)))
        }
        _ => false,
    }
}

/// Drops nulls where nothing is pruned.
fn drop_nulls(node: &Node, value: &mut Value) {
    match value {
        Value::Object(object) => {
            let is_dropped =
                |name: &str, value: &Value| node.member(name).is_some_and(|node| is_dropped_null(node, value));
            if object.iter().any(|(name, value)| is_dropped(name, value)) {
                object.retain(|name, value| !is_dropped(name, value));
            }
            if object.values().any(is_compound) {
                for (name, value) in object.iter_mut() {
                    if let Some(node) = node.member(name) {
                        drop_nulls(node, value);
                    }
                }
            }
        }
        Value::Array(array) => {
            if let Some(items) = &node.items
                && array.iter().any(is_compound)
            {
                array.as_mut_slice().iter_mut().for_each(|element| drop_nulls(items, element));
            }
        }
        _ => {}
    }
}

fn is_compound(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

#[cfg(test)]
mod tests {
    use sprag_release::Release;
    use sprag_value::Value;

    use super::prune;
    use crate::node;
    use crate::props::Props;

    fn parse(text: &str) -> Value {
        sprag_value::json::parse(text.as_bytes()).unwrap()
    }

    #[track_caller]
    fn check(schema: &str, object: &str, pruned: &str, unknown: &[&str]) {
        let node = node::compile(&Props::read(&parse(schema)).unwrap(), Release::NEWEST);
        let mut object = parse(object);
        let found = prune(Some(&node), object.as_object_mut().unwrap());
        assert_eq!(object, parse(pruned));
        assert_eq!(found, unknown);
    }

    #[test]
    fn unknown_members_go() {
        check(
            r#"{"properties": {"a": {"items": {"properties": {"b": {}}}}}}"#,
            r#"{"kind": "K", "a": [{"b": {"x": 1}, "c": {"d": 1}}], "z": null}"#,
            r#"{"kind": "K", "a": [{"b": {}}]}"#,
            &["a[0].b.x", "a[0].c", "z"],
        );
    }

    #[test]
    fn described_parts_of_a_free_object_are_pruned() {
        check(
            r#"{"properties": {"p": {"x-kubernetes-preserve-unknown-fields": true,
                "properties": {"a": {}}, "items": {"properties": {"a": {}}}}}}"#,
            r#"{"p": {"a": {"x": 1}, "b": {"y": 1}}}"#,
            r#"{"p": {"a": {}, "b": {"y": 1}}}"#,
            &["p.a.x"],
        );
        check(
            r#"{"properties": {"p": {"x-kubernetes-preserve-unknown-fields": true, "items": {"properties": {"a": {}}}}}}"#,
            r#"{"p": [{"a": {"x": 1}, "b": {"y": 1}}]}"#,
            r#"{"p": [{"a": {}, "b": {"y": 1}}]}"#,
            &["p[0].a.x"],
        );
    }

    #[test]
    fn contents_without_a_schema_are_emptied() {
        check(
            r#"{"properties": {"t": {"additionalProperties": true}, "l": {}}}"#,
            r#"{"t": {"a": {"b": 1}, "c": 1}, "l": [[{"d": 1}], 2]}"#,
            r#"{"t": {"a": {}, "c": 1}, "l": [[{}], 2]}"#,
            &["l[0][0].d", "t.a.b"],
        );
    }

    #[test]
    fn what_is_shared_stays_shared_when_nothing_goes() {
        let node = node::compile(
            &Props::read(&parse(
                r#"{"properties": {"l": {"items": {"properties": {"a": {}}}},
            "metadata": {"properties": {"name": {}}}}}"#,
            ))
            .unwrap(),
            Release::NEWEST,
        );
        let object = parse(r#"{"l": [{"a": 1}], "metadata": {"name": "n"}}"#);
        let mut pruned = object.clone();
        assert_eq!(prune(Some(&node), pruned.as_object_mut().unwrap()), [""; 0]);
        let list = |object: &Value| object.get("l").and_then(Value::as_array).unwrap().as_ptr();
        assert_eq!(list(&pruned), list(&object));
    }

    #[test]
    fn nulls_of_described_metadata_go() {
        check(
            r#"{"properties": {"metadata": {"properties": {"l": {"items": {"properties": {"a": {}}}}}}}}"#,
            r#"{"metadata": {"x": null, "l": [{"a": null, "b": null}]}}"#,
            r#"{"metadata": {"x": null, "l": [{"b": null}]}}"#,
            &[],
        );
    }

    #[test]
    fn nulls_go_unless_allowed_or_defaulted() {
        check(
            r#"{"properties": {"a": {}, "n": {"nullable": true}, "d": {"default": 1}, "l": {"items": {}}}}"#,
            r#"{"a": null, "n": null, "d": null, "l": [null]}"#,
            r#"{"n": null, "d": null, "l": [null]}"#,
            &[],
        );
    }

    #[test]
    fn metadata_of_resources_is_left_alone() {
        check(
            r#"{"properties": {"e": {"x-kubernetes-embedded-resource": true, "properties": {"kind": {}}}, "n": {}}}"#,
            r#"{"e": {"kind": null, "metadata": {"x": 1}, "y": 1}, "n": {"kind": "K"}, "metadata": {"q": 1}}"#,
            r#"{"e": {"metadata": {"x": 1}}, "n": {}, "metadata": {"q": 1}}"#,
            &["e.y", "n.kind"],
        );
    }
}
