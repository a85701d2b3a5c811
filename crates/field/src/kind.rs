//! The kinds of validation error Kubernetes knows.

use std::fmt;

/// The machine-readable kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Something the value refers to does not exist.
    NotFound,
    /// A value is missing.
    Required,
    /// A value that must be unique occurs again.
    Duplicate,
    /// A value is malformed or out of bounds.
    Invalid,
    /// A value is not one of an enumeration.
    NotSupported,
    /// A value is well-formed and not permitted here.
    Forbidden,
    /// A text has too many characters or bytes.
    TooLong,
    /// A text has too few characters.
    TooShort,
    /// A list or map has too many entries.
    TooMany,
    /// A list or map has too few entries.
    TooFew,
    /// A value does not have the type its schema asks for.
    TypeInvalid,
    /// The failure is not the user's.
    Internal,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::Required,
        ErrorKind::Duplicate,
        ErrorKind::Invalid,
        ErrorKind::NotSupported,
        ErrorKind::Forbidden,
        ErrorKind::TooLong,
        ErrorKind::TooShort,
        ErrorKind::TooMany,
        ErrorKind::TooFew,
        ErrorKind::TypeInvalid,
        ErrorKind::Internal,
    ];

    /// The name on the wire, the `reason` of a status cause.
    pub const fn reason(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "FieldValueNotFound",
            ErrorKind::Required => "FieldValueRequired",
            ErrorKind::Duplicate => "FieldValueDuplicate",
            ErrorKind::Invalid => "FieldValueInvalid",
            ErrorKind::NotSupported => "FieldValueNotSupported",
            ErrorKind::Forbidden => "FieldValueForbidden",
            ErrorKind::TooLong => "FieldValueTooLong",
            ErrorKind::TooShort => "FieldValueTooShort",
            ErrorKind::TooMany => "FieldValueTooMany",
            ErrorKind::TooFew => "FieldValueTooFew",
            ErrorKind::TypeInvalid => "FieldValueTypeInvalid",
            ErrorKind::Internal => "InternalError",
        }
    }

    /// The kind whose [`reason`](ErrorKind::reason) this is.
    pub fn from_reason(reason: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.iter().copied().find(|kind| kind.reason() == reason)
    }

    /// The words a message opens with.
    pub const fn text(self) -> &'static str {
        match self {
            ErrorKind::NotFound => "Not found",
            ErrorKind::Required => "Required value",
            ErrorKind::Duplicate => "Duplicate value",
            ErrorKind::Invalid | ErrorKind::TypeInvalid => "Invalid value",
            ErrorKind::NotSupported => "Unsupported value",
            ErrorKind::Forbidden => "Forbidden",
            ErrorKind::TooLong => "Too long",
            ErrorKind::TooShort => "Too short",
            ErrorKind::TooMany => "Too many",
            ErrorKind::TooFew => "Too few",
            ErrorKind::Internal => "Internal error",
        }
    }

    /// True if a message of this kind prints the offending value.
    pub const fn shows_value(self) -> bool {
        !matches!(
            self,
            ErrorKind::Required | ErrorKind::Forbidden | ErrorKind::TooLong | ErrorKind::TooShort | ErrorKind::Internal
        )
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_unique_and_read_back() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_reason(kind.reason()), Some(*kind));
        }
        assert_eq!(ErrorKind::from_reason("FieldValueOdd"), None);
    }
}
