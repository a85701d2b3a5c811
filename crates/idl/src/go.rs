//! Reads Go packages: declarations with their comments, nothing of what functions do.
//!
//! Comments are attached as gengo does it: the block that ends on the line above a declaration is its doc comment,
//! the block one blank line further up is "detached". Two oddities of gengo are left out on purpose: a comment
//! behind the previous field is nobody's doc comment, and the doc comment of one type is never the detached one of
//! the next.

mod comments;
mod constraint;
mod consts;
mod decl;
mod fields;
mod imports;
mod lexer;
mod literal;
mod parser;
mod struct_tag;
#[cfg(test)]
mod tests;
mod types;

use std::collections::{BTreeMap, BTreeSet};

use self::comments::Comments;
use self::decl::Declared;
use self::imports::Imports;
use self::lexer::lex;
use self::parser::{Parser, State};
use crate::lex::{MAX_FILE_BYTES, MAX_FINDINGS};
use crate::model::{Language, Package, TagLine, TypeDef};
use crate::span::{FileId, Finding, Sources, Span};

pub use self::consts::{MAX_STEPS, MAX_STRING_BYTES};
pub use self::decl::MAX_SHARED_NAMES;

/// The files of one Go package.
#[derive(Clone, Copy, Debug)]
pub struct GoPackageInput<'a> {
    /// The import path.
    pub path: &'a str,
    /// Its files, in the order declarations are to be listed. Test files are skipped, and so are files whose name or
    /// build constraint keeps them out of an ordinary build on Linux.
    pub files: &'a [FileId],
}

/// Reads a package, with findings beside whatever could be read.
///
/// Constants that depend on those of other packages have no value; [`read_go_with`] takes these packages.
pub fn read_go(input: GoPackageInput<'_>, sources: &Sources) -> (Package, Vec<Finding>) {
    read_go_with(input, sources, &[])
}

/// Reads a package whose constants may depend on those of other packages.
pub fn read_go_with(input: GoPackageInput<'_>, sources: &Sources, others: &[&Package]) -> (Package, Vec<Finding>) {
    let mut findings = Vec::new();
    let files: Vec<File<'_>> = input.files.iter().filter_map(|id| read_file(*id, sources, &mut findings)).collect();
    let package = assemble(input.path, files, others, &mut findings);
    (package, findings)
}

/// One file that takes part in the package.
struct File<'a> {
    name: &'a str,
    parser: Parser<'a>,
    declared: Declared,
}

fn read_file<'a>(id: FileId, sources: &'a Sources, findings: &mut Vec<Finding>) -> Option<File<'a>> {
    let Some(source) = sources.get(id) else {
        findings.push(Finding::error(Span::NONE, format!("there is no source file number {}", id.0)));
        return None;
    };
    if !constraint::name_is_built(&source.name) {
        return None;
    }
    if source.text.len() > MAX_FILE_BYTES {
        let span = Span { file: id, start: 0, end: 0 };
        findings.push(Finding::error(span, format!("file is larger than {MAX_FILE_BYTES} bytes")));
        return None;
    }
    let lexed = lex(&source.text);
    let comments = Comments::new(&source.text, id, lexed.comments);
    if !is_built(&comments) {
        return None;
    }
    findings.extend(lexed.complaints.into_iter().map(|complaint| complaint.into_finding(id)));
    let mut parser = Parser {
        text: &source.text,
        file: id,
        tokens: lexed.tokens,
        at: 0,
        findings: Vec::new(),
        state: State { comments, imports: Imports::default(), entry: 0 },
    };
    let declared = parser.declarations();
    findings.append(&mut parser.findings);
    Some(File { name: &source.name, parser, declared })
}

/// True if the build constraint above the package clause, if there is one, holds.
fn is_built(comments: &Comments<'_>) -> bool {
    let constraint = comments.texts_before(0).find_map(|text| text.strip_prefix("//go:build "));
    constraint.and_then(constraint::holds).unwrap_or(true)
}

fn assemble(path: &str, mut files: Vec<File<'_>>, others: &[&Package], findings: &mut Vec<Finding>) -> Package {
    let types = types(&mut files, findings);
    let mut type_names: Vec<String> = types.iter().map(|ty| ty.name.clone()).collect();
    type_names.sort_unstable();
    let consts = files.iter().map(|file| (&file.parser, file.declared.consts.as_slice()));
    let (consts, mut const_findings) = consts::evaluate(consts, &type_names, others);
    findings.append(&mut const_findings);
    let mut imports = BTreeMap::new();
    for (alias, path) in files.iter().flat_map(|file| file.parser.state.imports.by_alias()) {
        imports.entry(alias).or_insert(path);
    }
    let all_tags = files.iter().flat_map(|file| file.parser.state.comments.before(usize::MAX).tags).collect();
    let mut package = Package {
        path: path.to_owned(),
        name: package_name(path, &files, findings),
        language: Language::Go,
        tags: package_tags(&files),
        imports,
        types,
        consts,
        funcs: files.into_iter().flat_map(|file| file.declared.funcs).collect(),
        unread_tags: Vec::new(),
    };
    package.find_unread(all_tags);
    package
}

fn package_name(path: &str, files: &[File<'_>], findings: &mut Vec<Finding>) -> String {
    let mut named = files.iter().filter_map(|file| file.declared.package.as_ref());
    let Some((name, _)) = named.next() else { return path.rsplit('/').next().unwrap_or(path).to_owned() };
    for (other, span) in named.filter(|(other, _)| other != name) {
        findings.push(Finding::error(*span, format!("package {other} among files of package {name}")));
    }
    name.clone()
}

/// All tags in doc.go; without that file, those above the package clauses, as controller-gen reads `groupversion_info.go`.
fn package_tags(files: &[File<'_>]) -> Vec<TagLine> {
    let is_doc = |file: &&File<'_>| file.name.rsplit(['/', '\\']).next() == Some("doc.go");
    let tags = |file: &File<'_>, end: usize| file.parser.state.comments.before(end).tags;
    if files.iter().any(|file| is_doc(&file)) {
        return files.iter().filter(is_doc).flat_map(|file| tags(file, usize::MAX)).collect();
    }
    files.iter().flat_map(|file| tags(file, 0)).collect()
}

fn types(files: &mut [File<'_>], findings: &mut Vec<Finding>) -> Vec<TypeDef> {
    let mut seen = BTreeSet::new();
    let mut types = Vec::new();
    let mut repeated = 0;
    for ty in files.iter_mut().flat_map(|file| file.declared.types.drain(..)) {
        if ty.name == "_" {
            continue;
        }
        if seen.insert(ty.name.clone()) {
            types.push(ty);
        } else if repeated < MAX_FINDINGS {
            repeated += 1;
            findings.push(Finding::error(ty.span, format!("type {} is declared twice", ty.name)));
        }
    }
    types
}
