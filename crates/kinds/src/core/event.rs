//! Events: two groups show the same objects, and the newer one is stricter.

use std::time::Duration;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Column;
use sprag_rest::{
    Cx, Definition, GarbageCollection, GroupResource, Resource, RestConfig, Selectable, StrategyConfig, age,
};
use sprag_validate::format::Format;
use sprag_validate::object_meta;
use sprag_value::{Time, Value, go_json};

use super::v1::{Event, ObjectReference};
use crate::columns::{string, text, wide};
use crate::events::v1 as events_v1;

/// How long events are kept.
const LIFE: Duration = Duration::from_hours(1);

/// How long the parts of an event may be, in bytes.
const MAX_WORD: usize = 128;
const MAX_MESSAGE: usize = 1024;

/// What of the object that an event is about selectors may name.
pub(crate) const REFERENCE_FIELDS: [&str; 7] =
    ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/// The definition of `events` in the group without a name.
pub(crate) fn events() -> Definition {
    let strategy = strategy::<Event>()
        .validate(|cx, new, errors| {
            let of_metadata = errors.len();
            validate_first(cx, new, errors);
            // The metadata counts only where nothing else is wrong.
            if errors.len() > of_metadata {
                errors.truncate(errors.len() - of_metadata);
            }
        })
        .validate_update(|cx, new, _, errors| validate(cx, new, errors));
    let fields = REFERENCE_FIELDS.map(|field| Selectable::new(&format!("involvedObject.{field}")));
    let others = ["reason", "reportingComponent", "type"].map(Selectable::new);
    let source = Selectable::new("source.component").or("reportingComponent").named("source");
    let definition = RestConfig::new("", "v1", "events")
        .short_names(["ev"])
        .name_rule(std::sync::Arc::new(object_meta::path_segment))
        .selectable_fields(fields.into_iter().chain(others).chain([source]))
        .columns(columns(&CORE))
        .share_storage(place(), |event: events_v1::Event| event.into())
        .strategy(strategy)
        .define();
    // There are too many, and few are ever read.
    Definition { is_cached: false, ..definition }
}

/// Where both groups store events.
pub(crate) fn place() -> GroupResource {
    GroupResource::new("", "events")
}

/// What events have in common in both groups.
pub(crate) fn strategy<T: Resource>() -> StrategyConfig<T> {
    StrategyConfig::new()
        .allow_create_on_update(true)
        .garbage_collection(GarbageCollection::Unsupported)
        .expires_in(LIFE)
        .without_generation()
}

/// The rules that hold in both groups, whose errors come before those that were found of the metadata.
pub(crate) fn validate_first(cx: &Cx<'_>, event: &Event, errors: &mut Errors) {
    let of_metadata = errors.len();
    validate(cx, event, errors);
    errors.since_mut(0).rotate_left(of_metadata);
}

/// The rules that hold in both groups. The name of one field is that of the group.
pub(crate) fn validate(cx: &Cx<'_>, event: &Event, errors: &mut Errors) {
    let (namespace, involved) = (event.metadata.namespace.as_str(), event.involved_object.namespace.as_str());
    let is_old = event.event_time.is_zero();
    let fits = match (is_old, involved) {
        (true, "") => matches!(namespace, "" | "default"),
        (true, involved) => namespace == involved,
        (false, "") => matches!(namespace, "default" | "kube-system"),
        (false, _) => true,
    };
    if !fits {
        let path = Path::new("involvedObject");
        errors.push(Error::invalid(&path.child("namespace"), involved, "does not match event.namespace"));
    }
    if is_old {
        return;
    }
    let controller =
        Path::new(if cx.definition.group().is_empty() { "reportingComponent" } else { "reportingController" });
    let name = event.reporting_controller.as_str();
    if name.is_empty() {
        errors.push(Error::required(&controller, ""));
    }
    Format::LabelKey.check(name, &mut |flaw| {
        errors.push(Error::invalid(&controller, name, flaw.detail).with_origin("format=qualified-name"));
    });
    word("reportingInstance", &event.reporting_instance, errors);
    word("action", &event.action, errors);
    word("reason", &event.reason, errors);
    limit("message", &event.message, MAX_MESSAGE, errors);
}

fn word(field: &str, text: &str, errors: &mut Errors) {
    if text.is_empty() {
        errors.push(Error::required(&Path::new(field), ""));
    }
    limit(field, text, MAX_WORD, errors);
}

