//! The practices by name.

/// A practice that every resource of a server follows, or has an exception from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Practice {
    /// The name, as exceptions give it.
    pub name: &'static str,
    /// The practice in one sentence.
    pub summary: &'static str,
}

macro_rules! practices {
    ($($constant:ident: $name:literal, $summary:literal;)*) => {
        $(pub(super) const $constant: Practice = Practice { name: $name, summary: $summary };)*

        /// All practices, sorted by name.
        pub const PRACTICES: &[Practice] = &[$($constant),*];
    };
}

practices! {
    CREATE_ON_UPDATE: "create-on-update", "an update of an object that does not exist is 404";
    DELETE_DEPENDENTS: "delete-dependents", "a delete that does not say otherwise does not orphan dependents";
    EXAMPLE: "example", "an object that the server takes can be made from the OpenAPI document, or is given as a seed";
    GATED_DROPPED: "gated-fields-dropped", "a field of a feature that is off is dropped from objects that do not use it";
    GATED_KEPT: "gated-fields-kept-in-use", "a field of a feature that is off stays in objects that use it";
    GENERATE_NAME: "generate-name", "an object without a name gets one that begins with generateName";
    GENERATED_CODE: "generated-code", "every version has the generated code of its type, and that is current";
    GENERATION_COUNTS: "generation-counts-spec", "an update increases the generation by one exactly when the spec changes";
    GENERATION_STARTS: "generation-starts-at-one", "a new object with a spec has generation 1";
    METADATA_ON_CREATE: "metadata-reset-on-create", "a new object cannot say what the server says: uid, times";
    METADATA_ON_STATUS: "metadata-reset-on-status-update", "an update of the status does not change the metadata";
    METADATA_ON_UPDATE: "metadata-reset-on-update", "an update cannot say what the server says: generation, times";
    OPENAPI: "openapi", "every version of every kind is in the OpenAPI documents, with its fields";
    ROUND_TRIP: "round-trip", "an object that is read in any version and written back is the same object";
    SPEC_ON_STATUS: "spec-reset-on-status-update", "an update of the status changes nothing but the status";
    STANDARD_STRATEGY: "standard-strategy", "at least five kinds have no strategy code of their own";
    STATUS_ON_CREATE: "status-wiped-on-create", "a new object cannot say its status";
    STATUS_ON_UPDATE: "status-wiped-on-update", "an update of the object does not change its status";
    UNCONDITIONAL_UPDATE: "unconditional-update", "an update may leave out the resource version";
    UNGATED_KEPT: "ungated-fields-kept", "a field that belongs to no feature is never dropped";
    WIPED_UNOWNED: "wiped-fields-unowned", "nobody owns a field that was wiped or reset from what they sent";
}

/// The practices about changes from one release to the next, which `sprag api diff` looks at; sorted by name.
pub const CHANGE_PRACTICES: &[Practice] = &[
    Practice { name: "new-field-gated", summary: "a new field of a released version belongs to a feature gate" },
    Practice { name: "new-rule-alpha", summary: "a new rule of a field that was there begins in alpha" },
    Practice { name: "nothing-removed", summary: "versions, types, fields and values stay" },
    Practice { name: "rule-promoted-by-one-stage", summary: "a rule goes up one stage in a release" },
    Practice { name: "type-unchanged", summary: "fields keep their type, and get no gate" },
];

impl Practice {
    /// True if it is about changes from one release to the next.
    pub(super) fn is_about_changes(self) -> bool {
        CHANGE_PRACTICES.contains(&self)
    }
}

/// The practice of a name; otherwise the names that may be meant.
pub(super) fn find(name: &str) -> Result<Practice, String> {
    let known = || PRACTICES.iter().chain(CHANGE_PRACTICES);
    if let Some(practice) = known().find(|practice| practice.name == name) {
        return Ok(*practice);
    }
    let near = |practice: &&Practice| strsim::jaro_winkler(name, practice.name) >= 0.8;
    let near: Vec<&str> = known().filter(near).map(|practice| practice.name).collect();
    let all = || known().map(|practice| practice.name).collect::<Vec<_>>();
    Err(match near.as_slice() {
        [] => format!("unknown practice {name:?}; there are {}", all().join(", ")),
        near => format!("unknown practice {name:?}; did you mean {}?", near.join(" or ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(PRACTICES.is_sorted_by(|a, b| a.name < b.name));
    }

    /// The page for authors lists all of them.
    #[test]
    fn the_page_lists_every_practice() {
        let page = include_str!("../../../../docs/api.md");
        for Practice { name, summary } in PRACTICES {
            assert!(page.contains(&format!("| `{name}` | {summary} |")), "{name}");
        }
    }

    #[test]
    fn unknown_names_are_refused_with_what_may_be_meant() {
        assert_eq!(find("openapi"), Ok(OPENAPI));
        let said = find("status-wiped-on-crete").unwrap_err();
        assert!(said.contains("did you mean") && said.contains("status-wiped-on-create"), "{said}");
        assert!(find("x").unwrap_err().contains("there are create-on-update, delete-dependents"));
    }
}
