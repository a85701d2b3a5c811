//! JSON schemas of custom resources on disk, read when the first object comes that needs one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use sprag_decode::json;
use sprag_rest::Release;

use crate::built_in::BuiltIn;
use crate::catalog::Definition;
use crate::definition::refusals;
use crate::document::Object;
use crate::files::SchemaLocation;
use crate::json_schema;
use crate::report::Identity;

/// Maximum number of kinds whose schemas are kept: names of kinds come from manifests.
const MAX_KINDS: usize = 20_000;

/// The schema of a kind as a definition; none if there is none; or why it cannot be used.
type Known = Result<Option<Arc<Definition>>, String>;

/// The places of schemas, and what was found there.
#[derive(Default)]
pub(crate) struct Schemas {
    locations: Vec<SchemaLocation>,
    known: Mutex<BTreeMap<(String, String, Release), Known>>,
}

impl Schemas {
    pub(crate) fn new(locations: Vec<SchemaLocation>) -> Schemas {
        Schemas { locations, known: Mutex::default() }
    }

    /// The schema of an object's kind, from the first place that has one.
    pub(crate) fn find(&self, identity: &Identity, built_in: &BuiltIn) -> Known {
        if self.locations.is_empty() {
            return Ok(None);
        }
        let key = (identity.api_version.clone(), identity.kind.clone(), built_in.release());
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&key) {
            return known.clone();
        }
        let found = self.read(identity, built_in);
        if known().len() < MAX_KINDS {
            known().insert(key, found.clone());
        }
        found
    }

    fn read(&self, identity: &Identity, built_in: &BuiltIn) -> Known {
        let release = built_in.release().to_string();
        let Some((file, bytes)) = self.locations.iter().find_map(|location| location.read(identity, &release)) else {
            return Ok(None);
        };
        let unusable = |reason: String| format!("the schema {file} cannot be used: {reason}");
        let bytes = bytes.map_err(|error| unusable(error.to_string()))?;
        let schema = json::decode(&bytes).map_err(|_| unusable("is not JSON".to_owned()))?;
        let source = json_schema::definition(schema, identity).map_err(unusable)?;
        let mut refusals = refusals(&Object::detached(source.clone()), built_in).into_iter().map(|(_, text)| text);
        // Catalogs lose some of the bounds that keep the costs of rules low.
        if let Some(text) = refusals.find(|text| !text.contains("estimated rule cost")) {
            return Err(unusable(text));
        }
        let definition =
            Definition::read(&source, &file.as_str().into()).map_err(|error| unusable(error.to_string()))?;
        Ok(Some(Arc::new(definition)))
    }
}
