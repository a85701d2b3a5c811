//! `k8s-uuid`: a lower-case UUID in groups of 8-4-4-4-12 digits.

use super::Flaw;

/// The bytes of a UUID, dashes included.
const LEN: usize = 36;

pub(super) fn uuid<'a>(text: &'a str, report: &mut dyn FnMut(Flaw<'a>)) {
    let fits = |(position, byte): (usize, u8)| match position {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    if text.len() != LEN || !text.bytes().enumerate().all(fits) {
        report(Flaw::of_text(text, "must be a lowercase UUID in 8-4-4-4-12 format"));
    }
}
