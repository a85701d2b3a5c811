//! String formats, as `+k8s:format=<name>` refers to them.
//!
//! Each family has one file. A format knows a text and what is wrong with it; it does not know where the text came
//! from. Checking a valid text allocates nothing.

mod dns;
mod ip;
mod label;
mod path_segment;
mod resource;
mod uuid;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use sprag_field::{BadValue, Error, ErrorKind, Errors, Path};

/// A named string format.
///
/// ```
/// use sprag_checks::format::Format;
///
/// let format: Format = "k8s-short-name".parse().unwrap();
/// assert!(format.is_valid("web-1"));
/// assert!(!format.is_valid("Web"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `k8s-extended-resource-name`: a domain-prefixed resource name outside the Kubernetes domain.
    ExtendedResourceName,
    /// `k8s-ip`: an IPv4 or IPv6 address.
    Ip,
    /// `k8s-label-key`: a name with an optional domain prefix.
    LabelKey,
    /// `k8s-label-value`: empty, or a name of up to 63 bytes.
    LabelValue,
    /// `k8s-long-name`: a lower-case DNS subdomain.
    LongName,
    /// `k8s-long-name-caseless`: a DNS subdomain in any case.
    LongNameCaseless,
    /// `k8s-path-segment-name`: a text that can stand as one segment of a URL.
    PathSegmentName,
    /// `k8s-prefixed-label-key`: a label key that must have its prefix.
    PrefixedLabelKey,
    /// `k8s-resource-fully-qualified-name`: a domain and a C identifier.
    ResourceFullyQualifiedName,
    /// `k8s-resource-pool-name`: one or more long names separated by slashes.
    ResourcePoolName,
    /// `k8s-short-name`: a lower-case DNS label.
    ShortName,
    /// `k8s-uuid`: a lower-case UUID in its usual grouping.
    Uuid,
}

/// One way in which a text misses its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw<'a> {
    /// The kind of error it becomes.
    pub kind: ErrorKind,
    /// The value that the error blames.
    pub blamed: Blamed<'a>,
    /// The explanation.
    pub detail: Cow<'static, str>,
}

/// The value an error about a format shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blamed<'a> {
    /// The value as the field holds it, so a named string type prints as one.
    Value,
    /// This text, the value or a part of it, as a plain string.
    Text(&'a str),
}

