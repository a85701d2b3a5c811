//! `additionalPrinterColumns`.

use sprag_field::{Error, Errors, Path};

use crate::crd::Column;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn validate(columns: &[Column], path: &Path<'_>, errors: &mut Errors) {
    for (index, column) in columns.iter().enumerate() {
        validate_column(column, &path.index(index), errors);
    }
}

fn validate_column(column: &Column, path: &Path<'_>, errors: &mut Errors) {
    if column.name.is_empty() {
        errors.push(Error::required(&path.child("name"), ""));
    }
    if column.ty.is_empty() {
        errors.push(Error::required(&path.child("type"), one_of(&TYPES)));
    } else if !TYPES.contains(&column.ty.as_str()) {
        errors.push(Error::invalid(&path.child("type"), column.ty.as_str(), one_of(&TYPES)));
    }
    if !column.format.is_empty() && !FORMATS.contains(&column.format.as_str()) {
        errors.push(Error::invalid(&path.child("format"), column.format.as_str(), one_of(&FORMATS)));
    }
    let at = path.child("JSONPath");
    if column.json_path.is_empty() {
        errors.push(Error::required(&at, ""));
    } else {
        json_path(&column.json_path, &at, errors);
    }
}

fn one_of(names: &[&str]) -> String {
    format!("must be one of {}", names.join(","))
}

/// A path in dot notation; nothing but its first character is looked at. Tells whether it passes.
pub(super) fn json_path(text: &str, path: &Path<'_>, errors: &mut Errors) -> bool {
    let passes = text.starts_with('.');
    if !passes {
        errors.push(Error::invalid(path, text, "must be a simple json path starting with ."));
    }
    passes
}
