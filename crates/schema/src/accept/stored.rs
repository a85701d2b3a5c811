//! `status.storedVersions`.

use std::collections::BTreeMap;

use sprag_field::{Error, Errors, Path};

use crate::crd::{Crd, show};

pub(super) fn validate(crd: &Crd, path: &Path<'_>, errors: &mut Errors) {
    let stored = crd.status.stored_versions.as_deref().unwrap_or_default();
    if stored.is_empty() {
        let shown = show::bad_value(&crd.status.stored_versions, "[]string", errors.release());
        let detail = "must have at least one stored version";
        return errors.push(Error::invalid(path, shown, detail));
    }
    let mut missing: BTreeMap<&str, usize> =
        stored.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    for version in &crd.versions {
        if missing.remove(version.name.as_str()).is_none() && version.storage {
            let detail = format!("must have the storage version {}", version.name);
            errors.push(Error::invalid(path, show::bad_value(stored, "[]string", errors.release()), detail));
        }
    }
    for (name, index) in missing {
        let detail = format!(
            "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions \
             until a storage migration ensures no data remains persisted in {name} and removes {name} from \
             status.storedVersions"
        );
        errors.push(Error::invalid(&path.index(index), name, detail));
    }
}
