//! One validation error and its rendering.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use crate::quote;
use crate::{BadValue, ErrorKind, Path};

/// The maturity of the rule behind an error, least first; policy decides what that means for the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Only observed.
    Alpha,
    /// Enforced unless switched off.
    Beta,
    /// No prefix: enforced.
    #[default]
    Stable,
}

impl Stage {
    /// The name upstream prints for the stage; a rule without a prefix is `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Stable => "unknown",
            Stage::Alpha => "alpha",
            Stage::Beta => "beta",
        }
    }
}

/// The source of an error: hand-written code or a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A rule from a tag or schema.
    #[default]
    Declarative,
    /// Code written by the author of the API.
    HandWritten,
    /// A rule from a tag that such code called: it counts as hand-written.
    Called,
}

/// One thing wrong with one field.
///
/// `Display` renders the message Kubernetes would print: `<field>: <kind>[: <value>][: <detail>]`.
///
/// ```
/// use sprag_field::{Error, Path};
///
/// let path = Path::new("spec");
/// let error = Error::required(&path.child("name"), "");
/// assert_eq!(error.to_string(), "spec.name: Required value");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The kind of error.
    pub kind: ErrorKind,
    /// The field, as a rendered [`Path`].
    pub field: String,
    /// The offending value.
    pub value: BadValue,
    /// The explanation; may be empty.
    pub detail: Cow<'static, str>,
    /// The rule that found it, independent of wording; may be empty.
    pub origin: Cow<'static, str>,
    /// The maturity of that rule.
    pub stage: Stage,
    /// True if the rule stops further checks of the field.
    pub short_circuit: bool,
    /// The source of the error.
    pub source: Source,
    /// For a hand-written error: whether a declarative rule is meant to find the same.
    pub covered_by_declarative: bool,
    /// For a declarative error: whether its rule never had a hand-written counterpart (`declarativeValidationNative`).
    pub native: bool,
    /// For an error that ratcheting forgave in a custom resource: the part that has to stay as it is.
    pub forgiven_while_unchanged: Option<Box<UnchangedPart>>,
}

/// A part of an object that an update leaves as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnchangedPart {
    /// Its path, empty for the whole object.
    pub path: String,
}

impl Error {
    /// An error of any kind.
    pub fn new(
        kind: ErrorKind,
        path: &Path<'_>,
        value: impl Into<BadValue>,
        detail: impl Into<Cow<'static, str>>,
    ) -> Error {
        Error {
            kind,
            field: path.to_string(),
            value: value.into(),
            detail: detail.into(),
            origin: Cow::Borrowed(""),
            stage: Stage::Stable,
            short_circuit: false,
            source: Source::Declarative,
            covered_by_declarative: false,
            native: false,
            forgiven_while_unchanged: None,
        }
    }

    /// Something the value refers to does not exist.
    pub fn not_found(path: &Path<'_>, value: impl Into<BadValue>) -> Error {
        Error::new(ErrorKind::NotFound, path, value, "")
    }

    /// A value is missing.
    pub fn required(path: &Path<'_>, detail: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Required, path, "", detail)
    }

    /// A value that must be unique occurs again.
    pub fn duplicate(path: &Path<'_>, value: impl Into<BadValue>) -> Error {
        Error::new(ErrorKind::Duplicate, path, value, "")
    }

    /// A value is malformed or out of bounds.
    pub fn invalid(path: &Path<'_>, value: impl Into<BadValue>, detail: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Invalid, path, value, detail)
    }

    /// A value does not have the type its schema asks for.
    pub fn type_invalid(path: &Path<'_>, value: impl Into<BadValue>, detail: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::TypeInvalid, path, value, detail)
    }

    /// A value is not one of `supported`, which are listed in the given order.
    ///
    /// ```
    /// use sprag_field::{Error, Path};
    ///
    /// let error = Error::not_supported(&Path::new("mode"), "c", &["a", "b"]);
    /// assert_eq!(error.to_string(), r#"mode: Unsupported value: "c": supported values: "a", "b""#);
    /// ```
    pub fn not_supported(path: &Path<'_>, value: impl Into<BadValue>, supported: &[impl AsRef<str>]) -> Error {
        Error::new(ErrorKind::NotSupported, path, value, supported_values(supported))
    }

    /// A value is well-formed and not permitted here.
    pub fn forbidden(path: &Path<'_>, detail: impl Into<Cow<'static, str>>) -> Error {
        Error::new(ErrorKind::Forbidden, path, "", detail)
    }

    /// A text has more than `max` bytes; a negative `max` leaves the number out.
    pub fn too_long(path: &Path<'_>, max: i64) -> Error {
        Error::new(ErrorKind::TooLong, path, OMITTED, at_most(max, "byte"))
    }

