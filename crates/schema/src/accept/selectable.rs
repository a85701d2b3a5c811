//! `selectableFields`.

use std::collections::HashSet;

use sprag_field::{Error, Errors, Path};
use sprag_value::Text;

use super::options::MAX_SELECTABLE_FIELDS;
use super::unsupported;
use crate::field_path::{self, Brackets};
use crate::props::Props;

/// Checks the fields at `path` against the schema of `parent`.
pub(super) fn validate(
    fields: &[Text],
    props: &Props,
    may_be_many: bool,
    parent: &Path<'_>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let unsupported = unsupported::find(props);
    if let Some(unsupported) = unsupported {
        errors.push(Error::invalid(&parent.child("schema.openAPIV3Schema"), "", unsupported));
    }
    let props = Some(props).filter(|_| unsupported.is_none());
    let mut unique = HashSet::new();
    for (index, field) in fields.iter().enumerate() {
        let item = path.index(index);
        let at = item.child("jsonPath");
        if field.is_empty() {
            errors.push(Error::required(&at, ""));
            continue;
        }
        let mut refuse = |detail: String| errors.push(Error::invalid(&at, field.as_str(), detail));
        let found = match field_path::resolve(field, props, Brackets::Refused) {
            Ok(found) => found,
            Err(why) => {
                refuse(format!("is an invalid path: {why}"));
                continue;
            }
        };
        if found.first() == Some("metadata") {
            refuse("must not point to fields in metadata".to_owned());
        }
        if !found.schema.is_some_and(|schema| matches!(schema.ty.as_str(), "string" | "boolean" | "integer")) {
            refuse(
                "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                 formats are allowed."
                    .to_owned(),
            );
        }
        if !unique.insert(found.to_string()) {
            errors.push(Error::duplicate(&at, field.as_str()));
        }
    }
    if unique.len() > MAX_SELECTABLE_FIELDS && !may_be_many {
        let actual = signed(unique.len());
        let most = signed(MAX_SELECTABLE_FIELDS);
        errors.push(Error::too_many(path, actual, most));
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