fn limit(field: &str, text: &str, limit: usize, errors: &mut Errors) {
    if text.len() > limit {
        errors.push(Error::invalid(&Path::new(field), "", format!("can have at most {limit} characters")));
    }
}

/// What the newer group asks of new events.
pub(crate) fn validate_strictly(event: &Event, errors: &mut Errors) {
    validate_series(event, errors);
    if event.event_time.is_zero() {
        errors.push(Error::required(&Path::new("eventTime"), ""));
    }
    if !matches!(event.kind.as_str(), "Normal" | "Warning") {
        errors.push(Error::invalid(&Path::new("type"), "", format!("has invalid value: {}", event.kind)));
    }
    let unset = [
        ("firstTimestamp", event.first_timestamp.is_zero()),
        ("lastTimestamp", event.last_timestamp.is_zero()),
        ("count", event.count == 0),
        ("source", event.source.component.is_empty() && event.source.host.is_empty()),
    ];
    for (field, _) in unset.into_iter().filter(|(_, unset)| !unset) {
        errors.push(Error::invalid(&Path::new(field), "", "needs to be unset"));
    }
}

fn validate_series(event: &Event, errors: &mut Errors) {
    let Some(series) = &event.series else { return };
    if series.count < 2 {
        errors.push(Error::invalid(&Path::new("series.count"), "", "should be at least 2"));
    }
    if series.last_observed_time.is_zero() {
        errors.push(Error::required(&Path::new("series.lastObservedTime"), ""));
    }
}