    /// A text has more than `max` characters; a negative `max` leaves the number out.
    pub fn too_long_characters(path: &Path<'_>, max: i64) -> Error {
        Error::new(ErrorKind::TooLong, path, OMITTED, at_most(max, "character"))
    }

    /// A text has fewer than `min` characters; a negative `min` leaves the number out.
    pub fn too_short(path: &Path<'_>, value: impl Into<BadValue>, min: i64) -> Error {
        let detail = counted(min, "must be at least", "character").unwrap_or("value is too short".into());
        Error::new(ErrorKind::TooShort, path, value, detail)
    }

    /// A list or map has more than `max` entries; negative numbers are left out.
    pub fn too_many(path: &Path<'_>, actual: i64, max: i64) -> Error {
        let detail = counted(max, "must have at most", "item").unwrap_or("has too many items".into());
        let value = if actual < 0 { BadValue::Omitted } else { BadValue::Int(actual) };
        Error::new(ErrorKind::TooMany, path, value, detail)
    }

    /// A list or map has fewer than `min` entries; a negative `min` is left out.
    pub fn too_few(path: &Path<'_>, actual: i64, min: i64) -> Error {
        let detail = counted(min, "must have at least", "item").unwrap_or("has too few items".into());
        Error::new(ErrorKind::TooFew, path, actual, detail)
    }

    /// Something failed that the user did not cause.
    pub fn internal(path: &Path<'_>, failure: impl fmt::Display) -> Error {
        let text = failure.to_string();
        Error::new(ErrorKind::Internal, path, BadValue::Internal(text.clone()), text)
    }

    /// Stands for errors that are not listed: there are too many.
    pub fn left_out(count: usize) -> Error {
        let detail = format!("{count} more errors were left out");
        let origin = Cow::Borrowed(LEFT_OUT);
        Error { origin, ..Error::new(ErrorKind::TooMany, &Path::ROOT, BadValue::Omitted, detail) }
    }

    /// Returns the number of unlisted errors that it stands for.
    pub(crate) fn count_left_out(&self) -> Option<usize> {
        (self.origin == LEFT_OUT).then(|| self.detail.split(' ').next()?.parse().ok()).flatten()
    }

    /// Cuts texts that are too long to be read.
    pub(crate) fn cut(&mut self) {
        cut(&mut self.field);
        if let BadValue::Str(text) | BadValue::Json(text) | BadValue::Go(text) | BadValue::Internal(text) =
            &mut self.value
        {
            cut(text);
        }
        if self.detail.len() > MAX_TEXT {
            cut(self.detail.to_mut());
        }
    }

    /// The bytes of its texts.
    pub(crate) fn bytes(&self) -> usize {
        let value = match &self.value {
            BadValue::Str(text) | BadValue::Json(text) | BadValue::Go(text) | BadValue::Internal(text) => text.len(),
            _ => 0,
        };
        self.field.len() + value + self.detail.len()
    }

    /// The same as one that ratcheting forgave: this part of the object has to stay as it is.
    #[must_use]
    pub fn forgiven_while_unchanged(mut self, path: impl Into<String>) -> Error {
        self.forgiven_while_unchanged = Some(Box::new(UnchangedPart { path: path.into() }));
        self
    }

    /// Names the rule that found the error.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<Cow<'static, str>>) -> Error {
        self.origin = origin.into();
        self
    }

    /// Stamps the maturity of the rule.
    #[must_use]
    pub fn with_stage(mut self, stage: Stage) -> Error {
        self.stage = stage;
        self
    }

    /// Says who found the error.
    #[must_use]
    pub fn with_source(mut self, source: Source) -> Error {
        self.source = source;
        self
    }

    /// Marks the error as one that stops further checks of its field.
    #[must_use]
    pub fn with_short_circuit(mut self) -> Error {
        self.short_circuit = true;
        self
    }

    /// Marks a hand-written error as one that a declarative rule is meant to find too.
    #[must_use]
    pub fn with_covered_by_declarative(mut self) -> Error {
        self.covered_by_declarative = true;
        self
    }

    /// The message without the field, as status causes carry it.
    pub fn body(&self) -> Body<'_> {
        Body(self)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

impl std::error::Error for Error {}

/// An error's message without its field; see [`Error::body`].
#[derive(Clone, Copy, Debug)]
pub struct Body<'a>(&'a Error);

