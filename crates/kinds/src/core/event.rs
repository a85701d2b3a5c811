//! Events: two groups show the same objects, and the newer one is stricter.

use std::time::Duration;

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{
    Column, Cx, Definition, GarbageCollection, GroupResource, Release, Selectable, StrategyConfig, age, meta,
};
use sprag_value::view::View;
use sprag_value::{Time, Value};

use super::internal::{Field, Form, internal_value};
use crate::columns::{string, text, wide};
use crate::program::{self, same_field};
use crate::views::core_v1::Event;

/// The lifetime of events.
const LIFE: Duration = Duration::from_hours(1);

/// Maximum length of the parts of an event, in bytes.
const MAX_WORD: usize = 128;
const MAX_MESSAGE: usize = 1024;

/// The fields of the involved object that selectors may name.
pub(crate) const REFERENCE_FIELDS: [&str; 7] =
    ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/// The fields that the groups name differently: in the group without a name, and in `events.k8s.io`.
const RENAMED: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// `core.ObjectReference`.
const REFERENCE: &[Field] = &[
    ("Kind", "kind", Form::Text),
    ("Namespace", "namespace", Form::Text),
    ("Name", "name", Form::Text),
    ("UID", "uid", Form::Text),
    ("APIVersion", "apiVersion", Form::Text),
    ("ResourceVersion", "resourceVersion", Form::Text),
    ("FieldPath", "fieldPath", Form::Text),
];

/// `core.EventSource`.
const SOURCE: &[Field] = &[("Component", "component", Form::Text), ("Host", "host", Form::Text)];

/// The definition of `events` in the group without a name.
pub(crate) fn events(release: Release) -> Definition {
    let strategy = strategy()
        .validate(|cx, new, errors| {
            let of_metadata = errors.len();
            validate_first(cx, new, &cx.root(), errors);
            // The metadata counts only where nothing else is wrong.
            if errors.len() > of_metadata {
                errors.truncate(errors.len() - of_metadata);
            }
        })
        .validate_update(|cx, new, _, errors| validate(cx, new, &cx.root(), errors));
    let fields = REFERENCE_FIELDS.map(|field| Selectable::new(&format!("involvedObject.{field}")));
    let others = ["reason", "reportingComponent", "type"].map(Selectable::new);
    let source = Selectable::new("source.component").or("reportingComponent").named("source");
    let resource = program::resource(release, "", "v1", "Event").share_storage(place(), to_core);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["ev".to_owned()];
    // There are too many, and few are ever read.
    definition.is_cached = false;
    definition.versions[0].selectable = fields.into_iter().chain(others).chain([source]).collect();
    definition.versions[0].columns = columns(&CORE);
    definition
}

/// An event as the group without a name has it.
pub(crate) fn to_core(event: Value) -> Value {
    RENAMED.iter().fold(event, |event, (core, other)| renamed(event, other, core))
}

/// An event as `events.k8s.io` has it.
pub(crate) fn to_events(event: Value) -> Value {
    RENAMED.iter().fold(event, |event, (core, other)| renamed(event, core, other))
}

fn renamed(mut event: Value, from: &str, to: &str) -> Value {
    if let Some(value) = event.remove(from) {
        event.insert(to, value);
    }
    event
}

fn view(event: &Value) -> Event<'_> {
    View::view(Some(event))
}

/// Returns the resource under which both groups store events.
pub(crate) fn place() -> GroupResource {
    GroupResource::new("", "events")
}

/// Returns the common strategy of events in both groups.
pub(crate) fn strategy() -> StrategyConfig<Value> {
    StrategyConfig::new()
        .metadata_as_new([])
        .no_metadata_as_changed()
        .allow_create_on_update(true)
        .garbage_collection(GarbageCollection::Unsupported)
        .expires_in(LIFE)
        .without_generation()
}

/// The rules that hold in both groups, whose errors come before those that were found of the metadata.
pub(crate) fn validate_first(cx: &Cx<'_>, event: &Value, root: &At<'_>, errors: &mut Errors) {
    let of_metadata = errors.len();
    validate(cx, event, root, errors);
    errors.since_mut(0).rotate_left(of_metadata);
}

