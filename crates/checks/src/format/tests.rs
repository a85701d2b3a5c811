use std::fs::File;
use std::io::BufReader;

use serde_json::Value;

use super::*;

fn messages(format: Format, text: &str) -> Vec<String> {
    let mut errors = Errors::new();
    format.push_errors(&Path::new("f"), text, || text.into(), &mut errors);
    errors.iter().map(|error| error.body().to_string()).collect()
}

#[track_caller]
fn check(format: Format, valid: &[&str], invalid: &[(&str, &[&str])]) {
    for text in valid {
        assert_eq!(messages(format, text), [""; 0], "{format} {text:?}");
        assert!(format.is_valid(text));
    }
    for (text, openings) in invalid {
        let found = messages(format, text);
        assert_eq!(found.len(), openings.len(), "{format} {text:?}: {found:#?}");
        for (message, opening) in found.iter().zip(*openings) {
            assert!(message.contains(opening), "{format} {text:?}: {message} lacks {opening}");
        }
    }
}

#[test]
fn names_are_sorted_and_read_back() {
    assert!(Format::ALL.is_sorted_by_key(|format| format.name()));
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(*format));
        assert!(format.name().starts_with("k8s-"));
    }
    assert_eq!("ip".parse::<Format>(), Err(UnknownFormat));
}

#[test]
fn short_names_are_dns_labels() {
    let longest = "a".repeat(63);
    check(
        Format::ShortName,
        &["a", "0", "a-b", "a--b", &longest],
        &[
            ("", &["a lowercase RFC 1123 label"]),
            ("-a", &["a lowercase RFC 1123 label"]),
            ("a-", &["a lowercase RFC 1123 label"]),
            ("A", &["a lowercase RFC 1123 label"]),
            ("a.b", &["must not contain dots"]),
            ("a..b", &["a lowercase RFC 1123 label"]),
            (&format!("{longest}a"), &["must be no more than 63 bytes"]),
            (&format!("{longest}."), &["must be no more than 63 bytes", "a lowercase RFC 1123 label"]),
        ],
    );
}

#[test]
fn long_names_are_dns_subdomains() {
    let longest = "a".repeat(253);
    check(
        Format::LongName,
        &["a", "a.b-c.0", &longest],
        &[
            ("", &["a lowercase RFC 1123 subdomain"]),
            ("a.", &["a lowercase RFC 1123 subdomain"]),
            (".a", &["a lowercase RFC 1123 subdomain"]),
            ("a-.b", &["a lowercase RFC 1123 subdomain"]),
            ("a.-b", &["a lowercase RFC 1123 subdomain"]),
            ("a\n", &["a lowercase RFC 1123 subdomain"]),
            ("\u{212a}", &["a lowercase RFC 1123 subdomain"]),
            (&format!("{longest}a"), &["must be no more than 253 bytes"]),
        ],
    );
}

#[test]
fn caseless_names_fold_like_unicode() {
    check(
        Format::LongNameCaseless,
        &["A.b", "\u{17f}", "a\u{212a}.X"],
        &[("", &["an RFC 1123 subdomain"]), ("é", &["an RFC 1123 subdomain"])],
    );
}

#[test]
fn label_keys_have_an_optional_prefix() {
    let name = "n".repeat(63);
    check(
        Format::LabelKey,
        &["a", "A_b.c-d", "x.y/Z", &name],
        &[
            ("", &["name part must be non-empty", "name part must consist"]),
            ("/a", &["prefix part must be non-empty"]),
            ("a/", &["name part must be non-empty", "name part must consist"]),
            ("X/a", &["prefix part a lowercase RFC 1123 subdomain"]),
            ("a/b/c", &["a valid label key must consist"]),
            (&format!("{name}_"), &["name part must be no more than 63 bytes", "name part must consist"]),
            (&format!("{}/a", "a".repeat(254)), &["prefix part must be no more than 253 bytes"]),
        ],
    );
    check(
        Format::PrefixedLabelKey,
        &["a/b"],
        &[("a", &["must include a prefix"]), ("", &["name part must be non-empty", "name part must consist"])],
    );
}

