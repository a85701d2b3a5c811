//! What types of several groups are made of.

mod label_selector;
pub mod v1;

use sprag_field::{Errors, Path};
use sprag_registry::ObjectMeta;
use sprag_validate::object_meta::standard_finalizer;

pub(crate) use self::label_selector::{has_bad_values, validate};

/// Refuses finalizers that are neither qualified nor known.
pub(crate) fn check_finalizers(metadata: &ObjectMeta, errors: &mut Errors) {
    let parent = Path::new("metadata");
    let path = parent.child("finalizers");
    for (at, name) in metadata.finalizers.iter().enumerate() {
        standard_finalizer(name, &path.index(at), errors);
    }
}