/// The rules that hold in both groups, of an event as the group without a name has it. The name of one field is that of the
/// group.
// As upstream's validation.ValidateEventCreate and ValidateEventUpdate: legacyValidateEvent comes first in both.
pub(crate) fn validate(cx: &Cx<'_>, event: &Value, root: &At<'_>, errors: &mut Errors) {
    let namespace = meta::namespace(event);
    let event = view(event);
    let involved = event.involved_object().namespace();
    let is_old = event.event_time().is_empty();
    let fits = match (is_old, involved) {
        (true, "") => matches!(namespace, "" | "default"),
        (true, involved) => namespace == involved,
        (false, "") => matches!(namespace, "default" | "kube-system"),
        (false, _) => true,
    };
    if !fits {
        let path = root.child("involvedObject");
        errors.push(Error::invalid(&path.child("namespace"), involved, "does not match event.namespace"));
    }
    if is_old {
        return;
    }
    let controller =
        root.child(if cx.definition.group().is_empty() { "reportingComponent" } else { "reportingController" });
    let name = event.reporting_controller();
    if name.is_empty() {
        errors.push(Error::required(&controller, ""));
    }
    Format::LabelKey.check(name, &mut |flaw| {
        errors.push(Error::invalid(&controller, name, flaw.detail).with_origin("format=qualified-name"));
    });
    event.check_reporting_instance(root, errors);
    limit("reportingInstance", event.reporting_instance(), MAX_WORD, errors);
    event.check_action(root, errors);
    limit("action", event.action(), MAX_WORD, errors);
    event.check_reason(root, errors);
    limit("reason", event.reason(), MAX_WORD, errors);
    limit("message", event.message(), MAX_MESSAGE, errors);
}

fn limit(field: &str, text: &str, limit: usize, errors: &mut Errors) {
    if text.len() > limit {
        errors.push(Error::invalid(&Path::new(field), "", format!("can have at most {limit} characters")));
    }
}

/// Validates new events by the additional rules of the newer group, as upstream's `validation.ValidateEventCreate`.
pub(crate) fn validate_strictly(event: &Value, errors: &mut Errors) {
    let event = view(event);
    validate_series(event, errors);
    if event.event_time().is_empty() {
        errors.push(Error::required(&Path::new("eventTime"), ""));
    }
    if !matches!(event.kind(), "Normal" | "Warning") {
        errors.push(Error::invalid(&Path::new("type"), "", format!("has invalid value: {}", event.kind())));
    }
    let source = event.source();
    let unset = [
        ("firstTimestamp", event.first_timestamp().is_empty()),
        ("lastTimestamp", event.last_timestamp().is_empty()),
        ("count", event.count() == 0),
        ("source", source.component().is_empty() && source.host().is_empty()),
    ];
    for (field, _) in unset.into_iter().filter(|(_, unset)| !unset) {
        errors.push(Error::invalid(&Path::new(field), "", "needs to be unset"));
    }
}

fn validate_series(event: Event<'_>, errors: &mut Errors) {
    let Some(series) = event.series() else { return };
    if series.count() < 2 {
        errors.push(Error::invalid(&Path::new("series.count"), "", "should be at least 2"));
    }
    if series.last_observed_time().is_empty() {
        errors.push(Error::required(&Path::new("series.lastObservedTime"), ""));
    }
}

/// The fields that the newer group lets nobody change, in upstream's order, with their forms.
const KEPT: [(&str, Form); 14] = [
    ("involvedObject", Form::Struct(REFERENCE)),
    ("reason", Form::Text),
    ("message", Form::Text),
    ("source", Form::Struct(SOURCE)),
    ("firstTimestamp", Form::Plain),
    ("lastTimestamp", Form::Plain),
    ("count", Form::Plain),
    ("reason", Form::Text),
    ("type", Form::Text),
    ("eventTime", Form::Plain),
    ("action", Form::Text),
    ("related", Form::Struct(REFERENCE)),
    ("reportingController", Form::Text),
    ("reportingInstance", Form::Text),
];

/// Validates updates by the rule of the newer group, as upstream's `validation.ValidateEventUpdate`: only the series and the
/// metadata may change. Both events are as the group without a name has them.
pub(crate) fn validate_change(new: &Value, old: &Value, errors: &mut Errors) {
    let ty = program::kind("", "v1", "Event");
    if !same_field(ty, "series", new, old) {
        validate_series(view(new), errors);
    }
    for (field, form) in KEPT {
        let member = if field == "reportingController" { "reportingComponent" } else { field };
        if same_field(ty, member, new, old) {
            continue;
        }
        let value = new.get(member);
        let shown = match (field, value) {
            ("count", value) => BadValue::from(value.and_then(Value::as_i64).unwrap_or_default()),
            (_, value) if matches!(form, Form::Text) => value.and_then(Value::as_str).unwrap_or_default().into(),
            (_, value) => internal_value(value, form),
        };
        errors.push(Error::invalid(&Path::new(field), shown, "field is immutable").with_origin("immutable"));
    }
}

/// The fields in which a group keeps the values of columns.
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
