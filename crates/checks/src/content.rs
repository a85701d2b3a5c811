//! Checks of texts and numbers that hand-written rules of several kinds share.
//!
//! As upstream's `k8s.io/apimachinery/pkg/util/validation`. Each reports the details of the errors that it finds, in order;
//! the caller knows the field. A valid text costs no allocation.

use std::borrow::Cow;

/// Receives the detail of each error.
pub type Report<'r> = &'r mut dyn FnMut(Cow<'static, str>);

/// The bytes of the longest port name.
const MAX_PORT_NAME: usize = 15;

/// The bytes of the longest key of a config map or secret.
const MAX_CONFIG_MAP_KEY: usize = 253;

/// The bytes of the longest DNS subdomain.
const MAX_SUBDOMAIN: usize = 253;

const NOT_A_WILDCARD_SUBDOMAIN: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS \
    subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric \
    character (e.g. '*.example.com', regex used for validation is \
    '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const NOT_AN_ENV_VAR_NAME: &str = "a valid environment variable name must consist of alphabetic characters, digits, '_', \
    '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used \
    for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

const NOT_A_CONFIG_MAP_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. \
    'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const NOT_A_HEADER_NAME: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. \
    'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/// As upstream's `validation.IsEnvVarName`.
pub fn env_var_name(text: &str, report: Report<'_>) {
    let fits = text.bytes().all(is_key_byte) && text.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if !fits {
        report(NOT_AN_ENV_VAR_NAME.into());
    }
    parent_directory(text, report);
}

/// As upstream's `validation.IsRelaxedEnvVarName`.
///
/// ```
/// use sprag_checks::content::relaxed_env_var_name;
///
/// relaxed_env_var_name("1 a/b", &mut |detail| unreachable!("{detail}"));
/// ```
pub fn relaxed_env_var_name(text: &str, report: Report<'_>) {
    if text.is_empty() {
        report("environment variable name must be non-empty".into());
    }
    if !text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'=') {
        report(
            "a valid environment variable name must consist only of printable ASCII characters other than '='".into(),
        );
    }
}

/// As upstream's `validation.IsConfigMapKey`.
pub fn config_map_key(text: &str, report: Report<'_>) {
    if text.len() > MAX_CONFIG_MAP_KEY {
        report(max_len(MAX_CONFIG_MAP_KEY));
    }
    if text.is_empty() || !text.bytes().all(is_key_byte) {
        report(NOT_A_CONFIG_MAP_KEY.into());
    }
    parent_directory(text, report);
}

/// As upstream's `validation.IsHTTPHeaderName`.
pub fn http_header_name(text: &str, report: Report<'_>) {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        report(NOT_A_HEADER_NAME.into());
    }
}

/// As upstream's `validation.IsValidPortName`.
pub fn port_name(text: &str, report: Report<'_>) {
    if text.len() > MAX_PORT_NAME {
        report(max_len(MAX_PORT_NAME));
    }
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || !text.bytes().all(fits) {
        report("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !text.bytes().any(|byte| byte.is_ascii_lowercase()) {
        report("must contain at least one letter (a-z)".into());
    }
    if text.contains("--") {
        report("must not contain consecutive hyphens".into());
    }
    if text.starts_with('-') || text.ends_with('-') {
        report("must not begin or end with a hyphen".into());
    }
}

/// As upstream's `validation.IsValidPortNum`.
pub fn port_number(port: i64, report: Report<'_>) {
    in_range(port, 1, 65535, report);
}

/// As upstream's `validation.IsWildcardDNS1123Subdomain`.
///
/// ```
/// use sprag_checks::content::wildcard_subdomain;
///
/// wildcard_subdomain("*.example.com", &mut |flaw| panic!("{flaw}"));
/// ```
pub fn wildcard_subdomain(text: &str, report: Report<'_>) {
    if text.len() > MAX_SUBDOMAIN {
        report(max_len(MAX_SUBDOMAIN));
    }
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !label.is_empty() && !label.starts_with('-') && !label.ends_with('-') && label.bytes().all(is_inner)
    };
    if !text.strip_prefix("*.").is_some_and(|domain| domain.split('.').all(is_label)) {
        report(NOT_A_WILDCARD_SUBDOMAIN.into());
    }
}

