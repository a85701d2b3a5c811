//! `metadata.managedFields`.

use std::fmt::{self, Write};

use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_release::Fact;
use sprag_value::Value;

use super::MAX_SHOWN_BYTES;
use super::read::items;

/// The bytes the name of a field manager may have.
const MAX_MANAGER: usize = 128;
/// The bytes the name of a subresource may have.
const MAX_SUBRESOURCE: usize = 256;

pub(super) fn validate(entries: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    for (index, entry) in items(entries).iter().enumerate() {
        validate_entry(entry, &path.index(index), errors);
    }
}

fn validate_entry(entry: &Value, path: &Path<'_>, errors: &mut Errors) {
    let at = path.child("operation");
    match entry.text("operation") {
        "Apply" | "Update" => {}
        other if errors.release().has(Fact::ManagedOperationsAreInvalid) => {
            errors.push(Error::invalid(&at, BadValue::json_str(other), "must be `Apply` or `Update`"));
        }
        "" => errors.push(Error::required(&at, "must not be empty").with_covered_by_declarative()),
        other => errors.push(
            Error::not_supported(&at, BadValue::json_str(other), &["Apply", "Update"]).with_covered_by_declarative(),
        ),
    }
    match entry.text("fieldsType") {
        "" | "FieldsV1" => {}
        other => errors.push(Error::invalid(&path.child("fieldsType"), other, "must be `FieldsV1`")),
    }
    field_manager(entry.text("manager"), &path.child("manager"), errors);
    if entry.text("subresource").len() > MAX_SUBRESOURCE {
        errors.push(Error::too_long(&path.child("subresource"), 256));
    }
}

/// The name of a field manager: not too long, and printable.
///
/// ```
/// use sprag_field::{Errors, Path};
///
/// let mut errors = Errors::new();
/// sprag_checks::object_meta::field_manager("a\u{7}", &Path::new("fieldManager"), &mut errors);
/// let text = errors.iter().next().unwrap().to_string();
/// assert_eq!(text, r#"fieldManager: Invalid value: "a\a": invalid character U+0007 (at position 1)"#);
/// ```
pub fn field_manager(name: &str, path: &Path<'_>, errors: &mut Errors) {
    if name.len() > MAX_MANAGER {
        errors.push(Error::too_long(path, 128));
    }
    let most = MAX_SHOWN_BYTES / name.len().max(1) + 1;
    for (position, c) in name.char_indices().filter(|(_, c)| !is_printable(*c)).take(most) {
        let detail = format!("invalid character U+{:04X} (at position {position})", u32::from(c));
        errors.push(Error::invalid(path, name, detail));
    }
}

/// True if Go takes the character for printable: then it stands for itself between quotes.
pub fn is_printable(c: char) -> bool {
    struct FindEscape(bool);
    impl Write for FindEscape {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 |= text.contains('\\');
            Ok(())
        }
    }
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    let mut escape = FindEscape(false);
    let quoted = write!(escape, "{}", quote::go(c.encode_utf8(&mut [0; 4])));
    quoted.is_ok() && !escape.0
}
