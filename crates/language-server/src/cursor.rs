//! The place of the cursor in block YAML, read from indentation, so that it is known amid a document that is not finished.

use std::collections::BTreeSet;

use sprag_decode::locate::Step;

/// Maximum number of lines that are read above and below the cursor.
const MAX_LINES: usize = 20_000;

/// The place of the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The group and version, and the kind, of the document, as far as they are written.
    pub(crate) api_version: Option<String>,
    pub(crate) kind: Option<String>,
    /// The way to the map that a key is typed in, or to the value that is typed.
    pub(crate) steps: Vec<Step>,
    /// The part that is typed.
    pub(crate) part: Part,
    /// The byte that the typed word begins at.
    pub(crate) start: usize,
    /// The keys that the map has beside the typed one.
    pub(crate) siblings: BTreeSet<String>,
    /// The column of the keys of the map.
    pub(crate) column: usize,
    /// True if a colon follows the word already.
    pub(crate) has_colon: bool,
}

/// The part of a document that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A key, or an element of a list.
    Key,
    /// The value behind a key.
    Value,
}

/// A line with its dashes and its key.
#[derive(Debug)]
struct Line<'t> {
    /// The columns of dashes at its begin.
    dashes: Vec<usize>,
    /// The column behind them.
    column: usize,
    /// The key, and what stands behind its colon.
    key: Option<(&'t str, &'t str)>,
    /// True for an empty line and a comment.
    is_blank: bool,
}

impl<'t> Line<'t> {
    fn read(line: &'t str) -> Line<'t> {
        let mut column = line.len() - line.trim_start_matches(' ').len();
        let mut dashes = Vec::new();
        while let Some(rest) = line[column..].strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            dashes.push(column);
            column += 1 + rest.len() - rest.trim_start_matches(' ').len();
        }
        let rest = line[column..].trim_end();
        let is_blank = (rest.is_empty() && dashes.is_empty()) || rest.starts_with('#');
        Line { dashes, column, key: key(rest), is_blank }
    }

    /// The column that it begins at.
    fn indent(&self) -> usize {
        self.dashes.first().copied().unwrap_or(self.column)
    }
}

/// The key of a line, and what stands behind its colon.
fn key(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    if let Some(quote) = quote {
        let (name, rest) = text[1..].split_once(quote)?;
        let value = rest.trim_start().strip_prefix(':')?;
        return (value.is_empty() || value.starts_with(' ')).then(|| (name, value.trim()));
    }
    if text.starts_with(['{', '[', '#', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let at = text.find(": ").or_else(|| text.strip_suffix(':').map(str::len))?;
    Some((text[..at].trim_end(), text[at + 1..].trim()))
}

/// True for the begin of a block of text, whose lines are no YAML.
fn opens_block(value: &str) -> bool {
    value.starts_with(['|', '>'])
}

/// Finds the place of a byte; none in flow collections, comments and blocks of text.
pub(crate) fn place(text: &str, offset: usize) -> Option<Place> {
    let offset = offset.min(text.len());
    let line_start = text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..offset];
    let after = text[offset..].split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let above = lines_above(&text[..line_start]);
    let below = lines_below(text[offset..].split_once('\n').map_or("", |(_, rest)| rest));
    let whole = format!("{before}{after}");
    let current = Line::read(before);
    if before.trim_start().starts_with('#') || before.contains(" #") || in_block(&above, current.indent()) {
        return None;
    }
    let word = &before[current.column.min(before.len())..];
    if word.starts_with(['{', '[']) || matches!(key(word), Some((_, value)) if value.starts_with(['{', '['])) {
        return None;
    }
    let (mut steps, mut siblings) = walk(&above, &current);
    let column = current.column;
    sibling_keys(&below, column, &mut siblings);
    let (part, start) = match key(word) {
        Some((name, value)) => {
            steps.push(Step::Member(name.to_owned()));
            (Part::Value, offset - value.len())
        }
        None => (Part::Key, offset - word.len()),
    };
    let has_colon = part == Part::Key && Line::read(&whole).key.is_some();
    let top = |name: &str| {
        let found = above.iter().chain(&below).map(|line| line.trim_end()).chain(std::iter::once(whole.trim_end()));
        let mut values = found.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        let value = values.next()?.trim().trim_matches(['"', '\'']);
        (!value.is_empty()).then(|| value.to_owned())
    };
    Some(Place { api_version: top("apiVersion"), kind: top("kind"), steps, part, start, siblings, column, has_colon })
}

/// The lines of the document above, the nearest first.
fn lines_above(text: &str) -> Vec<&str> {
    let lines = text.strip_suffix('\n').map(|text| text.rsplit('\n')).into_iter().flatten();
    lines.map(|line| line.trim_end_matches('\r')).take_while(|line| !is_separator(line)).take(MAX_LINES).collect()
}

fn lines_below(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| !is_separator(line)).take(MAX_LINES).collect()
}

fn is_separator(line: &str) -> bool {
    line == "---" || line.starts_with("--- ")
}

