//! The objects under check, read from files or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};
use sprag_idl::{Finding, Sources, Span};
use sprag_value::{Value, json};

use crate::output::Terminal;

/// An object, and what it was before.
pub(super) struct Objects {
    pub(super) new: Value,
    pub(super) old: Option<Value>,
}

impl Objects {
    /// Reads both; text that is not JSON is shown, and `None` returned.
    pub(super) fn read(new: &Path, old: Option<&Path>, terminal: &mut Terminal) -> anyhow::Result<Option<Objects>> {
        if is_stdin(new) && old.is_some_and(is_stdin) {
            bail!("only one of -f and --old can be read from standard input");
        }
        let new = read(new, terminal)?;
        let old = old.map(|old| read(old, terminal)).transpose()?;
        Ok(match (new, old) {
            (Some(new), None) => Some(Objects { new, old: None }),
            (Some(new), Some(Some(old))) => Some(Objects { new, old: Some(old) }),
            _ => None,
        })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn read(path: &Path, terminal: &mut Terminal) -> anyhow::Result<Option<Value>> {
    let mut name = path.display().to_string();
    let result = if is_stdin(path) {
        "standard input".clone_into(&mut name);
        read_limited(io::stdin().lock())
    } else {
        File::open(path).and_then(read_limited)
    };
    let bytes = result.with_context(|| name.clone())?;
    match json::parse(&bytes) {
        Ok(value) => Ok(Some(value)),
        Err(error) => {
            show(&name, bytes, &error, terminal);
            Ok(None)
        }
    }
}

fn read_limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(json::MAX_INPUT_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that the parser sees that there is too much.
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn show(name: &str, bytes: Vec<u8>, error: &json::JsonError, terminal: &mut Terminal) {
    let mut sources = Sources::default();
    let place = error.position();
    let message = format!("not JSON: {error}");
    let finding = match (String::from_utf8(bytes), u32::try_from(place.offset)) {
        (Ok(text), Ok(start)) => {
            let letter = text.get(place.offset..).and_then(|rest| rest.chars().next()).filter(|letter| *letter != '\n');
            let end = start + letter.map_or(0, |letter| u32::try_from(letter.len_utf8()).unwrap_or(0));
            Finding::error(Span { file: sources.add(name, text), start, end }, message)
        }
        _ => Finding::error(Span::NONE, format!("{name}:{}:{}: {message}", place.line, place.column)),
    };
    terminal.finding(&finding, &sources);
}
