//! `metadata.managedFields`: who owns which fields.

use sprag_value::{Array, Entry, Text, Time, Value, json};

use crate::apply::owners::owned_set::OwnedSet;
use crate::apply::owners::sorted::SortedMap;

const MANAGED_FIELDS: &str = "managedFields";

/// The operation by which a manager owns its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::apply) enum Operation {
    Apply,
    Update,
}

/// The identity of a manager.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::apply) struct ManagerId {
    pub(in crate::apply) manager: Text,
    pub(in crate::apply) operation: Operation,
    /// Empty for appliers, who are the same in every version.
    pub(in crate::apply) api_version: Text,
    pub(in crate::apply) subresource: Text,
}

/// The fields of a manager, with timestamp.
#[derive(Clone, Debug)]
pub(in crate::apply) struct Owned {
    pub(in crate::apply) set: OwnedSet,
    /// The version in which the paths are written.
    pub(in crate::apply) api_version: Text,
    pub(in crate::apply) time: Option<Time>,
}

/// All managers of an object.
#[derive(Clone, Debug, Default)]
pub(in crate::apply) struct Managed(pub(in crate::apply) SortedMap<ManagerId, Owned>);

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl ManagerId {
    /// The identifier in the form the reference sorts by.
    pub(in crate::apply) fn sort_key(&self) -> String {
        let text = |text: &str| sprag_field::quote::json(text).to_string();
        let member = |name: &str, value: &str| {
            if value.is_empty() { String::new() } else { format!(",\"{name}\":{}", text(value)) }
        };
        let operation = self.operation.name();
        let rest = member("apiVersion", &self.api_version) + &member("subresource", &self.subresource);
        if self.manager.is_empty() {
            return format!("{{\"operation\":\"{operation}\"{rest}}}");
        }
        format!("{{\"manager\":{},\"operation\":\"{operation}\"{rest}}}", text(&self.manager))
    }
}

impl Managed {
    /// Reads the entries of an object.
    pub(in crate::apply) fn of(object: &Value) -> Result<Self, String> {
        let mut managed = SortedMap::default();
        for (at, entry) in entries(object).iter().enumerate() {
            let (id, owned) = read(at, entry)?;
            managed.insert(id, owned);
        }
        Ok(Self(managed))
    }

    pub(in crate::apply) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the entries into an object, or none when there are none.
    pub(in crate::apply) fn put(&self, object: &mut Value) {
        let mut entries: Vec<_> = self.0.iter().collect();
        let seconds = |owned: &Owned| owned.time.map_or(0, Time::unix_seconds);
        entries.sort_by(|(a, a_owned), (b, b_owned)| {
            let key = |id: &ManagerId, owned: &Owned| (id.operation, seconds(owned));
            key(a, a_owned)
                .cmp(&key(b, b_owned))
                .then_with(|| a.manager.cmp(&b.manager))
                .then_with(|| a_owned.api_version.cmp(&b_owned.api_version))
                .then_with(|| a.subresource.cmp(&b.subresource))
        });
        set_entries(object, entries.into_iter().map(|(id, owned)| write(id, owned)).collect());
    }
}

/// The entries of an object as they are stored.
pub(in crate::apply) fn entries(object: &Value) -> Array {
    object.lookup(&["metadata", MANAGED_FIELDS]).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Checks that the entries of an object can be read.
// As upstream's managedfields.ValidateManagedFields.
pub fn check_managed_fields(object: &Value) -> Result<(), String> {
    Managed::of(object).map(drop)
}

/// Replaces the entries of an object.
pub(in crate::apply) fn set_entries(object: &mut Value, entries: Array) {
    if entries.is_empty() {
        if object.lookup(&["metadata", MANAGED_FIELDS]).is_some() {
            object.get_mut("metadata").and_then(|metadata| metadata.remove(MANAGED_FIELDS));
        }
    } else if let Some(object) = object.as_object_mut() {
        object.get_or_insert("metadata").insert(MANAGED_FIELDS, entries);
    }
}

fn read(at: usize, entry: &Value) -> Result<(ManagerId, Owned), String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("");
    let operation = match text("operation") {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err("operation must be `Apply` or `Update`".into()),
    };
    let api_version = Text::from(text("apiVersion"));
    if api_version.is_empty() {
        return Err("apiVersion must not be empty".into());
    }
    match text("fieldsType") {
        "FieldsV1" => {}
        "" => return Err(format!("missing fieldsType in managed fields entry {at}")),
        other => {
            let other = sprag_field::quote::go(other);
            return Err(format!("invalid fieldsType {other} in managed fields entry {at}"));
        }
    }
    let id = ManagerId {
        manager: Text::from(text("manager")),
        operation,
        api_version: if operation == Operation::Apply { Text::new() } else { api_version.clone() },
        subresource: Text::from(text("subresource")),
    };
    let fields = entry.get("fieldsV1").unwrap_or(&Value::Null);
    let set = OwnedSet::read(fields).map_err(|error| {
        format!("error decoding versioned set from {}: error decoding set: {error}", printed(entry))
    })?;
    Ok((id, Owned { set, api_version, time: text("time").parse().ok() }))
}

/// An entry as Go prints it.
// As `%v` of upstream's v1.ManagedFieldsEntry.
fn printed(entry: &Value) -> String {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("");
    let time = text("time").parse::<Time>().map_or_else(
        |_| "<nil>".to_owned(),
        |time| format!("{} +0000 UTC", time.to_string().replacen('T', " ", 1).trim_end_matches('Z')),
    );
    let fields = json::to_string(entry.get("fieldsV1").unwrap_or(&Value::Null));
    format!(
        "{{{} {} {} {time} {} {} {}}}",
        text("manager"),
        text("operation"),
        text("apiVersion"),
        text("fieldsType"),
        fields.trim_end(),
        text("subresource"),
    )
}

fn write(id: &ManagerId, owned: &Owned) -> Value {
    let named = |name: &'static str, text: &Text| (!text.is_empty()).then(|| Entry::new(name, text.clone()));
    let members = [
        Some(Entry::new("apiVersion", owned.api_version.clone())),
        Some(Entry::new("fieldsType", "FieldsV1")),
        Some(Entry::new("fieldsV1", owned.set.to_fields_v1())),
        named("manager", &id.manager),
        Some(Entry::new("operation", id.operation.name())),
        named("subresource", &id.subresource),
        owned.time.map(|time| Entry::new("time", time.to_string())),
    ];
    Value::Object(members.into_iter().flatten().collect())
}