/// True inside of a block of text.
fn in_block(above: &[&str], indent: usize) -> bool {
    let mut least = indent;
    for line in above.iter().map(|line| Line::read(line)).filter(|line| !line.is_blank) {
        if line.indent() < least {
            let value = line.key.map_or("", |(_, value)| value);
            if opens_block(value) {
                return true;
            }
            least = line.indent();
        }
        if least == 0 {
            return false;
        }
    }
    false
}

/// The way to the map that a line is in, and the keys above in the same map.
fn walk(above: &[&str], current: &Line<'_>) -> (Vec<Step>, BTreeSet<String>) {
    let mut steps = Vec::new();
    let mut siblings = BTreeSet::new();
    let mut column = current.column;
    // The index of the element that is looked at, once its dash was passed.
    let mut dashes: Vec<usize> = current.dashes.clone();
    let mut is_own = true;
    let mut at = 0;
    loop {
        if let Some(dash) = dashes.pop() {
            let inner = !dashes.is_empty();
            let mut index = 0;
            let mut parent = None;
            if !inner {
                while let Some(line) = above.get(at).map(|line| Line::read(line)) {
                    at += 1;
                    if line.is_blank || line.indent() > dash {
                        continue;
                    }
                    if line.dashes.contains(&dash) {
                        index += 1;
                        if line.dashes.first() == Some(&dash) {
                            continue;
                        }
                    }
                    parent = Some(line);
                    break;
                }
            }
            steps.push(Step::Element(index));
            is_own = false;
            if inner {
                continue;
            }
            let Some(line) = parent else { break };
            if line.dashes.contains(&dash) {
                dashes = line.dashes.iter().copied().filter(|column| *column < dash).collect();
                continue;
            }
            let Some((name, _)) = line.key else { break };
            steps.push(Step::Member(name.to_owned()));
            column = line.column;
            dashes = line.dashes;
            continue;
        }
        let Some(line) = above.get(at).map(|line| Line::read(line)) else { break };
        at += 1;
        if line.is_blank || line.indent() > column || (line.column > column && line.dashes.is_empty()) {
            continue;
        }
        if line.column == column {
            if is_own && let Some((name, _)) = line.key {
                siblings.insert(name.to_owned());
            }
            dashes = line.dashes;
            continue;
        }
        if line.column > column {
            // An element of a list that is a sibling of the keys, as `- a` below `key:` at the same column.
            continue;
        }
        let Some((name, _)) = line.key else { continue };
        steps.push(Step::Member(name.to_owned()));
        is_own = false;
        column = line.column;
        dashes = line.dashes;
    }
    steps.reverse();
    (steps, siblings)
}

/// Adds the keys of the same map in the lines below.
fn sibling_keys(below: &[&str], column: usize, siblings: &mut BTreeSet<String>) {
    for line in below.iter().map(|line| Line::read(line)).filter(|line| !line.is_blank) {
        if line.indent() < column {
            break;
        }
        if line.indent() == column
            && line.dashes.is_empty()
            && let Some((name, _)) = line.key
        {
            siblings.insert(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the bar in a text, as `path|part|siblings`.
    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let offset = text.find('|').unwrap();
        let found = place(&text.replacen('|', "", 1), offset).map(|place| {
            let steps: Vec<String> = place
                .steps
                .iter()
                .map(|step| match step {
                    Step::Member(name) => name.clone(),
                    Step::Element(index) => index.to_string(),
                })
                .collect();
            let siblings: Vec<String> = place.siblings.into_iter().collect();
            format!("{} {:?} {}", steps.join("."), place.part, siblings.join(","))
        });
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn keys_and_values_have_places() {
        check("kind: Pod\n|", Some(" Key kind"));
        check("spec:\n  a: 1\n  |\n  b: 2\n", Some("spec Key a,b"));
        check("spec:\n  list:\n  - name: a\n    |\n  - name: b\n", Some("spec.list.0 Key name"));
        check("spec:\n  list:\n  - name: a\n  - na|\n", Some("spec.list.1 Key "));
        check("spec:\n  list:\n    - name: a\n      inner:\n        x: |\n", Some("spec.list.0.inner.x Value "));
        check("spec:\n  list:\n  - name: a\n  other: |\n", Some("spec.other Value list"));
        check("kind: De|", Some("kind Value "));
        check("a:\n- - b|\n", Some("a.0.0 Key "));
        check("a: 1\n---\nb: |", Some("b Value "));
    }

    #[test]
    fn texts_and_comments_have_none() {
        check("a: x\nb: # |\n", None);
        check("a: {b|", None);
        check("# a|", None);
    }

    #[test]
    fn blocks_of_text_have_none() {
        let text = "data:\n  a: >\n    some: te";
        assert_eq!(place(text, text.len()), None);
        let text = "data:\n  a: >\n    some: te\n  b";
        assert!(place(text, text.len()).is_some());
    }

    #[test]
    fn odd_texts_do_no_harm() {
        let texts = ["", "-", "- - -", ":", "'a", "\"", "a: 'b\n c", "\u{e9}: \u{1F600}", "- ", "---", "  \n\n  -"];
        for text in texts {
            for offset in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                place(text, offset);
            }
        }
    }
}
