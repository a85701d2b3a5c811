//! Objects of a definition in other versions, and stored objects in their present form.

use sprag_decode::typed::Unprinted;
use sprag_value::Value;

use crate::definition::Definition;
use crate::error::{ApiError, PANICKED, Result};
use crate::meta;
use crate::names::split_api_version;
use crate::strategy::NotConverted;

impl Definition {
    /// The object in another version.
    pub fn convert(&self, object: Value, from: &str, to: &str) -> Result<Value> {
        if from == to {
            return Ok(object);
        }
        let converted = self.scheme.convert(object, from, to);
        let mut object = converted.map_err(|error| self.conversion_error(error))?;
        object.insert("apiVersion", self.api_version(to));
        object.insert("kind", self.kind.as_str());
        Ok(object)
    }

    /// Objects in another version, all at once.
    pub fn convert_all(
        &self,
        objects: Vec<Value>,
        from: &str,
        to: &str,
    ) -> std::result::Result<Vec<Value>, NotConverted<ApiError>> {
        if from == to {
            return Ok(objects);
        }
        self.scheme.convert_all(objects, from, to).map_err(|NotConverted { error, is_unreachable }| NotConverted {
            error: self.conversion_error(error),
            is_unreachable,
        })
    }

    /// True if a webhook converts objects between two versions, which takes time and can fail.
    pub fn converts_remotely(&self, from: &str, to: &str) -> bool {
        from != to && self.scheme.converts_remotely()
    }

    /// An object in the storage version in another, as upstream's storage reads it; its errors say which object it is.
    pub fn convert_stored(&self, object: Value, to: &str, revision: u64) -> Result<Value> {
        let namespace = meta::namespace(&object).to_owned();
        let name = meta::name(&object).to_owned();
        let converted = self.convert(object, &self.storage_version, to);
        if !self.converts_remotely(&self.storage_version, to) {
            return converted;
        }
        converted.map_err(|error| ApiError::internal(self.corrupt("", &namespace, &name, revision, &error)))
    }

    /// Upstream's storage error for an object that cannot be converted.
    pub fn corrupt(&self, root: &str, namespace: &str, name: &str, revision: u64, error: &ApiError) -> String {
        let namespace = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        format!(
            "StorageError: corrupt object, Code: 7, Key: {root}/{}/{namespace}{name}, ResourceVersion: 0, \
             AdditionalErrorMsg: object not decodable revision={revision}: {error}",
            self.storage_prefix
        )
    }

    // Upstream passes errors of conversion webhooks on as they are.
    fn conversion_error(&self, error: String) -> ApiError {
        if self.scheme.converts_remotely() && error != PANICKED {
            return ApiError::unknown(error);
        }
        self.scheme_error(&error, "converting")
    }

    /// Sets the defaults of an object that was sent in a version.
    pub fn complete(&self, version: &str, object: &mut Value) -> Result<()> {
        // As upstream's patchers, which pass errors of conversions on.
        let refuse = |error: String| if error == PANICKED { ApiError::panicked() } else { ApiError::unknown(error) };
        self.scheme.complete(version, object).map_err(refuse)
    }

    /// Sets the defaults of an object that was read in a version. Values that are not printed are there if defaults depend on
    /// them.
    pub(crate) fn complete_read(&self, version: &str, object: &mut Value, unprinted: &[Unprinted]) -> Result<()> {
        if unprinted.is_empty() || !self.scheme.completes_by_empty_lists() {
            return self.complete(version, object);
        }
        for value in unprinted {
            value.restore(object);
        }
        self.complete(version, object)?;
        for value in unprinted {
            value.print(object);
        }
        Ok(())
    }

    /// Brings an object from the store into the form it has under the present rules of its version.
    pub fn complete_stored(&self, version: &str, object: &mut Value) -> Result<()> {
        self.scheme.complete_stored(version, object).map_err(|error| self.scheme_error(&error, "completing"))
    }

    /// True if [`Definition::complete_stored`] would leave an object of the storage version as it is.
    pub fn is_complete(&self, object: &Value) -> bool {
        let mut completed = object.clone();
        self.complete_stored(&self.storage_version, &mut completed).is_ok() && completed == *object
    }

    /// A stored object, of whatever version, as an object of the present storage version.
    pub fn present(&self, mut object: Value) -> Result<Value> {
        let stored_as = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let (group, version) = split_api_version(stored_as);
        let version = version.to_owned();
        if self.scheme.stored_as().is_some() && group != self.group() {
            object = self.adopt(object)?;
        } else if version != self.storage_version && self.version(&version).is_some() {
            self.complete_stored(&version, &mut object)?;
            object = self.convert(object, &version, &self.storage_version)?;
        } else {
            self.complete_stored(&self.storage_version, &mut object)?;
        }
        Ok(object)
    }

    /// An object that was written through another resource with the same place in the store.
    fn adopt(&self, object: Value) -> Result<Value> {
        let mut object = self.scheme.adopt(object).map_err(|error| self.scheme_error(&error, "converting"))?;
        object.insert("apiVersion", self.api_version(&self.storage_version));
        Ok(object)
    }

    fn scheme_error(&self, error: &str, action: &str) -> ApiError {
        if error == PANICKED {
            return ApiError::panicked();
        }
        ApiError::internal(format_args!("{action} {}: {error}", self.kind))
    }
}
