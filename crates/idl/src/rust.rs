//! Reads Rust modules: types, constants and function signatures, with serde's view of the wire form.
//!
//! Inline modules are read as part of the package; macros are not expanded, and bodies are stepped over.

mod attrs;
mod consts;
mod items;
mod lexer;
mod literal;
mod members;
mod parser;
mod serde_attrs;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use std::collections::BTreeSet;
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

/// One Rust module, which is one file.
#[derive(Clone, Copy, Debug)]
pub struct RustModuleInput<'a> {
    /// The module's path, such as `widgets::v1`; `crate` and `super` in the source are resolved by it.
    pub path: &'a str,
    /// Its file.
    pub file: FileId,
}

/// Reads a module, with findings beside whatever could be read.
pub fn read_rust(input: RustModuleInput<'_>, sources: &Sources) -> (Package, Vec<Finding>) {
    let mut package = Package {
        path: input.path.to_owned(),
        name: input.path.rsplit("::").next().unwrap_or(input.path).to_owned(),
        language: Language::Rust,
        tags: Vec::new(),
        imports: std::collections::BTreeMap::new(),
        types: Vec::new(),
        consts: Vec::new(),
        funcs: Vec::new(),
        unread_tags: Vec::new(),
    };
    let Some(source) = sources.get(input.file) else {
        let message = format!("there is no source file number {}", input.file.0);
        return (package, vec![Finding::error(Span::NONE, message)]);
    };
    if source.text.len() > MAX_FILE_BYTES {
        let span = Span { file: input.file, start: 0, end: 0 };
        let message = format!("file is larger than {MAX_FILE_BYTES} bytes");
        return (package, vec![Finding::error(span, message)]);
    }
    let lexed = lex(&source.text);
    let mut findings: Vec<Finding> =
        lexed.complaints.into_iter().map(|complaint| complaint.into_finding(input.file)).collect();
    let state = State {
        package: input.path,
        declared: BTreeSet::new(),
        inline_modules: BTreeSet::new(),
        scopes: Vec::new(),
        uses: 0,
        inner_docs: Vec::new(),
        test_items: Vec::new(),
    };
    let mut parser =
        Parser { text: &source.text, file: input.file, tokens: lexed.tokens, at: 0, findings: Vec::new(), state };
    read_into(&mut package, &mut parser);
    let mut all_tags = parser.doc_tags();
    all_tags.extend(lexed.plain_comments.iter().flat_map(|range| plain_tags(&source.text, range, input.file)));
    all_tags.retain(|line| !parser.state.test_items.iter().any(|item| item.contains(&line.span.start)));
    package.find_unread(all_tags);
    findings.append(&mut parser.findings);
    (package, findings)
}

fn read_into(package: &mut Package, parser: &mut Parser<'_>) {
    let mut declared = Declared::default();
    parser.collect_declared();
    parser.items(parser.tokens.len(), &mut declared);
    package.consts = parser.constants(declared.consts);
    package.types = declared.types;
    package.funcs = declared.funcs;
    package.tags = Doc::read(parser.state.inner_docs.iter().map(OwnedLine::borrow)).tags;
    package.imports = parser.state.scopes.drain(..).next().unwrap_or_default();
}

/// The tag lines of a comment that is no doc comment.
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
