//! Columns of tables, and what their cells show.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sprag_value::{Time, Value};

use crate::meta;

/// The column description that clients print.
const CREATED: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is \
    not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is \
    represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The column description that clients print.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some resources may \
    allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation \
    idempotence and configuration definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: Cow<'static, str>,
    /// The `OpenAPI` type of the cells.
    pub kind: Cow<'static, str>,
    /// The `OpenAPI` format of the cells.
    pub format: Cow<'static, str>,
    /// The description of the column.
    pub description: Cow<'static, str>,
    /// 0 for columns that narrow tables show, too.
    pub priority: i32,
    /// The source of the cells.
    pub cell: Cell,
}

/// The source of the cells of a column.
#[derive(Clone)]
pub enum Cell {
    /// The value of a field, as a path of member names.
    Field(Cow<'static, [Cow<'static, str>]>),
    /// Computed by code from the object.
    Computed(Arc<dyn CellSource>),
}

/// Makes the cells of a column.
pub trait CellSource: Send + Sync {
    /// The cell for an object at a time, which ages depend on; null for none.
    fn cell(&self, object: &Value, now: Time) -> Value;
}

impl<F: Fn(&Value, Time) -> Value + Send + Sync> CellSource for F {
    fn cell(&self, object: &Value, now: Time) -> Value {
        self(object, now)
    }
}

impl Column {
    /// A column of text that shows the field at a path like `spec.color`.
    pub fn new(name: impl Into<Cow<'static, str>>, path: &str) -> Column {
        Column {
            name: name.into(),
            kind: Cow::Borrowed("string"),
            format: Cow::Borrowed(""),
            description: Cow::Borrowed(""),
            priority: 0,
            cell: Cell::Field(split(path)),
        }
    }

    /// A column of text that shows what code makes of an object.
    pub fn computed(name: impl Into<Cow<'static, str>>, source: impl CellSource + 'static) -> Column {
        Column { cell: Cell::Computed(Arc::new(source)), ..Column::new(name, "") }
    }

    /// The names of objects, which tables begin with where no column of a kind shows them.
    pub fn name() -> Column {
        Column {
            format: Cow::Borrowed("name"),
            description: Cow::Borrowed(NAME),
            ..Column::new("Name", "metadata.name")
        }
    }

    /// The `Age` column.
    pub fn age() -> Column {
        let created = |object: &Value, now: Time| age(meta::text(object, "creationTimestamp"), now).into();
        Column { description: Cow::Borrowed(CREATED), ..Column::computed("Age", created) }
    }

    /// Returns the column of creation times.
    pub fn created_at() -> Column {
        Column {
            kind: Cow::Borrowed("date"),
            description: Cow::Borrowed(CREATED),
            ..Column::new("Created At", "metadata.creationTimestamp")
        }
    }

    /// The cell for an object at a time; null when there is nothing to show.
    pub fn cell(&self, object: &Value, now: Time) -> Value {
        match &self.cell {
            Cell::Field(path) => lookup(object, path).cloned().unwrap_or_default(),
            Cell::Computed(source) => source.cell(object, now),
        }
    }
}

/// The age of a time in the format of tables.
pub fn age(time: &str, now: Time) -> String {
    match time.parse::<Time>() {
        _ if time.is_empty() || time == "null" => "<unknown>".to_owned(),
        Ok(then) if then.is_zero() => "<unknown>".to_owned(),
        Ok(then) => human_duration(now.unix_seconds().saturating_sub(then.unix_seconds())),
        Err(_) => "<invalid>".to_owned(),
    }
}

/// Seconds with two or three significant figures.
pub fn human_duration(seconds: i64) -> String {
    let two = |big: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{unit}"),
        small => format!("{big}{unit}{small}{small_unit}"),
    };
    let minutes = seconds / 60;
    let hours = seconds / 3600;
    let days = seconds / 86_400;
    match seconds {
        ..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, 'm', seconds % 60, 's'),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, 'h', minutes % 60, 'm'),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, 'd', hours % 24, 'h'),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}

/// A path like `spec.color` as member names.
pub(crate) fn split(path: &str) -> Cow<'static, [Cow<'static, str>]> {
    path.split('.').map(|part| Cow::Owned(part.to_owned())).collect()
}

pub(crate) fn lookup<'v>(object: &'v Value, path: &[Cow<'static, str>]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, member| value.get(member))
}

impl PartialEq for Cell {
    fn eq(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Field(a), Cell::Field(b)) => a == b,
            (Cell::Computed(a), Cell::Computed(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Cell {}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Field(path) => f.debug_tuple("Field").field(path).finish(),
            Cell::Computed(_) => f.write_str("Computed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[test]
    fn ages_have_few_figures() {
        let now = Time::from_unix(2_000_000_000, 0);
        let ago = |seconds: i64| {
            age(
                &json::to_string(&sprag_value::to_value(&Time::from_unix(now.unix_seconds() - seconds, 0)).unwrap())
                    .replace('"', ""),
                now,
            )
        };
        let ages = [
            -2,
            -1,
            0,
            119,
            120,
            125,
            600,
            10_799,
            10_800,
            10_860,
            28_800,
            172_800,
            176_400,
            691_200,
            63_072_000,
            63_200_000,
            252_288_000,
        ]
        .map(ago);
        let expected = [
            "<invalid>",
            "0s",
            "0s",
            "119s",
            "2m",
            "2m5s",
            "10m",
            "179m",
            "3h",
            "3h1m",
            "8h",
            "2d",
            "2d1h",
            "8d",
            "2y",
            "2y1d",
            "8y",
        ];
        assert_eq!(ages, expected);
        assert_eq!([age("", now), age("soon", now)], ["<unknown>", "<invalid>"]);
    }

    #[test]
    fn a_cell_without_value_is_null() {
        let (object, now) = (json::parse(br#"{"spec":{"a":7}}"#).unwrap(), Time::from_unix(0, 0));
        assert_eq!(Column::new("A", "spec.a").cell(&object, now), Value::Int(7));
        assert!(Column::new("B", "spec.b.c").cell(&object, now).is_null());
        let members = |object: &Value, _: Time| object.as_object().map_or(0, sprag_value::Object::len).into();
        assert_eq!(Column::computed("C", members).cell(&object, now), Value::Int(1));
    }
}
