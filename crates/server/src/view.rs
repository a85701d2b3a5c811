//! Objects as clients want to see them: whole, as rows of a table, or their metadata only.

use std::sync::LazyLock;

use sprag_registry::INITIAL_EVENTS_END;
use sprag_rest::{ApiError, Column, Definition, Result, Version, meta};
use sprag_value::{Array, Object, Time, Value};

use crate::negotiate::View;
use crate::refuse;

/// The `includeObject` parameter of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Include {
    pub(crate) fn parse(text: &str) -> Result<Include> {
        match text {
            "None" => Ok(Include::Nothing),
            "" | "Metadata" => Ok(Include::Metadata),
            "Object" => Ok(Include::Object),
            other => Err(ApiError::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: must be 'Metadata', \
                 'Object', 'None', or empty",
                sprag_field::quote::go(other)
            ))),
        }
    }
}

/// The kind of objects that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Objects of the resource.
    Resource,
    /// Their `Scale`.
    Scale,
}

/// Table columns of a `Scale`.
static SCALE_COLUMNS: LazyLock<[Column; 3]> = LazyLock::new(|| {
    let replicas = |name: &'static str, description: &'static str, path: &str| Column {
        kind: "integer".into(),
        description: description.into(),
        ..Column::new(name, path)
    };
    [
        replicas("Desired", "Number of desired replicas", "spec.replicas"),
        replicas("Available", "Number of actual replicas", "status.replicas"),
        Column { kind: "date".into(), ..Column::age() },
    ]
});

/// The view of the objects of one resource.
pub(crate) struct Lens<'d> {
    pub(crate) definition: &'d Definition,
    pub(crate) version: &'d Version,
    pub(crate) subject: Subject,
    pub(crate) view: View,
    pub(crate) include: Include,
    /// The time, for ages.
    pub(crate) now: Time,
}

