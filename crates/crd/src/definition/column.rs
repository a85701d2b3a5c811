//! The columns of definitions in tables.

use sprag_rest::{CellSource, Column, Fact, Release};
use sprag_value::{Time, Value};

use crate::condition;

const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not \
                       guaranteed to be set in happens-before order across separate operations. Clients may not set this \
                       value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null \
                       for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// Columns beside the name.
pub(super) fn columns(release: Release) -> Vec<Column> {
    let created = Column {
        kind: "date".into(),
        description: CREATED.into(),
        ..Column::new("Created At", "metadata.creationTimestamp")
    };
    if !release.has(Fact::DefinitionsHaveColumns) {
        return vec![created];
    }
    vec![
        Column { description: "Cluster/Namespaced".into(), ..Column::new("Scope", "spec.scope") },
        Column { description: "Served versions".into(), ..computed("Versions", versions) },
        created,
        wide(Column { description: "API group".into(), ..Column::new("Group", "spec.group") }),
        wide(Column { description: "CustomResource kind".into(), ..Column::new("Kind", "spec.names.kind") }),
        wide(Column { description: "Short names".into(), ..computed("ShortNames", short_names) }),
        wide(Column {
            kind: "boolean".into(),
            description: "Established status".into(),
            ..computed("Established", |definition| condition::is_true(definition, "Established").into())
        }),
    ]
}

fn wide(column: Column) -> Column {
    Column { priority: 1, ..column }
}

fn computed(name: &'static str, cell: fn(&Value) -> Value) -> Column {
    Column::computed(name, Timeless(cell))
}

/// A cell that depends on nothing but the object.
struct Timeless(fn(&Value) -> Value);

impl CellSource for Timeless {
    fn cell(&self, object: &Value, _: Time) -> Value {
        (self.0)(object)
    }
}

fn versions(definition: &Value) -> Value {
    let versions = list(definition, &["spec", "versions"]);
    let is = |version: &Value, flag: &str| version.get(flag).and_then(Value::as_bool) == Some(true);
    let label = |version: &Value| {
        let name = version.get("name").and_then(Value::as_str).unwrap_or_default();
        format!("{name}{}", if is(version, "storage") { "(storage)" } else { "" })
    };
    let mut served: Vec<String> = versions.iter().filter(|version| is(version, "served")).map(label).collect();
    served.sort_unstable();
    served.join(",").into()
}

fn short_names(definition: &Value) -> Value {
    let names = list(definition, &["spec", "names", "shortNames"]);
    names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",").into()
}

fn list<'v>(definition: &'v Value, path: &[&str]) -> &'v [Value] {
    definition.lookup(path).and_then(Value::as_array).map(|list| &list[..]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn a_definition_is_shown_as_upstream_shows_it() {
        let definition = json::parse(
            br#"{"metadata":{"creationTimestamp":"2025-05-03T16:36:32Z"},"spec":{"scope":"Namespaced","group":"g.example",
            "names":{"kind":"Foo","shortNames":["f","fo"]},"versions":[{"name":"v2","served":true},{"name":"v1","served":true,
            "storage":true},{"name":"v0"}]},"status":{"conditions":[{"type":"Established","status":"True"}]}}"#,
        );
        let definition = definition.unwrap();
        let cells: Value =
            columns(Release::NEWEST).iter().map(|column| column.cell(&definition, Time::from_unix(0, 0))).collect();
        assert_eq!(
            json::to_string(&cells),
            r#"["Namespaced","v1(storage),v2","2025-05-03T16:36:32Z","g.example","Foo","f,fo",true]"#
        );
    }
}