/// As upstream's `validation.IsInRange`.
pub fn in_range(value: i64, min: i64, max: i64, report: Report<'_>) {
    if !(min..=max).contains(&value) {
        report(format!("must be between {min} and {max}, inclusive").into());
    }
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

/// As upstream's `validation.MaxLenError`, which speaks of characters where bytes are counted.
fn max_len(max: usize) -> Cow<'static, str> {
    format!("must be no more than {max} characters").into()
}

/// As upstream's `validation.hasChDirPrefix`.
fn parent_directory(text: &str, report: Report<'_>) {
    match text {
        "." => report("must not be '.'".into()),
        ".." => report("must not be '..'".into()),
        _ if text.starts_with("..") => report("must not start with '..'".into()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: fn(&str, Report<'_>), text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        rule(text, &mut |detail| found.push(detail));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn environment_variables_may_be_named_as_in_a_shell() {
        for name in ["a", "_", "-a", ".a", "A.b-c_1"] {
            check(env_var_name, name, &[]);
        }
        for name in ["", "1a", "a b", "a=b", "ü"] {
            check(env_var_name, name, &[NOT_AN_ENV_VAR_NAME]);
        }
        check(env_var_name, ".", &["must not be '.'"]);
        check(env_var_name, "..", &["must not be '..'"]);
        check(env_var_name, "..a", &["must not start with '..'"]);
        check(env_var_name, "..a/", &[NOT_AN_ENV_VAR_NAME, "must not start with '..'"]);
    }

    #[test]
    fn relaxed_environment_variables_are_printable() {
        let refused =
            "a valid environment variable name must consist only of printable ASCII characters other than '='";
        for name in ["1", " ", "~", "..", "a/b:c"] {
            check(relaxed_env_var_name, name, &[]);
        }
        for name in ["=", "a\n", "\u{7f}", "ü", "a=b="] {
            check(relaxed_env_var_name, name, &[refused]);
        }
        check(relaxed_env_var_name, "", &["environment variable name must be non-empty"]);
    }

    #[test]
    fn keys_can_be_file_names() {
        check(config_map_key, "a", &[]);
        check(config_map_key, &"a".repeat(253), &[]);
        check(config_map_key, &"a".repeat(254), &["must be no more than 253 characters"]);
        check(config_map_key, "", &[NOT_A_CONFIG_MAP_KEY]);
        check(config_map_key, "..", &["must not be '..'"]);
    }

    #[test]
    fn port_names_have_a_letter_and_no_hyphen_at_an_end() {
        check(port_name, "http-2", &[]);
        check(port_name, "a23456789012345", &[]);
        check(port_name, "a234567890123456", &["must be no more than 15 characters"]);
        let charset = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
        let letter = "must contain at least one letter (a-z)";
        check(port_name, "", &[charset, letter]);
        check(port_name, "80", &[letter]);
        check(port_name, "A", &[charset, letter]);
        check(port_name, "-a--b", &["must not contain consecutive hyphens", "must not begin or end with a hyphen"]);
        check(port_name, "-", &[letter, "must not begin or end with a hyphen"]);
    }

    #[test]
    fn header_names_are_letters_digits_and_hyphens() {
        check(http_header_name, "X-Header-1", &[]);
        for name in ["", "a_b", "a b"] {
            check(http_header_name, name, &[NOT_A_HEADER_NAME]);
        }
    }

    #[test]
    fn ranges_include_their_ends() {
        let report = |value| {
            let mut found = Vec::new();
            port_number(value, &mut |detail| found.push(detail));
            found
        };
        assert!(report(1).is_empty() && report(65535).is_empty());
        assert_eq!(report(0), ["must be between 1 and 65535, inclusive"]);
        assert_eq!(report(65536), ["must be between 1 and 65535, inclusive"]);
    }
}
