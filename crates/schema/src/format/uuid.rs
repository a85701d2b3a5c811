//! UUIDs in any case, with or without each of their dashes.

/// The required version of a UUID.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Any,
    Three,
    Four,
    Five,
}

pub(super) fn is_uuid(text: &str, version: Version) -> bool {
    let mut digits = [0; 32];
    let mut rest = text.as_bytes();
    let mut filled = 0;
    for (index, len) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(len) else { return false };
        digits[filled..filled + len].copy_from_slice(group);
        filled += len;
        rest = after;
    }
    rest.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) && has_version(&digits, version)
}

fn has_version(digits: &[u8; 32], version: Version) -> bool {
    let is_variant = || matches!(digits[16], b'8' | b'9' | b'a' | b'b' | b'A' | b'B');
    match version {
        Version::Any => true,
        Version::Three => digits[12] == b'3',
        Version::Four => digits[12] == b'4' && is_variant(),
        Version::Five => digits[12] == b'5' && is_variant(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Version, is_uuid};

    #[test]
    fn versions_are_told_apart() {
        let text = "123e4567-e89b-42d3-A456426614174000";
        assert!(is_uuid(text, Version::Any) && is_uuid(text, Version::Four));
        assert!(!is_uuid(text, Version::Three) && !is_uuid(text, Version::Five));
        assert!(is_uuid("123e4567e89b32d30456426614174000", Version::Three));
        assert!(!is_uuid("123e4567-e89b-42d3-0456-426614174000", Version::Four));
        for invalid in ["", "123e4567--e89b-12d3-a456-426614174000", "é", "123e4567-e89b-12d3-a456-42661417400g"] {
            assert!(!is_uuid(invalid, Version::Any), "{invalid}");
        }
    }
}