/// What the newer group lets change: the series and the metadata.
pub(crate) fn validate_change(new: &Event, old: &Event, errors: &mut Errors) {
    if new.series != old.series {
        validate_series(new, errors);
    }
    let mut keep = |field: &str, same: bool, value: &dyn Fn() -> BadValue| {
        if !same {
            errors.push(Error::invalid(&Path::new(field), value(), "field is immutable").with_origin("immutable"));
        }
    };
    let reference = |reference: &ObjectReference| BadValue::Json(go_reference(reference));
    let related = || new.related.as_ref().map_or(BadValue::Nil, reference);
    let source = || {
        let (component, host) = (go_json(&new.source.component), go_json(&new.source.host));
        BadValue::Json(format!(r#"{{"Component":{component},"Host":{host}}}"#))
    };
    keep("involvedObject", new.involved_object == old.involved_object, &|| reference(&new.involved_object));
    keep("reason", new.reason == old.reason, &|| new.reason.as_str().into());
    keep("message", new.message == old.message, &|| new.message.as_str().into());
    keep("source", new.source == old.source, &source);
    keep("firstTimestamp", new.first_timestamp == old.first_timestamp, &|| time(&new.first_timestamp));
    keep("lastTimestamp", new.last_timestamp == old.last_timestamp, &|| time(&new.last_timestamp));
    keep("count", new.count == old.count, &|| new.count.into());
    keep("reason", new.reason == old.reason, &|| new.reason.as_str().into());
    keep("type", new.kind == old.kind, &|| new.kind.as_str().into());
    keep("eventTime", new.event_time == old.event_time, &|| BadValue::Json(go_json(&new.event_time)));
    keep("action", new.action == old.action, &|| new.action.as_str().into());
    keep("related", new.related == old.related, &related);
    let (controller, instance) = (&new.reporting_controller, &new.reporting_instance);
    keep("reportingController", *controller == old.reporting_controller, &|| controller.as_str().into());
    keep("reportingInstance", *instance == old.reporting_instance, &|| instance.as_str().into());
}

fn time(time: &Time) -> BadValue {
    BadValue::Json(go_json(time))
}

/// A reference as Go prints the one that has no JSON names.
fn go_reference(reference: &ObjectReference) -> String {
    let members = [
        ("Kind", &reference.kind),
        ("Namespace", &reference.namespace),
        ("Name", &reference.name),
        ("UID", &reference.uid.0),
        ("APIVersion", &reference.api_version),
        ("ResourceVersion", &reference.resource_version),
        ("FieldPath", &reference.field_path),
    ];
    let members = members.map(|(name, value)| format!("\"{name}\":{}", go_json(value)));
    format!("{{{}}}", members.join(","))
}

/// Where a group keeps what columns show.
pub(crate) struct Names {
    object: &'static str,
    message: &'static str,
    source: &'static str,
    first: &'static str,
    last: &'static str,
    count: &'static str,
    controller: &'static str,
}

pub(crate) const CORE: Names = Names {
    object: "involvedObject",
    message: "message",
    source: "source",
    first: "firstTimestamp",
    last: "lastTimestamp",
    count: "count",
    controller: "reportingComponent",
};

pub(crate) const EVENTS: Names = Names {
    object: "regarding",
    message: "note",
    source: "deprecatedSource",
    first: "deprecatedFirstTimestamp",
    last: "deprecatedLastTimestamp",
    count: "deprecatedCount",
    controller: "reportingController",
};

/// The columns of tables, which have the name last.
pub(crate) fn columns(names: &'static Names) -> Vec<Column> {
    let field = |path: &'static [&'static str]| move |object: &Value| Value::from(string(object, path));
    let last_seen = move |object: &Value, now: Time| Value::from(age(names.last_seen(object), now));
    let first_seen = move |object: &Value, now: Time| Value::from(age(names.first_seen(object), now));
    vec![
        Column { description: "When it was last seen.".into(), ..Column::computed("Last Seen", last_seen) },
        text("Type", "Normal or Warning; there may be others one day.", field(&["type"])),
        text("Reason", "Why it happened, in one word for machines.", field(&["reason"])),
        text("Object", "The object it happened to.", |object| names.target(object).into()),
        wide(text("Subobject", "The part of the object it happened to.", |object| {
            string(object, &[names.object, "fieldPath"]).into()
        })),
        wide(text("Source", "Who tells it.", |object| names.source(object).into())),
        text("Message", "What happened, in a sentence for people.", |object| {
            string(object, &[names.message]).trim().into()
        }),
        wide(Column { description: "When it was first seen.".into(), ..Column::computed("First Seen", first_seen) }),
        wide(text("Count", "How often it was seen.", |object| names.count(object).into())),
        wide(Column { format: "name".into(), ..text("Name", "The name of the event.", field(&["metadata", "name"])) }),
    ]
}

impl Names {
    fn first_seen<'v>(&self, object: &'v Value) -> &'v str {
        match string(object, &[self.first]) {
            "" => string(object, &["eventTime"]),
            first => first,
        }
    }

    fn last_seen<'v>(&self, object: &'v Value) -> &'v str {
        match (object.get("series"), string(object, &[self.last])) {
            (Some(series), _) if !series.is_null() => string(series, &["lastObservedTime"]),
            (_, "") => self.first_seen(object),
            (_, last) => last,
        }
    }

    fn count(&self, object: &Value) -> i64 {
        let number = |value: &Value, member: &str| value.get(member).and_then(Value::as_i64).unwrap_or_default();
        match object.get("series") {
            Some(series) if !series.is_null() => number(series, "count"),
            _ => match number(object, self.count) {
                0 => 1,
                count => count,
            },
        }
    }

    fn target(&self, object: &Value) -> String {
        let kind = string(object, &[self.object, "kind"]).to_lowercase();
        match string(object, &[self.object, "name"]) {
            "" => kind,
            name => format!("{kind}/{name}"),
        }
    }

    fn source(&self, object: &Value) -> String {
        let first = |path: &[&str], other: &str| match string(object, path) {
            "" => string(object, &[other]).to_owned(),
            text => text.to_owned(),
        };
        let (component, host) =
            (first(&[self.source, "component"], self.controller), first(&[self.source, "host"], "reportingInstance"));
        if host.is_empty() { component } else { format!("{component}, {host}") }
    }
}

impl From<events_v1::Event> for Event {
    fn from(event: events_v1::Event) -> Event {
        Event {
            metadata: event.metadata,
            involved_object: event.regarding,
            reason: event.reason,
            message: event.note,
            source: event.deprecated_source,
            first_timestamp: event.deprecated_first_timestamp,
            last_timestamp: event.deprecated_last_timestamp,
            count: event.deprecated_count,
            kind: event.kind,
            event_time: event.event_time,
            series: event.series.map(|series| super::v1::EventSeries {
                count: series.count,
                last_observed_time: series.last_observed_time,
            }),
            action: event.action,
            related: event.related,
            reporting_controller: event.reporting_controller,
            reporting_instance: event.reporting_instance,
        }
    }
}
