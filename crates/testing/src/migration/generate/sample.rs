//! Texts and numbers that keep or break a rule.

use regex_syntax::hir::{Class, Hir, HirKind};
use sprag_checks::format::Format;
use sprag_program::{BoundSide, Literal};
use sprag_regexp::Regexp;

use super::random::Random;
use super::wants::Wants;

/// Texts that one format or another takes, and some that none takes.
const TEXTS: &[&str] = &[
    "a",
    "web-1",
    "a.example.com",
    "example.com/name",
    "example.com/gpu",
    "example.com/a_b",
    "pool.example.com/a",
    "A.Example.Com",
    "10.0.0.1",
    "2001:db8::1",
    "0123abcd-89ab-4cde-8f01-23456789abcd",
    "Name_1.x",
    "",
    "-",
    "UPPER CASE",
    "a//b",
    "..",
    "not/a/format/!",
    "a b",
    "é",
    "%",
];

/// The number of draws of a text before a place is left to chance.
const ATTEMPTS: usize = 24;
/// The longest text where no rule says a limit.
const USUAL_LENGTH: u64 = 12;

/// A text that keeps the rules of a place, as far as one is found.
pub(crate) fn text(random: &mut Random, wants: &Wants<'_>) -> String {
    if let Some(rule) = wants.one_of {
        let others = rule.values.iter().filter(|value| !wants.is_unwanted_text(value)).cloned().collect::<Vec<_>>();
        return random.pick(&others).cloned().unwrap_or_default();
    }
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        last = draw(random, wants);
        if wants.accepts_text(&last) {
            break;
        }
    }
    last
}

fn draw(random: &mut Random, wants: &Wants<'_>) -> String {
    if let Some(pattern) = wants.patterns.first() {
        return matching(random, pattern);
    }
    if let Some(format) = wants.formats.first() {
        let fitting: Vec<&str> = TEXTS.iter().copied().filter(|text| format.is_valid(text)).collect();
        let plain = random.pick(&fitting).copied().unwrap_or_default();
        let varied = format!("{}{plain}", word(random, 2));
        return if random.percent(70) && format.is_valid(&varied) { varied } else { plain.to_owned() };
    }
    let min = wants.min_length.unwrap_or(1).max(1);
    let max = wants.max_length.or(wants.max_bytes).unwrap_or(min + USUAL_LENGTH).max(min).min(min + USUAL_LENGTH);
    let length = usize::try_from(random.between(min.into(), max.into())).unwrap_or(1);
    word(random, length)
}

/// A text of so many letters.
pub(crate) fn word(random: &mut Random, length: usize) -> String {
    (0..length).map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap_or_default())).collect()
}

/// A text that breaks a format; none if every text that is tried keeps it.
pub(crate) fn breaks_format(random: &mut Random, format: Format) -> Option<String> {
    let broken: Vec<&str> = TEXTS.iter().copied().filter(|text| !text.is_empty() && !format.is_valid(text)).collect();
    random.pick(&broken).map(|text| (*text).to_owned())
}

/// A text that does not match a pattern.
pub(crate) fn breaks_pattern(random: &mut Random, pattern: &Regexp) -> Option<String> {
    (0..ATTEMPTS).find_map(|_| {
        let text = match random.below(3) {
            0 => (*random.pick(TEXTS)?).to_owned(),
            1 => format!("{}!", matching(random, pattern)),
            _ => word(random, 40).to_uppercase(),
        };
        (!text.is_empty() && !pattern.is_match(&text)).then_some(text)
    })
}

/// A text that matches a pattern, as far as its syntax is that of most patterns.
fn matching(random: &mut Random, pattern: &Regexp) -> String {
    let mut text = String::new();
    if let Ok(parsed) = regex_syntax::parse(pattern.as_str()) {
        push_matching(random, &parsed, &mut text);
    }
    text
}

fn push_matching(random: &mut Random, pattern: &Hir, text: &mut String) {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            // Go's classes such as `\d` are those of ASCII.
            let ascii: Vec<_> = class.ranges().iter().filter(|range| range.start().is_ascii()).collect();
            let all: Vec<_> = class.ranges().iter().collect();
            if let Some(range) = random.pick(if ascii.is_empty() { &all } else { &ascii }) {
                let last = if ascii.is_empty() { range.end() } else { range.end().min('\x7f') };
                let code = random.between(u32::from(range.start()).into(), u32::from(last).into());
                text.extend(u32::try_from(code).ok().and_then(char::from_u32));
            }
        }
        HirKind::Class(Class::Bytes(class)) => {
            text.extend(random.pick(class.ranges()).map(|range| char::from(range.start())));
        }
        HirKind::Repetition(repeated) => {
            let max = repeated.max.unwrap_or(repeated.min + 3).min(repeated.min + 3);
            for _ in 0..random.between(repeated.min.into(), max.into()) {
                push_matching(random, &repeated.sub, text);
            }
        }
        HirKind::Capture(group) => push_matching(random, &group.sub, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| push_matching(random, part, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = random.pick(parts) {
                push_matching(random, part, text);
            }
        }
    }
}

/// A number that keeps the rules of a place, at its bounds more often than elsewhere.
pub(crate) fn number(random: &mut Random, wants: &Wants<'_>) -> i64 {
    let low = wants.minimum.unwrap_or_else(|| wants.maximum.map_or(-3, |max| max.min(0)));
    let high = wants.maximum.unwrap_or_else(|| low.max(0).saturating_add(20)).max(low);
    let mut number = low;
    for _ in 0..ATTEMPTS {
        number = match random.below(4) {
            0 => low,
            1 => high,
            _ => random.between(low, high.min(low.saturating_add(1_000))),
        };
        if !wants.unequal.contains(&&Literal::Int(number)) {
            break;
        }
    }
    i64::try_from(number).unwrap_or_default()
}

/// A number on the wrong side of a bound.
pub(crate) fn beyond(side: BoundSide, bound: i128) -> i64 {
    let number = match side {
        BoundSide::Minimum => bound - 1,
        BoundSide::Maximum => bound + 1,
        BoundSide::ExclusiveMinimum | BoundSide::ExclusiveMaximum => bound,
    };
    i64::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_texts_that_keep_and_break_it() {
        let mut random = Random::new(1, 1);
        for format in Format::ALL {
            assert!(TEXTS.iter().any(|text| !text.is_empty() && format.is_valid(text)), "{format}");
            assert!(breaks_format(&mut random, *format).is_some(), "{format}");
        }
    }

    #[test]
    fn texts_match_their_pattern() {
        let mut random = Random::new(1, 1);
        for pattern in ["^[a-z]([-a-z0-9]*[a-z0-9])?$", "^(red|green)-[0-9]{2,4}$", "^a+$", r"^\d+(ms|s)$"] {
            let pattern = Regexp::new(pattern).unwrap();
            for _ in 0..50 {
                let text = matching(&mut random, &pattern);
                assert!(pattern.is_match(&text), "{text:?} {pattern:?}");
                let broken = breaks_pattern(&mut random, &pattern).unwrap();
                assert!(!pattern.is_match(&broken), "{broken:?} {pattern:?}");
            }
        }
    }
}
