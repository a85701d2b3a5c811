//! Reads Rust modules: types, constants and function signatures, with serde's view of the wire form.
//!
//! Inline modules, and child modules that are re-exported as a whole, are read as part of the package; macros are not
//! expanded, and bodies are stepped over.

mod attrs;
mod consts;
mod items;
mod lexer;
mod literal;
mod members;
mod parser;
mod parts;
mod serde_attrs;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::items::Declared;
use self::lexer::lex;
use self::parser::{Parser, State};
use crate::comment::{Doc, Line, OwnedLine};
use crate::lex::{MAX_FILE_BYTES, offset};
use crate::model::{Language, Package, TagLine};
use crate::span::{FileId, Finding, Sources, Span};

pub use self::consts::MAX_STRING_BYTES;
pub use self::items::MAX_MODULE_DEPTH;
pub use self::parts::{RustPart, rust_parts};

/// One Rust module.
#[derive(Clone, Copy, Debug)]
pub struct RustModuleInput<'a> {
    /// The module's path, such as `widgets::v1`; `crate` and `super` in the source are resolved by it.
    pub path: &'a str,
    /// Its file, then the files of its [parts](rust_parts).
    pub files: &'a [FileId],
}

/// Reads a module, with findings beside whatever could be read.
pub fn read_rust(input: RustModuleInput<'_>, sources: &Sources) -> (Package, Vec<Finding>) {
    let mut package = Package {
        path: input.path.to_owned(),
        name: input.path.rsplit("::").next().unwrap_or(input.path).to_owned(),
        language: Language::Rust,
        tags: Vec::new(),
        imports: BTreeMap::new(),
        types: Vec::new(),
        consts: Vec::new(),
        funcs: Vec::new(),
        unread_tags: Vec::new(),
    };
    let mut findings = Vec::new();
    let mut parsers = parsers(input, sources, &mut findings);
    let mut names = BTreeSet::new();
    for (parser, _) in &mut parsers {
        parser.collect_declared();
        names.append(&mut parser.state.declared);
    }
    let mut declared = Declared::default();
    let mut all_tags = Vec::new();
    for (at, (mut parser, plain_comments)) in parsers.into_iter().enumerate() {
        parser.state.declared.clone_from(&names);
        if at > 0 {
            // The module around a part is the package itself, whose imports the part does not see.
            parser.state.scopes.push(BTreeMap::new());
        }
        read_into(&mut package, &mut parser, &mut declared);
        let plain = plain_comments.iter().flat_map(|range| plain_tags(parser.text, range, parser.file));
        let tags: Vec<TagLine> = parser.doc_tags().into_iter().chain(plain).collect();
        let is_test = |line: &TagLine| parser.state.test_items.iter().any(|item| item.contains(&line.span.start));
        all_tags.extend(tags.into_iter().filter(|line| !is_test(line)));
        findings.append(&mut parser.findings);
    }
    package.types = declared.types;
    package.funcs = declared.funcs;
    package.find_unread(all_tags);
    (package, findings)
}

/// A parser for each file that can be read, with the places of comments that are not doc comments.
fn parsers<'a>(
    input: RustModuleInput<'a>,
    sources: &'a Sources,
    findings: &mut Vec<Finding>,
) -> Vec<(Parser<'a>, Vec<Range<usize>>)> {
    let first = input.files.first().and_then(|file| sources.get(*file));
    let parts: BTreeSet<String> = match first {
        Some(first) if input.files.len() > 1 && first.text.len() <= MAX_FILE_BYTES => {
            rust_parts(&first.text).into_iter().map(|part| part.name).collect()
        }
        _ => BTreeSet::new(),
    };
    let mut parsers = Vec::new();
    for &file in input.files {
        let Some(source) = sources.get(file) else {
            let message = format!("there is no source file number {}", file.0);
            findings.push(Finding::error(Span::NONE, message));
            continue;
        };
        if source.text.len() > MAX_FILE_BYTES {
            let message = format!("file is larger than {MAX_FILE_BYTES} bytes");
            findings.push(Finding::error(Span { file, start: 0, end: 0 }, message));
            continue;
        }
        let lexed = lex(&source.text);
        findings.extend(lexed.complaints.into_iter().map(|complaint| complaint.into_finding(file)));
        let state = State::new(input.path, parts.clone());
        let parser = Parser { text: &source.text, file, tokens: lexed.tokens, at: 0, findings: Vec::new(), state };
        parsers.push((parser, lexed.plain_comments));
    }
    parsers
}

fn read_into(package: &mut Package, parser: &mut Parser<'_>, declared: &mut Declared) {
    parser.items(parser.tokens.len(), declared);
    package.consts.extend(parser.constants(std::mem::take(&mut declared.consts)));
    package.tags.extend(Doc::read(parser.state.inner_docs.iter().map(OwnedLine::borrow)).tags);
    package.imports.extend(parser.state.scopes.drain(..).next().unwrap_or_default());
}

/// The tag lines of a comment that is not a doc comment.
fn plain_tags(text: &str, comment: &Range<usize>, file: FileId) -> Vec<TagLine> {
    let mut from = comment.start;
    let lines = text[comment.clone()].split_inclusive('\n').map(|line| {
        let skip = line.len() - line.trim_start_matches(['/', '*', ' ', '\t']).len();
        let said = line[skip..].trim_end();
        let text = said.strip_suffix("*/").unwrap_or(said).trim_end();
        let span = Span { file, start: offset(from + skip), end: offset(from + skip + text.len()) };
        from += line.len();
        Line { text, span }
    });
    Doc::read(lines).tags
}