#[test]
fn label_values_may_be_empty() {
    let longest = "v".repeat(63);
    check(
        Format::LabelValue,
        &["", "a", "A_b.c", &longest],
        &[
            ("_a", &["a valid label must be an empty string"]),
            ("a/b", &["a valid label must be an empty string"]),
            (&format!("{longest}v"), &["must be no more than 63 bytes"]),
        ],
    );
}

#[test]
fn path_segments_stay_one_segment() {
    check(
        Format::PathSegmentName,
        &["", "...", "a b", "Ä:@"],
        &[
            (".", &["may not be '.'"]),
            ("..", &["may not be '..'"]),
            ("%/", &["may not contain '/'", "may not contain '%'"]),
        ],
    );
}

#[test]
fn uuids_are_lower_case_and_grouped() {
    const FLAW: &[&str] = &["must be a lowercase UUID"];
    check(
        Format::Uuid,
        &["01234567-89ab-cdef-0123-456789abcdef"],
        &[
            ("", FLAW),
            ("01234567-89AB-cdef-0123-456789abcdef", FLAW),
            ("01234567089ab-cdef-0123-456789abcdef", FLAW),
            ("01234567-89ab-cdef-0123-456789abcdef0", FLAW),
        ],
    );
}

#[test]
fn pool_names_are_long_names_with_slashes() {
    check(
        Format::ResourcePoolName,
        &["a", "a.b/c"],
        &[
            ("", &["\"\": segment 0: must not be empty"]),
            ("a//b", &["\"a//b\": segment 1: must not be empty"]),
            ("a/B", &["\"B\": segment 1: a lowercase RFC 1123 subdomain"]),
            (&"a/".repeat(127), &["Too long: may not be more than 253 bytes", "segment 127: must not be empty"]),
        ],
    );
}

#[test]
fn extended_resources_leave_room_for_quota() {
    let domain = "d".repeat(244);
    check(
        Format::ExtendedResourceName,
        &["example.com/gpu", &format!("{domain}/x")],
        &[
            ("gpu", &["must be a domain-prefixed path"]),
            ("kubernetes.io/a", &["must not have \"kubernetes.io/\" domain"]),
            ("x.kubernetes.io/a", &["must not have \"kubernetes.io/\" domain"]),
            ("requests.a/b", &["must not have \"requests.\" prefix"]),
            ("/a", &["prefix part a lowercase RFC 1123 subdomain"]),
            (&format!("{domain}d/x"), &["prefix part must be no more than 253 bytes"]),
        ],
    );
}

#[test]
fn qualified_names_end_in_an_identifier() {
    let identifier = "i".repeat(32);
    check(
        Format::ResourceFullyQualifiedName,
        &["a.b/c_D", &format!("a/{identifier}"), "two/slashes/pass"],
        &[
            ("", &["a valid C identifier", "a fully qualified name"]),
            ("/", &["prefix must not be empty", "name must not be empty"]),
            ("a/1", &["\"1\": a valid C identifier"]),
            ("A/b", &["\"A\": prefix: a lowercase RFC 1123 subdomain"]),
            (&format!("a/{identifier}i"), &["Too long: may not be more than 32 bytes"]),
            (&format!("{}/a", "a".repeat(64)), &["Too long: may not be more than 63 bytes"]),
        ],
    );
}

/// The recorded table, which lies beside the repository where it is present at all.
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/formats.json");

#[test]
fn every_recorded_row_agrees() {
    let Ok(table) = File::open(TABLE) else {
        eprintln!("skipped: shared/conformance/formats.json is missing");
        return;
    };
    let rows: Vec<Value> = serde_json::from_reader(BufReader::new(table)).unwrap();
    assert_eq!(rows.len(), 835);
    for row in &rows {
        let text = row["value"].as_str().unwrap();
        let format: Format = row["format"].as_str().unwrap().parse().unwrap();
        let mut errors = Errors::new();
        format.push_errors(&Path::new("f"), text, || text.into(), &mut errors);
        let found: Vec<Value> = errors.iter().map(record).collect();
        assert_eq!(Value::from(found), row["full"], "{format} {text:?}");
    }
}

fn record(error: &Error) -> Value {
    let BadValue::Str(value) = &error.value else { panic!("{error} blames no text") };
    serde_json::json!({
        "type": error.kind.reason(),
        "detail": error.detail,
        "origin": error.origin,
        "badValue": value,
        "message": error.to_string(),
    })
}
