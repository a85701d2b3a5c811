//! The group `events.k8s.io`.

#[cfg(feature = "types")]
pub mod v1;

use sprag_rest::{Definition, Release, Selectable};

use crate::core::event::{self, EVENTS, REFERENCE_FIELDS, to_core, to_events};
use crate::meta::validate_finalizers;
use crate::program;

/// The kinds of this group.
pub(crate) fn definitions(release: Release) -> Vec<Definition> {
    vec![events(release)]
}

/// The definition of `events`.
fn events(release: Release) -> Definition {
    let strategy = event::strategy()
        .validate(|cx, new, errors| {
            let new = to_core(new.clone());
            event::validate_first(cx, &new, &cx.root(), errors);
            validate_finalizers(&new, errors);
            event::validate_strictly(&new, errors);
        })
        .validate_update(|cx, new, old, errors| {
            let new = to_core(new.clone());
            let old = to_core(old.clone());
            event::validate(cx, &new, &cx.root(), errors);
            validate_finalizers(&new, errors);
            event::validate_change(&new, &old, errors);
        });
    let fields = REFERENCE_FIELDS.map(|field| Selectable::new(&format!("regarding.{field}")));
    let others = ["reason", "reportingController", "type"].map(Selectable::new);
    let resource = program::resource(release, "events.k8s.io", "v1", "Event").share_storage(event::place(), to_events);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["ev".to_owned()];
    definition.is_cached = false;
    definition.versions[0].selectable = fields.into_iter().chain(others).collect();
    definition.versions[0].columns = event::columns(&EVENTS);
    definition
}
