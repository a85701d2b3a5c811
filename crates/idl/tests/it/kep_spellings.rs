//! Every way the specification spells a `+k8s:` tag is read under `Syntax::Kep`.

use std::collections::BTreeSet;

use sprag_idl::{Span, Syntax, parse_tag};

use crate::shared;

/// The distinct spellings, one per line.
const SPELLINGS: &str = include_str!("../data/kep-spellings.txt");

/// Text in the prose that looks like a tag but is not: placeholders, sets of names, one typo.
const NOT_TAGS: &[&str] = &[
    "+k8s:",
    "+k8s:[minimum|maximum]",
    "+k8s:each[Key|Val]",
    "+k8s:eachKey=<validator-tag>",
    "+k8s:eachVal=<validator-tag>",
    "+k8s:format={format",
    "+k8s:ifNotSubresource(\"/resize\"')=+k8s:immutable",
    "+k8s:ifOptionDisabled(FeatureX)=<validator-tag>",
    "+k8s:ifOptionEnabled(FeatureX)=<validator-tag>",
    "+k8s:max{Length,Items}",
    "+k8s:memberOf(group: <groupname>)",
    "+k8s:min{Length,Items}",
    "+k8s:required(new w/ validation-gen)",
    "+k8s:subfield(field)=<validator-tag>",
    "+k8s:subfield(sliceField)=+k8s:eachVal=+k8s:subfield(stringField)=+k8s:<desired-validaton-rule>",
    "+k8s:union[Member|Discriminator]",
];

#[test]
fn every_spelling_is_read() {
    for line in SPELLINGS.lines() {
        let text = line.strip_prefix('+').unwrap();
        if let Err(error) = parse_tag(text, Span::NONE, Syntax::Kep) {
            panic!("{line}: {error}");
        }
    }
}

#[test]
fn placeholders_are_refused() {
    for text in NOT_TAGS.iter().filter(|text| **text != "+k8s:") {
        assert!(parse_tag(&text[1..], Span::NONE, Syntax::Kep).is_err(), "{text}");
    }
}

#[test]
fn the_list_is_complete() {
    let Some(seed) = shared("seeds/001_0675a5f0ed3ca650.txt") else { return };
    let mut found = BTreeSet::new();
    for line in seed.lines() {
        let whole_line = line.trim().trim_start_matches("//").trim_start();
        if line.trim().starts_with("//") && whole_line.starts_with("+k8s:") {
            found.insert(whole_line);
        }
        for (at, _) in line.match_indices("+k8s:") {
            if !line[..at].ends_with('=') {
                found.insert(spelling(&line[at..]));
            }
        }
    }
    let listed: BTreeSet<&str> = SPELLINGS.lines().chain(NOT_TAGS.iter().copied()).collect();
    let missing: Vec<_> = found.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&found).collect();
    assert!(missing.is_empty() && stale.is_empty(), "missing: {missing:#?}\nstale: {stale:#?}");
}

/// The longest start of a prose line that is meant as one tag.
fn spelling(line: &str) -> &str {
    let mut at = 0;
    loop {
        at += 1;
        at += line[at..].find(|c: char| !(c.is_alphanumeric() || "_-.:".contains(c))).unwrap_or(line.len() - at);
        match line[at..].chars().next() {
            Some('(') => match line[at..].find(')') {
                Some(close) => at += close + 1,
                None => return &line[..at],
            },
            Some('{' | '[' | '<') => return word(line, at),
            _ if line.as_bytes()[at - 1] != b':' || at > "+k8s:".len() => {
                let trimmed = line[..at].trim_end_matches(['.', ':']);
                if trimmed.len() < at {
                    return trimmed;
                }
            }
            _ => {}
        }
        match line[at..].strip_prefix('=') {
            Some(value) if value.starts_with("+k8s:") => at += 1,
            Some(value) if value.starts_with("...") => return word_with_dots(line, at),
            Some(_) => return word(line, at),
            None => return &line[..at],
        }
    }
}

fn word_with_dots(line: &str, at: usize) -> &str {
    let end = line[at..].find(char::is_whitespace).map_or(line.len(), |blank| at + blank);
    &line[..end]
}

fn word(line: &str, at: usize) -> &str {
    word_with_dots(line, at).trim_end_matches([')', '.', ',', ';'])
}
