//! `metadata` of a resource in its canonical form.

use sprag_decode::typed::Misfit;
use sprag_decode::{Finding, metadata};
use sprag_value::Value;

/// The treatment of metadata of the wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// It is an error, as in a request.
    Refused,
    /// It is dropped member by member, as in storage.
    Dropped,
}

/// Metadata in canonical form.
pub(crate) struct Coerced {
    pub(crate) metadata: Value,
    /// Members that metadata does not have, as paths below it, in order.
    pub(crate) unknown: Vec<String>,
}

/// Reads metadata into its type and prints it again; the error is Go's, with a path below the metadata.
pub(crate) fn coerce(found: &Value, malformed: Malformed) -> Result<Coerced, Misfit> {
    let decoded = match malformed {
        Malformed::Refused => metadata::coerce(found)?,
        Malformed::Dropped => {
            metadata::coerce_stored(found).map_err(|error| Misfit { text: error.to_string(), path: String::new() })?
        }
    };
    let unknown = decoded.findings.iter().filter_map(Finding::path).map(str::to_owned).collect();
    Ok(Coerced { metadata: decoded.value, unknown })
}