impl fmt::Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Body(error) = self;
        f.write_str(error.kind.text())?;
        if error.kind.shows_value() && error.value != BadValue::Omitted {
            write!(f, ": {}", error.value)?;
        }
        if !error.detail.is_empty() {
            write!(f, ": {}", error.detail)?;
        }
        Ok(())
    }
}

/// The origin of the error that stands for errors that are not listed.
const LEFT_OUT: &str = "left out";
/// Longer texts are cut: values, paths and details.
pub const MAX_TEXT: usize = 32 << 10;

/// The room kept when a text is cut, for the note that is added.
const ROOM: usize = 48;

/// Cuts a text that is too long to be read, and says so.
///
/// ```
/// let mut text = "x".repeat(1_000_000);
/// sprag_field::cut(&mut text);
/// assert!(text.len() <= sprag_field::MAX_TEXT);
/// assert!(text.ends_with("x… (967280 bytes left out)"));
/// ```
pub fn cut(text: &mut String) {
    if text.len() > MAX_TEXT {
        let end = text.floor_char_boundary(MAX_TEXT - ROOM);
        let left_out = text.len() - end;
        text.truncate(end);
        let _ = write!(text, "… ({left_out} bytes left out)");
        text.shrink_to_fit();
    }
}

/// Upstream's placeholder for a value that is too long to keep.
const OMITTED: &str = "<value omitted>";

fn at_most(max: i64, unit: &str) -> Cow<'static, str> {
    counted(max, "may not be more than", unit).unwrap_or("value is too long".into())
}

fn counted(limit: i64, phrase: &str, unit: &str) -> Option<Cow<'static, str>> {
    let plural = if limit == 1 { "" } else { "s" };
    (limit >= 0).then(|| format!("{phrase} {limit} {unit}{plural}").into())
}

fn supported_values(supported: &[impl AsRef<str>]) -> String {
    let mut detail = String::new();
    for value in supported {
        detail.push_str(if detail.is_empty() { "supported values: " } else { ", " });
        quote::push_go(&mut detail, value.as_ref());
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: &Error, expected: &str) {
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn every_constructor_renders_like_upstream() {
        let path = Path::new("f");
        check(&Error::not_found(&path, "v"), r#"f: Not found: "v""#);
        check(&Error::required(&path, ""), "f: Required value");
        check(&Error::required(&path, "why"), "f: Required value: why");
        check(&Error::duplicate(&path, 3_i64), "f: Duplicate value: 3");
        check(
            &Error::invalid(&path, BadValue::Nil, "field is immutable"),
            "f: Invalid value: null: field is immutable",
        );
        check(&Error::type_invalid(&path, "v", "bad type"), r#"f: Invalid value: "v": bad type"#);
        check(&Error::forbidden(&path, ""), "f: Forbidden");
        check(&Error::internal(&path, "broken"), "f: Internal error: broken");
        check(&Error::internal(&Path::ROOT, "broken"), "<nil>: Internal error: broken");
        check(&Error::not_supported(&path, "v", &[] as &[&str]), r#"f: Unsupported value: "v""#);
        check(&Error::not_supported(&path, "v", &["b\n"]), r#"f: Unsupported value: "v": supported values: "b\n""#);
    }

    #[test]
    fn limits_use_the_singular_for_one() {
        let path = Path::new("f");
        check(&Error::too_long(&path, 1), "f: Too long: may not be more than 1 byte");
        check(&Error::too_long(&path, 0), "f: Too long: may not be more than 0 bytes");
        check(&Error::too_long_characters(&path, 2), "f: Too long: may not be more than 2 characters");
        check(&Error::too_short(&path, "x", 1), "f: Too short: must be at least 1 character");
        check(&Error::too_many(&path, 3, 1), "f: Too many: 3: must have at most 1 item");
        check(&Error::too_few(&path, 0, 2), "f: Too few: 0: must have at least 2 items");
    }

    #[test]
    fn negative_limits_are_left_out() {
        let path = Path::new("f");
        check(&Error::too_long(&path, -1), "f: Too long: value is too long");
        check(&Error::too_short(&path, "x", -1), "f: Too short: value is too short");
        check(&Error::too_many(&path, -1, -1), "f: Too many: has too many items");
        check(&Error::too_few(&path, 3, -1), "f: Too few: 3: has too few items");
    }

    #[test]
    fn marks_are_kept() {
        let error = Error::required(&Path::new("f"), "")
            .with_origin("o")
            .with_stage(Stage::Beta)
            .with_source(Source::HandWritten)
            .with_short_circuit()
            .with_covered_by_declarative();
        assert_eq!((error.origin.as_ref(), error.stage, error.source), ("o", Stage::Beta, Source::HandWritten));
        assert!(error.short_circuit && error.covered_by_declarative);
    }
}
