//! The precondition of a write on the object's resource version.

use sprag_field::{Error, Path};
use sprag_value::Value;

use super::Write;
use crate::error::{ApiError, Result};
use crate::meta;

/// Upstream's text about a write that lost a race.
pub const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

impl Write<'_> {
    /// Refuses an update of another state than the stored one, and one that does not say which state it is about where it has
    /// to.
    // As upstream's registry.Store.Update.
    pub(super) fn check_resource_version(&self, new: &mut Value, old: &Value, unconditional: bool) -> Result<()> {
        let resource = &self.definition().resource;
        let name = self.request.name;
        match meta::resource_version(new)? {
            0 if unconditional => meta::copy(new, old, "resourceVersion"),
            0 => {
                let path = Path::new("metadata");
                let error = Error::invalid(&path.child("resourceVersion"), 0_i64, "must be specified for an update");
                return Err(ApiError::invalid(&resource.resource, &resource.group, name, &[error]));
            }
            given if given != meta::resource_version(old)? => {
                return Err(ApiError::conflict(resource, name, MODIFIED));
            }
            _ => {}
        }
        Ok(())
    }
}
