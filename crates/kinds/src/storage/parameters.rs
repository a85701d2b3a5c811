//! Provisioner and parameters: the common parts of storage classes and volume attributes classes.

use sprag_field::{Error, Errors, Path};
use sprag_value::view::Map;

use crate::core::pod::validate_qualified_name;

/// Maximum number of parameters.
const MAX_PARAMETERS: usize = 512;

/// Maximum total bytes of the parameters.
const MAX_BYTES: usize = 256 * 1024;

/// As upstream's `validation.validateProvisioner`: case does not matter, and errors show the name in lower case.
pub(super) fn validate_provisioner(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        errors.push(Error::required(at, "").with_covered_by_declarative());
    } else {
        validate_qualified_name(&name.to_lowercase(), at, errors);
    }
}

/// As upstream's `validation.validateParameters`.
pub(super) fn validate_parameters(parameters: Map<'_, &str>, at: &Path<'_>, errors: &mut Errors) {
    if parameters.len() > MAX_PARAMETERS {
        return errors.push(Error::too_long(at, 512));
    }
    for key in parameters.keys().filter(|key| key.is_empty()) {
        errors.push(Error::invalid(at, key, "field can not be empty."));
    }
    if parameters.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>() > MAX_BYTES {
        errors.push(Error::too_long(at, 256 * 1024));
    }
}
