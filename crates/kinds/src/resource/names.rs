//! Names of drivers, pools, attributes and shares.

use sprag_checks::object_meta::{Usage, dns_label, dns_subdomain};
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::Fact;

use crate::core::pod::volumes::sources::validate_csi_driver_name;

/// The bytes of the longest name of a driver.
const MAX_DRIVER: usize = 63;
/// The bytes of the longest name of a pool.
const MAX_POOL: usize = 253;
/// The bytes of the longest identifier of an attribute.
const MAX_IDENTIFIER: usize = 32;
/// The bytes of the longest qualified name: domain, slash, identifier.
pub(super) const MAX_QUALIFIED: usize = MAX_DRIVER + 1 + MAX_IDENTIFIER;

const NOT_AN_IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of \
    alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is \
    '[A-Za-z_][A-Za-z0-9_]*')";
const NOT_NORMAL: &str = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase \
    hexadecimal characters";

/// As upstream's `validation.ValidateCSIDriverName`.
pub(crate) fn validate_driver_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    if name.is_empty() {
        errors.push(Error::required(at, ""));
    }
    if !name.is_empty() || errors.release().has(Fact::EmptyDriverNamesAreInvalidToo) {
        validate_csi_driver_name(name, at, errors);
    }
}

/// The same where declarations have the rules, too.
pub(super) fn validate_covered_driver_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_driver_name(name, at, errors);
    for error in errors.since_mut(mark) {
        error.origin = match error.kind {
            sprag_field::ErrorKind::TooLong => "maxLength".into(),
            sprag_field::ErrorKind::Invalid => "format=k8s-long-name-caseless".into(),
            _ => error.origin.clone(),
        };
        error.covered_by_declarative = true;
    }
}

/// As upstream's `validation.validatePoolName`.
pub(crate) fn validate_pool_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    const ORIGIN: &str = "format=k8s-resource-pool-name";
    if name.is_empty() {
        return errors.push(Error::required(at, ""));
    }
    if name.len() > MAX_POOL {
        errors.push(Error::too_long(at, 253).with_origin(ORIGIN));
    }
    for part in name.split('/') {
        dns_subdomain(part, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(at, part, detail).with_origin(ORIGIN));
        });
    }
}

/// Marks errors as those of rules that declarations have, too.
pub(super) fn cover(errors: &mut Errors, mark: usize) {
    for error in errors.since_mut(mark) {
        error.covered_by_declarative = true;
    }
}

/// As upstream's `validation.ValidateDNS1123Label`.
pub(super) fn validate_label(name: &str, at: &Path<'_>, errors: &mut Errors) {
    dns_label(name, Usage::Name, &mut |detail| {
        errors.push(Error::invalid(at, name, detail).with_origin("format=k8s-short-name"));
    });
}

/// As upstream's `validation.validateQualifiedName`. More than one slash passes, as it does there.
pub(super) fn validate_qualified_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let are_required = errors.release().has(Fact::QualifiedNamesAreRequired);
    if name.is_empty() && are_required {
        return errors.push(Error::required(at, "name required"));
    }
    let missing = |detail| if are_required { Error::required(at, detail) } else { Error::invalid(at, "", detail) };
    match *name.split('/').collect::<Vec<_>>() {
        [identifier] => validate_identifier(identifier, at, errors),
        [domain, identifier] => {
            if domain.is_empty() {
                errors.push(missing("the domain must not be empty"));
            } else {
                validate_driver_name(domain, at, errors);
            }
            if identifier.is_empty() {
                errors.push(missing("the name must not be empty"));
            } else {
                validate_identifier(identifier, at, errors);
            }
        }
        _ => {}
    }
}

/// As upstream's `validation.validateFullyQualifiedName`.
pub(super) fn validate_fully_qualified_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    let mark = errors.len();
    validate_qualified_name(name, at, errors);
    let are_required = errors.release().has(Fact::QualifiedNamesAreRequired);
    if !(name.contains('/') || are_required && name.is_empty()) {
        let newest = "a fully qualified name must be a domain and a name separated by a slash";
        let detail = if are_required { "must include a domain" } else { newest };
        errors.push(Error::invalid(at, BadValue::json_str(name), detail));
    }
    for error in errors.since_mut(mark) {
        error.origin = "format=k8s-resource-fully-qualified-name".into();
    }
}

/// As upstream's `validation.validateCIdentifier`.
fn validate_identifier(text: &str, at: &Path<'_>, errors: &mut Errors) {
    if text.len() > MAX_IDENTIFIER {
        errors.push(Error::too_long(at, 32));
    }
    let starts_well = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !starts_well || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        errors.push(Error::invalid(at, text, NOT_AN_IDENTIFIER));
    }
}

/// As upstream's `validation.validateUID`, of which declarations have the rules, too.
pub(super) fn validate_uid(uid: &str, at: &Path<'_>, errors: &mut Errors) {
    let flaw = match uuid_flaw(uid) {
        Some(flaw) => format!("error validating uid: {flaw}"),
        None if uid.len() != 36 || uid.chars().any(char::is_uppercase) => NOT_NORMAL.to_owned(),
        None => return,
    };
    let error = Error::invalid(at, uid, flaw).with_origin("format=k8s-uuid");
    errors.push(error.with_covered_by_declarative());
}

/// As `uuid.Validate` of the Go library that upstream uses.
fn uuid_flaw(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let bytes = match bytes.len() {
        36 => bytes,
        45 => match text.get(..9) {
            Some(prefix) if prefix.eq_ignore_ascii_case("urn:uuid:") => &bytes[9..],
            prefix => {
                return Some(format!("invalid urn prefix: {}", sprag_field::quote::go(prefix.unwrap_or_default())));
            }
        },
        38 if bytes[0] == b'{' && bytes[37] == b'}' => &bytes[1..37],
        38 => return Some("invalid bracketed UUID format".to_owned()),
        32 if bytes.iter().all(u8::is_ascii_hexdigit) => return None,
        32 => return Some("invalid UUID format".to_owned()),
        len => return Some(format!("invalid UUID length: {len}")),
    };
    let fits = bytes.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (!fits).then(|| "invalid UUID format".to_owned())
}