/// The name is not that of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown format")
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Format::ALL.iter().copied().find(|format| format.name() == name).ok_or(UnknownFormat)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Format {
    /// Every format, sorted by name.
    pub const ALL: &'static [Format] = &[
        Format::ExtendedResourceName,
        Format::Ip,
        Format::LabelKey,
        Format::LabelValue,
        Format::LongName,
        Format::LongNameCaseless,
        Format::PathSegmentName,
        Format::PrefixedLabelKey,
        Format::ResourceFullyQualifiedName,
        Format::ResourcePoolName,
        Format::ShortName,
        Format::Uuid,
    ];

    /// The name a tag uses.
    pub fn name(self) -> &'static str {
        self.origin().trim_start_matches("format=")
    }

    /// Returns a description of the texts of this format in a few words.
    pub const fn summary(self) -> &'static str {
        match self {
            Format::ExtendedResourceName => "a domain-prefixed resource name outside the Kubernetes domain",
            Format::Ip => "an IPv4 or IPv6 address, without leading zeros and not IPv4-mapped",
            Format::LabelKey => "a label key: a name with an optional domain prefix",
            Format::LabelValue => "a label value: empty, or a name of up to 63 bytes",
            Format::LongName => "a lower-case DNS subdomain",
            Format::LongNameCaseless => "a DNS subdomain in any case",
            Format::PathSegmentName => "a text that can stand as one segment of a URL",
            Format::PrefixedLabelKey => "a label key with a domain prefix",
            Format::ResourceFullyQualifiedName => "a domain and a C identifier, separated by a slash",
            Format::ResourcePoolName => "one or more lower-case DNS subdomains, separated by slashes",
            Format::ShortName => "a lower-case DNS label",
            Format::Uuid => "a lower-case UUID in 8-4-4-4-12 format",
        }
    }

    /// The origin of this format's errors.
    pub const fn origin(self) -> &'static str {
        match self {
            Format::ExtendedResourceName => "format=k8s-extended-resource-name",
            Format::Ip => "format=k8s-ip",
            Format::LabelKey => "format=k8s-label-key",
            Format::LabelValue => "format=k8s-label-value",
            Format::LongName => "format=k8s-long-name",
            Format::LongNameCaseless => "format=k8s-long-name-caseless",
            Format::PathSegmentName => "format=k8s-path-segment-name",
            Format::PrefixedLabelKey => "format=k8s-prefixed-label-key",
            Format::ResourceFullyQualifiedName => "format=k8s-resource-fully-qualified-name",
            Format::ResourcePoolName => "format=k8s-resource-pool-name",
            Format::ShortName => "format=k8s-short-name",
            Format::Uuid => "format=k8s-uuid",
        }
    }

    /// Reports every flaw of the text, in the order Kubernetes reports them.
    pub fn check<'a>(self, text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
        match self {
            Format::ExtendedResourceName => resource::extended_name(text, report),
            Format::Ip => ip::ip(text, report),
            Format::LabelKey => label::key(text, report),
            Format::LabelValue => label::value(text, report),
            Format::LongName => dns::long_name(text, report),
            Format::LongNameCaseless => dns::long_name_caseless(text, report),
            Format::PathSegmentName => path_segment::name(text, report),
            Format::PrefixedLabelKey => label::prefixed_key(text, report),
            Format::ResourceFullyQualifiedName => resource::fully_qualified_name(text, report),
            Format::ResourcePoolName => resource::pool_name(text, report),
            Format::ShortName => dns::short_name(text, report),
            Format::Uuid => uuid::uuid(text, report),
        }
    }

    /// True if the text has no flaw.
    pub fn is_valid(self, text: &str) -> bool {
        let mut valid = true;
        self.check(text, &mut |_| valid = false);
        valid
    }

    /// Pushes one error per flaw; `value` is the text as the field holds it.
    ///
    /// ```
    /// use sprag_field::{BadValue, Errors, Path};
    /// use sprag_checks::format::Format;
    ///
    /// let mut errors = Errors::new();
    /// Format::Uuid.push_errors(&Path::new("uid"), "x", || BadValue::json_str("x"), &mut errors);
    /// assert_eq!(
    ///     errors.iter().next().unwrap().to_string(),
    ///     r#"uid: Invalid value: "x": must be a lowercase UUID in 8-4-4-4-12 format"#,
    /// );
    /// ```
    pub fn push_errors(self, path: &Path<'_>, text: &str, value: impl Fn() -> BadValue, errors: &mut Errors) {
        self.check(text, &mut |flaw| {
            let blamed = match flaw.blamed {
                Blamed::Value => value(),
                Blamed::Text(text) => text.into(),
            };
            errors.push(Error::new(flaw.kind, path, blamed, flaw.detail).with_origin(self.origin()));
        });
    }
}

impl<'a> Flaw<'a> {
    /// The value as such is malformed.
    fn of_value(detail: impl Into<Cow<'static, str>>) -> Flaw<'a> {
        Flaw { kind: ErrorKind::Invalid, blamed: Blamed::Value, detail: detail.into() }
    }

    /// This text is malformed.
    fn of_text(text: &'a str, detail: impl Into<Cow<'static, str>>) -> Flaw<'a> {
        Flaw { kind: ErrorKind::Invalid, blamed: Blamed::Text(text), detail: detail.into() }
    }

    /// Some text has too many bytes; the error does not repeat it.
    fn too_long(detail: &'static str) -> Flaw<'a> {
        Flaw { kind: ErrorKind::TooLong, blamed: Blamed::Text("<value omitted>"), detail: detail.into() }
    }
}
