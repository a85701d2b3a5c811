//! Rust items: types, constants and function signatures; everything else is stepped over.

use std::collections::BTreeSet;

use crate::comment::Doc;
use crate::lex::MAX_ENTRIES;
use crate::model::{Builtin, Func, TypeDef, TypeExpr, TypeKind, TypeName};
use crate::reader::Parse;
use crate::span::{Finding, Span};

use super::attrs::Attributes;
use super::lexer::{Kind, Token};
use super::parser::Parser;

/// Maximum nesting of inline modules.
pub const MAX_MODULE_DEPTH: usize = 32;

/// The tokens that most items begin with.
const ITEM_STARTS: &[&str] = &["#", "const", "enum", "fn", "impl", "mod", "pub", "struct", "trait", "type", "use"];

/// The declarations of a file.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) types: Vec<TypeDef>,
    pub(super) consts: Vec<RawConst>,
    pub(super) funcs: Vec<Func>,
    /// The number of types, fields, variants and constants so far.
    pub(super) entries: usize,
    names: BTreeSet<String>,
}

/// A constant whose value has not been worked out.
pub(super) struct RawConst {
    pub(super) name: String,
    pub(super) ty: TypeExpr,
    /// The tokens of its value.
    pub(super) value: (usize, usize),
    pub(super) doc: Doc,
    pub(super) span: Span,
}

