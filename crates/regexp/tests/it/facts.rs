//! The answers of Go 1.26, recorded in `tests/data/cases.txt`.
//!
//! A line `!pattern⇥error` is a refused pattern. A line `=pattern` is an accepted one; the lines ` subject⇥matches`
//! after it list all its matches, separated by `;`, each with the spans of its groups. Control characters and the
//! percent sign are written as `%XX`.

use std::ops::Range;

use sprag_regexp::{Capturing, Regexp};

const CASES: &str = include_str!("../data/cases.txt");

#[test]
fn every_recorded_pattern_behaves_like_go() {
    let mut patterns = 0;
    let mut subjects = 0;
    let mut current = None;
    for line in CASES.lines() {
        let (mark, row) = line.split_at(1);
        match mark {
            "!" => {
                let (pattern, error) = row.split_once('\t').unwrap();
                assert_eq!(refusal(&decode(pattern)), decode(error), "{line}");
                patterns += 1;
            }
            "=" => {
                let pattern = decode(row);
                let plain = Regexp::new(&pattern).unwrap_or_else(|error| panic!("{line}: {error}"));
                let capturing = plain.capturing().unwrap_or_else(|error| panic!("{line}: {error}"));
                current = Some((plain, capturing));
                patterns += 1;
            }
            _ => {
                let (subject, expected) = row.split_once('\t').unwrap();
                let (plain, capturing) = current.as_ref().unwrap();
                check(plain, capturing, &decode(subject), expected);
                subjects += 1;
            }
        }
    }
    assert_eq!((patterns, subjects), (397, 4866));
}

#[track_caller]
fn check(plain: &Regexp, capturing: &Capturing, subject: &str, expected: &str) {
    let found: Vec<Vec<_>> = capturing.captures_iter(subject).map(|captures| captures.spans().to_vec()).collect();
    let rendered: Vec<String> = found.iter().map(|spans| render(spans)).collect();
    assert_eq!(rendered.join(";"), expected, "{plain:?} on {subject:?} with groups");
    let whole: Vec<_> = found.iter().filter_map(|spans| spans[0].clone()).collect();
    assert_eq!(plain.find_iter(subject).collect::<Vec<_>>(), whole, "{plain:?} on {subject:?}");
    assert_eq!(plain.find(subject).as_ref(), whole.first(), "{plain:?} on {subject:?}");
    assert_eq!(plain.is_match(subject), !whole.is_empty(), "{plain:?} on {subject:?}");
    let first = capturing.captures(subject).map(|captures| captures.spans().to_vec());
    assert_eq!(first.as_ref(), found.first(), "{plain:?} on {subject:?}");
}

fn render(spans: &[Option<Range<usize>>]) -> String {
    let span = |span: &Option<Range<usize>>| match span {
        Some(span) => format!("{}-{}", span.start, span.end),
        None => "-".to_owned(),
    };
    spans.iter().map(span).collect::<Vec<_>>().join(",")
}

fn refusal(pattern: &str) -> String {
    let groups = Capturing::new(pattern).expect_err("the pattern is refused");
    let error = Regexp::new(pattern).expect_err("the pattern is refused");
    assert_eq!(error, groups);
    error.to_string()
}

fn decode(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut decoded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_at(2);
        decoded.push(char::from(u8::from_str_radix(code, 16).expect("two digits follow a percent sign")));
        decoded.push_str(rest);
    }
    decoded
}
