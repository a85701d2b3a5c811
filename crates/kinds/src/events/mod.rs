//! The group `events.k8s.io`.

pub mod v1;

use sprag_rest::{Definition, RestConfig, Selectable};

use crate::core::event::{self, EVENTS, REFERENCE_FIELDS};
use crate::core::v1 as core_v1;
use crate::meta::check_finalizers;
use v1::Event;

/// The kinds of this group.
pub(crate) fn definitions() -> Vec<Definition> {
    vec![events()]
}

/// The definition of `events`.
fn events() -> Definition {
    let strategy = event::strategy::<Event>()
        .validate(|cx, new, errors| {
            let new = core_v1::Event::from(new.clone());
            event::validate_first(cx, &new, errors);
            check_finalizers(&new.metadata, errors);
            event::validate_strictly(&new, errors);
        })
        .validate_update(|cx, new, old, errors| {
            let (new, old) = (core_v1::Event::from(new.clone()), core_v1::Event::from(old.clone()));
            event::validate(cx, &new, errors);
            check_finalizers(&new.metadata, errors);
            event::validate_change(&new, &old, errors);
        });
    let fields = REFERENCE_FIELDS.map(|field| Selectable::new(&format!("regarding.{field}")));
    let others = ["reason", "reportingController", "type"].map(Selectable::new);
    let definition = RestConfig::new("events.k8s.io", "v1", "events")
        .short_names(["ev"])
        .selectable_fields(fields.into_iter().chain(others))
        .columns(event::columns(&EVENTS))
        .share_storage(event::place(), |event: core_v1::Event| event.into())
        .strategy(strategy)
        .define();
    Definition { is_cached: false, ..definition }
}

impl From<core_v1::Event> for Event {
    fn from(event: core_v1::Event) -> Event {
        Event {
            metadata: event.metadata,
            event_time: event.event_time,
            series: event
                .series
                .map(|series| v1::EventSeries { count: series.count, last_observed_time: series.last_observed_time }),
            reporting_controller: event.reporting_controller,
            reporting_instance: event.reporting_instance,
            action: event.action,
            reason: event.reason,
            regarding: event.involved_object,
            related: event.related,
            note: event.message,
            kind: event.kind,
            deprecated_source: event.source,
            deprecated_first_timestamp: event.first_timestamp,
            deprecated_last_timestamp: event.last_timestamp,
            deprecated_count: event.count,
        }
    }
}
