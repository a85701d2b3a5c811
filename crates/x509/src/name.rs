//! Names of subjects and of who signs.

use crate::Malformed;
use crate::der::{Der, SEQUENCE, SET};

/// The object identifier of common names: 2.5.4.3.
pub(crate) const COMMON_NAME: &[u8] = &[0x55, 4, 3];
/// The object identifier of organizations: 2.5.4.10.
pub(crate) const ORGANIZATION: &[u8] = &[0x55, 4, 10];

/// As Go's `x509.parseName`.
pub(crate) fn check_name(mut name: Der<'_>) -> Result<(), Malformed> {
    while !name.is_empty() {
        let mut set = name.read(SET).ok_or("x509: invalid RDNSequence")?;
        while !set.is_empty() {
            let mut attribute = set.read(SEQUENCE).ok_or("x509: invalid RDNSequence: invalid attribute")?;
            attribute.object_id().ok_or("x509: invalid RDNSequence: invalid attribute type")?;
            let (tag, value, _) = attribute.any().ok_or("x509: invalid RDNSequence: invalid attribute value")?;
            if let Some(flaw) = flaw_of_string(tag, value) {
                return Err(format!("x509: invalid RDNSequence: invalid attribute value: {flaw}").into());
            }
        }
    }
    Ok(())
}

/// As Go's `x509.parseASN1String`.
fn flaw_of_string(tag: u8, value: &[u8]) -> Option<String> {
    let is_printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(byte);
    let (is_valid, name) = match tag {
        0x14 => (true, ""),
        0x13 => (value.iter().all(is_printable), "invalid PrintableString"),
        0x0c => (std::str::from_utf8(value).is_ok(), "invalid UTF-8 string"),
        0x1e => (value.len().is_multiple_of(2), "invalid BMPString"),
        0x16 => (value.is_ascii(), "invalid IA5String"),
        0x12 => (value.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '), "invalid NumericString"),
        _ => return Some(format!("unsupported string type: {tag}")),
    };
    (!is_valid).then(|| name.to_owned())
}

/// The values of an attribute in a name that is valid.
pub(crate) fn values(mut name: Der<'_>, id: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(mut set) = name.read(SET) {
        while let Some(mut attribute) = set.read(SEQUENCE) {
            let is_wanted = attribute.object_id() == Some(id);
            if let Some((_, value, _)) = attribute.any().filter(|_| is_wanted) {
                found.push(String::from_utf8_lossy(value).into_owned());
            }
        }
    }
    found
}
