//! What config maps and secrets have in common: keys that can be file names, a limit on the whole, a lock.

use sprag_field::{Error, Errors, Path};
use sprag_value::Value;

/// How many bytes the values of a config map or secret may have altogether.
const MAX_BYTES: i64 = 1024 * 1024;

/// How long a key may be.
const MAX_KEY_BYTES: usize = 253;

const NOT_A_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  \
    or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/// Makes values that are null no bytes, which is what they are once they have been stored.
pub(crate) fn set_bytes(object: &mut Value, bag: &str) {
    let has_null = |bag: &Value| bag.as_object().is_some_and(|bag| bag.values().any(Value::is_null));
    if !object.get(bag).is_some_and(has_null) {
        return;
    }
    if let Some(Value::Object(bag)) = object.get_mut(bag) {
        for (_, value) in bag.iter_mut().filter(|(_, value)| value.is_null()) {
            *value = "".into();
        }
    }
}

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
