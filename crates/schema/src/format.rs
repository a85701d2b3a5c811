//! Text formats that schemas may ask for, as the reference's format library understands them.

mod address;
mod checksum;
mod color;
mod email;
mod hostname;
mod uuid;

use sprag_cel::library;
use sprag_checks::format::Format as NameFormat;
use sprag_release::{Release, Releases};

/// True if a text has a format.
type Check = fn(&str) -> bool;

/// A format that text is checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    check: Check,
    releases: Releases,
}

impl Format {
    /// The format with this name, in which dashes do not count.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let is = |known: &str| name.bytes().filter(|byte| *byte != b'-').eq(known.bytes());
        FORMATS.iter().find(|(known, ..)| is(known)).map(|&(_, releases, check)| Self { check, releases })
    }

    /// True if the release checks it. New formats come a release after they are introduced, as functions of rules do.
    pub(crate) fn is_in(self, release: Release) -> bool {
        self.releases.contains(release)
    }

    /// True if the text has this format.
    pub(crate) fn is_valid(self, text: &str) -> bool {
        (self.check)(text)
    }
}

/// True if custom resources of a release check a text format of this name.
pub(crate) fn is_known(name: &str, release: Release) -> bool {
    Format::named(name).is_some_and(|format| format.is_in(release))
}

/// True if custom resources of a release check a format of this name for values of this type.
pub fn is_known_for(ty: &str, name: &str, release: Release) -> bool {
    match ty {
        "" | "string" => is_known(name, release),
        "integer" => matches!(name, "int32" | "int64"),
        "number" => matches!(name, "float" | "double"),
        _ => false,
    }
}

/// All formats, without the dashes of their names, and the releases that check them.
static FORMATS: &[(&str, Releases, Check)] = &[
    ("bsonobjectid", Releases::ALL, is_object_id),
    ("byte", Releases::ALL, library::is_base64),
    ("cidr", Releases::ALL, address::is_cidr),
    ("creditcard", Releases::ALL, checksum::is_credit_card),
    ("date", Releases::ALL, library::is_date),
    ("datetime", Releases::ALL, library::is_date_time),
    ("duration", Releases::ALL, |text| library::parse_duration(text).is_some()),
    ("email", Releases::ALL, email::is_email),
    ("hexcolor", Releases::ALL, color::is_hex_color),
    ("hostname", Releases::ALL, hostname::is_hostname),
    ("ipv4", Releases::ALL, address::is_ipv4),
    ("ipv6", Releases::ALL, address::is_ipv6),
    ("isbn", Releases::ALL, |text| checksum::is_isbn10(text) || checksum::is_isbn13(text)),
    ("isbn10", Releases::ALL, checksum::is_isbn10),
    ("isbn13", Releases::ALL, checksum::is_isbn13),
    ("k8slongname", SINCE_1_35, |text| NameFormat::LongName.is_valid(text)),
    ("k8sshortname", SINCE_1_35, |text| NameFormat::ShortName.is_valid(text)),
    ("mac", Releases::ALL, address::is_mac),
    ("password", Releases::ALL, |_| true),
    ("rgbcolor", Releases::ALL, color::is_rgb_color),
    ("ssn", Releases::ALL, is_social_security_number),
    ("uri", Releases::ALL, |text| library::parse_request_uri(text).is_ok()),
    ("uuid", Releases::ALL, |text| uuid::is_uuid(text, uuid::Version::Any)),
    ("uuid3", Releases::ALL, |text| uuid::is_uuid(text, uuid::Version::Three)),
    ("uuid4", Releases::ALL, |text| uuid::is_uuid(text, uuid::Version::Four)),
    ("uuid5", Releases::ALL, |text| uuid::is_uuid(text, uuid::Version::Five)),
];

const SINCE_1_35: Releases = Releases::since(Release::V1_35);

/// Twelve bytes in hexadecimal.
fn is_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `123-45-6789`; the separators may be spaces.
fn is_social_security_number(text: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        3 | 6 => matches!(byte, b'-' | b' '),
        _ => byte.is_ascii_digit(),
    };
    text.len() == 11 && text.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use sprag_release::Release;

    use super::{FORMATS, Format, is_known};

    #[track_caller]
    fn check(format: &str, valid: &[&str], invalid: &[&str]) {
        let format = Format::named(format).unwrap();
        for text in valid {
            assert!(format.is_valid(text), "{text:?} has the format");
        }
        for text in invalid {
            assert!(!format.is_valid(text), "{text:?} does not have the format");
        }
    }

    #[test]
    fn formats_are_sorted() {
        assert!(FORMATS.is_sorted_by_key(|(name, ..)| *name));
    }

    #[test]
    fn dashes_do_not_count() {
        let is_known = |name| is_known(name, Release::NEWEST);
        assert!(is_known("date-time") && is_known("u-u-i-d") && is_known("k8s-short-name"));
        assert!(!is_known("UUID") && !is_known("cron") && !is_known(""));
    }

    #[test]
    fn formats_come_with_releases() {
        assert!(is_known("k8s-long-name", Release::V1_35) && !is_known("k8s-long-name", Release::V1_34));
        assert!(is_known("date", Release::V1_33));
    }

    #[test]
    fn simple_formats() {
        check("ssn", &["123-45-6789", "123 45-6789"], &["123456789", "", "12a-45-6789", "123.45.6789"]);
        check("bsonobjectid", &["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"], &["507f", ""]);
        check("duration", &["1h30m", "1 day", "P1D", "1e3s", "-5s"], &["", "x", "5"]);
        check("date-time", &["2024-05-05T00:00:00Z"], &["2024-05-05"]);
        check("k8s-short-name", &["a-1"], &["A", "a.b", "-a", ""]);
        check("password", &["", "x"], &[]);
        check("uri", &["/a", "http://x"], &["a", ""]);
    }
}