impl Parser<'_> {
    /// Reads all items up to the token at `end`, skipping to the next one after a mistake.
    pub(super) fn items(&mut self, end: usize, out: &mut Declared) {
        self.collect_uses(end);
        while self.at < end && !self.at_end() {
            if let Err(finding) = self.item(end, out) {
                self.report(finding);
                self.recover(end);
            }
            if out.entries > MAX_ENTRIES {
                let finding = self.too_many("types, fields, variants and constants in one file", MAX_ENTRIES);
                self.report(finding);
                self.at = self.tokens.len();
            }
        }
        if self.state.scopes.len() > 1 {
            self.state.scopes.pop();
        }
    }

    /// Goes on after the next semicolon or block, or at the next line that looks like the start of an item.
    fn recover(&mut self, end: usize) {
        while self.at < end && !self.at_end() {
            let is_last = self.is_any(&[";", "{", "}"]);
            let line = self.token().line;
            if self.skip_tree().is_err() {
                self.bump();
            }
            let starts_line = self.token().line > line;
            if is_last || (starts_line && self.is_any(ITEM_STARTS)) {
                return;
            }
        }
    }

    fn item(&mut self, end: usize, out: &mut Declared) -> Parse<()> {
        let start = self.token().start;
        let attributes = self.attributes()?;
        if self.at >= end || self.at_end() || self.eat(";") {
            return Ok(());
        }
        if attributes.is_test {
            return self.test_item(start);
        }
        let exported = self.visibility()?;
        self.skip_modifiers();
        if !self.is_word_at(self.at) {
            return Err(self.expected("an item"));
        }
        match self.text_of(self.token()) {
            "use" | "static" => self.skip_statement(),
            "mod" => self.module(out),
            "struct" => self.structure(&attributes, exported, out),
            "enum" => self.enumeration(&attributes, exported, out),
            "type" => self.alias(&attributes, exported, out),
            "const" => self.constant(&attributes, out),
            "fn" => self.function(out),
            "impl" => self.implementation(out),
            "trait" | "extern" | "union" => self.skip_item(),
            _ if self.is_at(self.at + 1, "!") || self.is_path_sep(self.at + 1) => self.skip_item(),
            _ => Err(self.expected("an item")),
        }
    }

    /// Steps over an item that exists in tests only; tags in it say nothing about the API.
    fn test_item(&mut self, start: u32) -> Parse<()> {
        self.visibility()?;
        self.skip_modifiers();
        let skipped =
            if self.is_any(&["use", "static", "const", "type"]) { self.skip_statement() } else { self.skip_item() };
        self.state.test_items.push(start..self.token().start);
        skipped
    }

    /// Reads the visibility; true if the item is visible everywhere.
    pub(super) fn visibility(&mut self) -> Parse<bool> {
        if !self.eat("pub") {
            return Ok(false);
        }
        let restricts = ["crate", "self", "super", "in"].iter().any(|word| self.is_at(self.at + 1, word));
        if self.is("(") && restricts {
            self.skip_brackets()?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Steps over what may stand before `fn`, `impl`, `trait` or `mod`.
    fn skip_modifiers(&mut self) {
        loop {
            let next = self.at + 1;
            let is_modifier = match self.text_of(self.token()) {
                "unsafe" | "async" | "auto" | "safe" | "default" => self.is_word_at(next),
                "const" => ["fn", "unsafe", "async", "extern"].iter().any(|word| self.is_at(next, word)),
                "extern" => self.is_at(next, "fn") || self.is_at(next + 1, "fn"),
                _ => false,
            };
            if !is_modifier {
                return;
            }
            self.bump();
            if self.token().kind == Kind::String {
                self.bump();
            }
        }
    }

    /// Steps over an item that ends with a semicolon.
    fn skip_statement(&mut self) -> Parse<()> {
        self.skip_to(&[";"])?;
        self.expect(";").map(drop)
    }

    /// Steps over an item that ends with a block or a semicolon.
    fn skip_item(&mut self) -> Parse<()> {
        self.skip_to(&[";", "{"])?;
        self.skip_tree()
    }

    fn module(&mut self, out: &mut Declared) -> Parse<()> {
        self.bump();
        self.word("a name")?;
        if self.eat(";") {
            return Ok(());
        }
        if !self.is("{") {
            return Err(self.expected("'{'"));
        }
        let after = self.after_brackets(self.at)?;
        if self.state.scopes.len() > MAX_MODULE_DEPTH {
            let finding = self.too_many("inline modules inside each other", MAX_MODULE_DEPTH);
            self.at = after;
            return Err(finding);
        }
        self.bump();
        self.items(after - 1, out);
        self.at = self.at.max(after);
        Ok(())
    }

    pub(super) fn define(
        &mut self,
        name: Token,
        kind: TypeKind,
        generics: Vec<String>,
        exported: bool,
        doc: Doc,
        out: &mut Declared,
    ) {
        out.entries += 1;
        if !out.names.insert(self.name_of(name).to_owned()) {
            self.report(self.taken(name));
            return;
        }
        out.types.push(TypeDef {
            name: self.name_of(name).to_owned(),
            kind,
            doc: doc.prose,
            tags: doc.tags,
            detached_tags: Vec::new(),
            generics,
            exported,
            span: name.span(self.file),
        });
    }

    fn alias(&mut self, attributes: &Attributes, exported: bool, out: &mut Declared) -> Parse<()> {
        self.bump();
        let name = self.word("a name")?;
        let generics = self.generics()?;
        self.skip_to(&["=", ";"])?;
        self.expect("=")?;
        let ty = self.ty()?;
        self.skip_statement()?;
        self.define(name, TypeKind::Alias(ty), generics, exported, attributes.doc(), out);
        Ok(())
    }

    fn constant(&mut self, attributes: &Attributes, out: &mut Declared) -> Parse<()> {
        self.bump();
        let name = self.word("a name")?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect("=")?;
        let start = self.at;
        self.skip_to(&[";"])?;
        out.entries += 1;
        out.consts.push(RawConst {
            name: self.name_of(name).to_owned(),
            ty,
            value: (start, self.at),
            doc: attributes.doc(),
            span: name.span(self.file),
        });
        self.expect(";").map(drop)
    }

    /// The constants in `impl Name { … }` that are values of a type declared here; everything else is stepped over.
    fn implementation(&mut self, out: &mut Declared) -> Parse<()> {
        let name = self.token_at(self.at + 1);
        let is_own = self.is_at(self.at + 2, "{") && self.state.declared.contains(self.name_of(name));
        if !is_own {
            return self.skip_item();
        }
        self.at += 2;
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        while self.at < close {
            let attributes = self.attributes()?;
            self.visibility()?;
            self.skip_modifiers();
            match self.text_of(self.token()) {
                _ if self.at >= close => {}
                "const" if !attributes.is_test => {
                    self.constant(&attributes, out)?;
                    own_constant(self.name_of(name), out);
                }
                "const" | "type" => self.skip_statement()?,
                _ => self.skip_item()?,
            }
        }
        self.at = close + 1;
        Ok(())
    }

    fn function(&mut self, out: &mut Declared) -> Parse<()> {
        self.bump();
        let name = self.word("a name")?;
        self.skip_angles()?;
        let params = self.params()?;
        let arrow = self.is_pair(self.at, "-", ">");
        let results = if arrow {
            self.at += 2;
            vec![self.ty()?]
        } else {
            Vec::new()
        };
        self.skip_item()?;
        out.entries += 1;
        out.funcs.push(Func { name: self.name_of(name).to_owned(), params, results, span: name.span(self.file) });
        Ok(())
    }

    fn params(&mut self) -> Parse<Vec<TypeExpr>> {
        if !self.is("(") {
            return Err(self.expected("'('"));
        }
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        let mut types = Vec::new();
        while self.at < close {
            self.skip_to(&[":", ")"])?;
            self.expect(":")?;
            types.push(self.ty()?);
            if self.at < close {
                self.expect(",")?;
            }
        }
        self.at = close + 1;
        Ok(types)
    }

    /// Names of the generic types and constants declared here.
    pub(super) fn generics(&mut self) -> Parse<Vec<String>> {
        let start = self.at;
        self.skip_angles()?;
        let end = self.at;
        let mut names = Vec::new();
        let mut angles = 0_usize;
        let mut index = start;
        while index < end {
            let opens = angles == 1 && (index == start + 1 || self.is_at(index - 1, ","));
            let skip = usize::from(opens && self.is_at(index, "const"));
            if opens && self.is_word_at(index + skip) {
                names.push(self.name_of(self.token_at(index + skip)).to_owned());
            }
            match () {
                () if self.is_at(index, "<") => angles += 1,
                () if self.is_at(index, ">") && !self.is_pair(index - 1, "-", ">") => angles = angles.saturating_sub(1),
                () => {}
            }
            index = match self.token_at(index).partner() {
                Some(partner) if partner > index => partner + 1,
                _ => index + 1,
            };
        }
        Ok(names)
    }

    pub(super) fn serde<T>(&mut self, read: impl FnOnce(&mut Vec<Finding>) -> T) -> T {
        let mut findings = Vec::new();
        let value = read(&mut findings);
        for finding in findings {
            self.report(finding);
        }
        value
    }
}

/// Gives the last constant the type whose value it is, or drops it: texts are values of a type of text.
fn own_constant(name: &str, out: &mut Declared) {
    let Some(item) = out.consts.last_mut() else { return };
    let is_value = match &item.ty {
        TypeExpr::Builtin(Builtin::String) => true,
        TypeExpr::Named(ty) => ty.package.is_none() && (ty.name == name || ty.name == "Self"),
        _ => false,
    };
    if is_value {
        item.ty = TypeExpr::Named(TypeName { package: None, name: name.to_owned(), args: Vec::new() });
    } else {
        out.consts.pop();
    }
}
