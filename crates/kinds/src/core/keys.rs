//! The common rules of config maps and secrets: keys that can be file names, a limit on the total size, immutability.

use sprag_field::{Error, Errors, Path};

/// Maximum total bytes of the values of a config map or secret.
const MAX_BYTES: i64 = 1024 * 1024;

/// Refuses more bytes than fit.
pub(crate) fn check_size(path: &Path<'_>, lengths: impl Iterator<Item = usize>, errors: &mut Errors) {
    if i64::try_from(lengths.sum::<usize>()).is_ok_and(|bytes| bytes <= MAX_BYTES) {
        return;
    }
    errors.push(Error::too_long(path, MAX_BYTES));
}

/// Refuses the change of a field of an object that is locked.
pub(crate) fn check_locked(unchanged: bool, field: &str, errors: &mut Errors) {
    if !unchanged {
        errors.push(Error::forbidden(&Path::new(field), "field is immutable when `immutable` is set"));
    }
}
