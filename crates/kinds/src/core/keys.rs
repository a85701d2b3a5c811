//! What config maps and secrets have in common: keys that can be file names, a limit on the whole, a lock.

use sprag_field::{Error, Errors, Path};

/// How many bytes the values of a config map or secret may have altogether.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;

/// How long a key may be.
const MAX_KEY_BYTES: usize = 253;

const NOT_A_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  \
    or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/// Refuses a key that cannot be a file name.
pub(crate) fn check_key(key: &str, bag: &Path<'_>, errors: &mut Errors) {
    let mut report = |detail: String| errors.push(Error::invalid(&bag.key(key), key, detail));
    if key.len() > MAX_KEY_BYTES {
        report(format!("must be no more than {MAX_KEY_BYTES} characters"));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if key.is_empty() || !key.bytes().all(fits) {
        report(NOT_A_KEY.to_owned());
    }
    if key == "." || key == ".." {
        report(format!("must not be '{key}'"));
    } else if key.starts_with("..") {
        report("must not start with '..'".to_owned());
    }
}

/// Refuses more bytes than fit.
pub(crate) fn check_size(path: &Path<'_>, lengths: impl Iterator<Item = usize>, errors: &mut Errors) {
    if lengths.sum::<usize>() > MAX_BYTES {
        errors.push(Error::too_long(path, MAX_BYTES as i64));
    }
}

/// Refuses the change of a field of an object that is locked.
pub(crate) fn check_locked(unchanged: bool, field: &str, errors: &mut Errors) {
    if !unchanged {
        errors.push(Error::forbidden(&Path::new(field), "field is immutable when `immutable` is set"));
    }
}