impl Lens<'_> {
    /// One object.
    pub(crate) fn object(&self, object: Value) -> Result<Value> {
        match self.view {
            View::Whole | View::Aggregated => Ok(object),
            View::Table(api_version) => Ok(self.table(api_version, list_metadata(&object), vec![object], true)),
            View::Metadata(api_version) => Ok(self.partial(&object, api_version)),
            View::MetadataList(_) => {
                let message = "you requested PartialObjectMetadataList, but the requested object is not a list";
                Err(refuse::not_acceptable_because(format!("{message} ({})", self.go_type(""))))
            }
        }
    }

    /// A list, of which only the metadata and the items are looked at.
    pub(crate) fn list(&self, list: Value) -> Result<Value> {
        let view = self.view;
        if view == View::Whole {
            return Ok(list);
        }
        let Value::Object(mut list) = list else { return Ok(list) };
        let items = match list.remove("items") {
            Some(Value::Array(items)) => items,
            _ => Array::new(),
        };
        let mut metadata = match list.remove("metadata") {
            Some(Value::Object(metadata)) => metadata,
            _ => Object::new(),
        };
        if metadata.get("continue").and_then(Value::as_str) == Some("") {
            metadata.remove("continue");
        }
        match view {
            View::Table(api_version) => Ok(self.table(api_version, metadata, items.into_iter().collect(), true)),
            View::MetadataList(api_version) => {
                let shown = || items.iter().map(|item| self.partial(item, api_version)).collect();
                let items = if items.is_empty() { Value::Null } else { shown() };
                Ok(Value::Object(Object::from([
                    ("kind", Value::from("PartialObjectMetadataList")),
                    ("apiVersion", Value::from(api_version)),
                    ("metadata", Value::Object(metadata)),
                    ("items", items),
                ])))
            }
            View::Whole | View::Aggregated | View::Metadata(_) => {
                let message = "you requested PartialObjectMetadata, but the requested object is a list";
                Err(refuse::not_acceptable_because(format!("{message} ({})", self.go_type("List"))))
            }
        }
    }

    /// The object of an event. Only the first event of a watch says what the columns are.
    pub(crate) fn event(&self, object: Value, first: bool) -> Value {
        match self.view {
            View::Whole | View::Aggregated => object,
            View::Table(api_version) => self.table(api_version, list_metadata(&object), vec![object], first),
            View::Metadata(api_version) | View::MetadataList(api_version) => self.partial(&object, api_version),
        }
    }

    fn table(&self, api_version: &str, metadata: Object, objects: Vec<Value>, headings: bool) -> Value {
        let mut table = Object::from([
            ("kind", Value::from("Table")),
            ("apiVersion", Value::from(api_version)),
            ("metadata", Value::Object(metadata)),
        ]);
        let headings = if headings { self.headings() } else { Value::Null };
        table.insert("columnDefinitions", headings);
        let rows = objects.into_iter().map(|object| self.row(object, api_version)).collect::<Array>();
        // Upstream's table for kinds without columns of their own has no list before it has a row.
        let is_null = rows.is_empty() && self.has_default_columns();
        table.insert("rows", if is_null { Value::Null } else { rows.into() });
        Value::Object(table)
    }

    fn has_default_columns(&self) -> bool {
        matches!(self.columns(), [only] if *only == Column::created_at())
    }

    fn headings(&self) -> Value {
        let name = self.begins_with_name().then(Column::name);
        name.iter().chain(self.columns()).map(heading).collect()
    }

    fn columns(&self) -> &[Column] {
        match self.subject {
            Subject::Resource => &self.version.columns,
            Subject::Scale => &*SCALE_COLUMNS,
        }
    }

    /// Kinds may have the name in a column of their own.
    fn begins_with_name(&self) -> bool {
        self.definition.conventions.tables_begin_with_name
            || !self.columns().iter().any(|column| column.format == "name" || column.name == "Name")
    }

    fn row(&self, object: Value, api_version: &str) -> Value {
        let name = Value::from(meta::name(&object));
        let cells = self.columns().iter().map(|column| column.cell(&object, self.now));
        let cells: Value = self.begins_with_name().then_some(name).into_iter().chain(cells).collect();
        let mut row = Object::from([("cells", cells)]);
        let conditions = self.version.row_conditions.filter(|_| self.subject == Subject::Resource);
        if let Some(conditions) = conditions.map(|conditions| conditions(&object)).filter(|it| !it.is_null()) {
            row.insert("conditions", conditions);
        }
        match self.include {
            Include::Nothing if !ends_initial_events(&object) => drop(row.insert("object", Value::Null)),
            Include::Nothing | Include::Metadata => drop(row.insert("object", self.partial(&object, api_version))),
            Include::Object => drop(row.insert("object", self.whole(object))),
        }
        Value::Object(row)
    }

    /// An object with its type, which lists leave out.
    fn whole(&self, mut object: Value) -> Value {
        if self.subject == Subject::Scale {
            return object;
        }
        object.insert("apiVersion", self.definition.api_version(&self.version.name));
        object.insert("kind", self.definition.kind.as_str());
        object
    }

    /// The metadata of an object.
    // As upstream's handlers.asPartialObjectMetadata, which takes that of the internal type.
    fn partial(&self, object: &Value, api_version: &str) -> Value {
        let mut metadata = object.get("metadata").cloned().unwrap_or_else(Value::object);
        let fields = self.definition.scheme.field_annotations();
        if self.subject == Subject::Resource
            && !fields.is_empty()
            && let Some(annotations) = metadata.get_mut("annotations")
        {
            for name in fields {
                annotations.remove(name);
            }
            if annotations.as_object().is_some_and(Object::is_empty) {
                metadata.remove("annotations");
            }
        }
        Value::Object(Object::from([
            ("kind", Value::from("PartialObjectMetadata")),
            ("apiVersion", Value::from(api_version)),
            ("metadata", metadata),
        ]))
    }

    /// The type of objects in the words of the reference.
    fn go_type(&self, suffix: &str) -> String {
        if self.subject == Subject::Scale {
            return "*v1.Scale".to_owned();
        }
        if let Some(ty) = self.definition.conventions.go_type {
            return format!("*{ty}{suffix}");
        }
        let group = self.definition.group();
        let package = match group.split('.').next().unwrap_or_default() {
            "" | "events" => "core",
            package => package,
        };
        format!("*{package}.{}{suffix}", self.definition.kind)
    }
}

fn heading(column: &Column) -> Value {
    Value::Object(Object::from([
        ("name", Value::from(&*column.name)),
        ("type", Value::from(&*column.kind)),
        ("format", Value::from(&*column.format)),
        ("description", Value::from(&*column.description)),
        ("priority", Value::from(column.priority)),
    ]))
}

/// True if an object is the bookmark after the initial events of a watch, which clients know by its metadata.
fn ends_initial_events(object: &Value) -> bool {
    object.lookup(&["metadata", "annotations", INITIAL_EVENTS_END]).is_some()
}

/// The list metadata of a table of one object: its resource version, if any.
fn list_metadata(object: &Value) -> Object {
    let version = Some(meta::text(object, "resourceVersion")).filter(|version| !version.is_empty());
    version.into_iter().map(|version| ("resourceVersion", version)).collect()
}
