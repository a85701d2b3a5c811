//! Go declarations: imports, types, constants and function signatures; everything else is stepped over.

use crate::comment::Doc;
use crate::lex::MAX_ENTRIES;
use crate::model::{Func, TypeDef, TypeExpr, TypeKind};
use crate::reader::Parse;
use crate::span::{Finding, Severity, Span};

use super::consts::RawConst;
use super::lexer::{Kind, Token};
use super::literal::unquote;
use super::parser::Parser;

/// Maximum number of names in one declaration (`A, B int`).
pub const MAX_SHARED_NAMES: usize = 32;

/// The declarations of one file.
#[derive(Default)]
pub(super) struct Declared {
    pub(super) package: Option<(String, Span)>,
    pub(super) types: Vec<TypeDef>,
    pub(super) consts: Vec<RawConst>,
    pub(super) funcs: Vec<Func>,
    /// The number of types, fields, constants and tags so far.
    pub(super) entries: usize,
}

impl Parser<'_> {
    /// Reads all declarations, skipping to the next one after a mistake.
    pub(super) fn declarations(&mut self) -> Declared {
        let mut out = Declared::default();
        if let Err(finding) = self.package_clause(&mut out) {
            self.report(finding);
        }
        while !self.at_end() {
            if let Err(finding) = self.declaration(&mut out) {
                self.report(finding);
                self.recover();
            }
            if out.entries > MAX_ENTRIES {
                break;
            }
        }
        out
    }

    fn package_clause(&mut self, out: &mut Declared) -> Parse<()> {
        self.expect("package")?;
        let name = self.name()?;
        out.package = Some((self.text_of(name).to_owned(), name.span(self.file)));
        self.end_of_entry("")
    }

    fn declaration(&mut self, out: &mut Declared) -> Parse<()> {
        let token = self.token();
        if token.kind == Kind::Semicolon {
            self.bump();
            return Ok(());
        }
        match self.text_of(token) {
            "import" => self.group(|parser, _| parser.import()),
            "type" => self.group(|parser, _| parser.type_spec(out)),
            "const" => {
                let mut previous = None;
                self.group(|parser, index| parser.const_spec(out, &mut previous, index))
            }
            "var" => self.group(|parser, _| parser.skip_spec()),
            "func" => self.func(out),
            _ => Err(self.expected("a declaration")),
        }
    }

    /// Accounts for a declaration and its tags, which are copied for each of the names that share them.
    pub(super) fn count(&self, doc: &Doc, out: &mut Declared) -> Parse<()> {
        out.entries += 1 + doc.tags.len();
        if out.entries > MAX_ENTRIES {
            return Err(self.too_many("types, fields, constants and tags in one file", MAX_ENTRIES));
        }
        Ok(())
    }

    /// Goes to the next keyword that starts a declaration at the start of a line.
    fn recover(&mut self) {
        loop {
            self.bump();
            let token = self.token();
            let starts_line = token.start == 0 || self.text.as_bytes()[token.start as usize - 1] == b'\n';
            let is_start = || matches!(self.text_of(token), "import" | "type" | "const" | "var" | "func");
            if token.kind == Kind::End || (starts_line && is_start()) {
                return;
            }
        }
    }

    /// One entry after a keyword, or several between parentheses.
    fn group(&mut self, mut entry: impl FnMut(&mut Self, usize) -> Parse<()>) -> Parse<()> {
        self.state.entry = self.at;
        self.bump();
        if !self.is("(") {
            entry(self, 0)?;
            return self.end_of_entry("");
        }
        self.after_brackets(self.at)?;
        self.bump();
        let mut index = 0;
        while !self.eat(")") {
            if self.token().kind == Kind::Semicolon {
                self.bump();
                continue;
            }
            self.state.entry = self.at;
            entry(self, index)?;
            self.end_of_entry(")")?;
            index += 1;
        }
        self.end_of_entry("")
    }

    fn import(&mut self) -> Parse<()> {
        let token = self.token();
        let alias = (self.is(".") || self.is_name_at(self.at)).then(|| self.text_of(token));
        if alias.is_some() {
            self.bump();
        }
        let literal = self.token();
        if literal.kind != Kind::String {
            return Err(self.expected("an import path"));
        }
        self.bump();
        let Some(path) = unquote(self.text_of(literal)) else {
            return Err(Finding::error(literal.span(self.file), "malformed import path"));
        };
        match alias {
            Some("_") => {}
            Some(".") => self.report(
                Finding::warning(
                    token.span(self.file),
                    format!("dot import of {path}: its names look like this package's own"),
                )
                .with_help("import it under a name"),
            ),
            _ => self.state.imports.add(alias, path),
        }
        Ok(())
    }

    fn type_spec(&mut self, out: &mut Declared) -> Parse<()> {
        let name = self.name()?;
        let doc = self.doc(name);
        let detached = self.state.comments.detached(&self.tokens, self.state.entry, name);
        let generics = self.generics()?;
        let alias = self.eat("=");
        let kind = if !alias && self.is("struct") {
            TypeKind::Struct(self.struct_fields(out)?)
        } else if alias {
            TypeKind::Alias(self.ty()?)
        } else {
            TypeKind::Typedef(self.ty()?)
        };
        self.count(&doc, out)?;
        out.types.push(TypeDef {
            name: self.text_of(name).to_owned(),
            kind,
            doc: doc.prose,
            tags: doc.tags,
            detached_tags: detached.tags,
            generics,
            exported: is_exported(self.text_of(name)),
            span: name.span(self.file),
        });
        Ok(())
    }

    /// Names of generic parameters: `[K comparable, V any]`, as against an array type's `[3]`.
    fn generics(&mut self) -> Parse<Vec<String>> {
        let next = self.at + 1;
        let after_name = self.token_at(next + 1);
        let declares = after_name.kind == Kind::Word || ["~", "[", ","].iter().any(|op| self.is_at(next + 1, op));
        if !self.is("[") || !self.is_name_at(next) || !declares {
            return Ok(Vec::new());
        }
        let close = self.after_brackets(self.at)? - 1;
        let mut names = Vec::new();
        let mut expects_name = true;
        let mut index = next;
        while index < close {
            if expects_name && self.is_name_at(index) {
                names.push(self.text_of(self.token_at(index)).to_owned());
            }
            expects_name = self.is_at(index, ",");
            index = match self.token_at(index).partner() {
                Some(partner) if partner > index => partner + 1,
                _ => index + 1,
            };
        }
        self.at = close + 1;
        Ok(names)
    }

    /// `A, B = …` of constants and what it declares.
    fn const_spec(&mut self, out: &mut Declared, previous: &mut Option<Repeat>, iota: usize) -> Parse<()> {
        let names = self.shared_names()?;
        let ty = if self.is_name_at(self.at) { Some(self.const_type()?) } else { None };
        if self.eat("=") {
            *previous = Some(Repeat { ty, values: self.expressions()? });
        } else if ty.is_some() || previous.is_none() {
            return Err(self.expected("'='"));
        }
        let Some(Repeat { ty, values }) = previous else { return Ok(()) };
        for (index, name) in names.iter().enumerate() {
            let Some(value) = values.get(index) else {
                let message = format!("constant {} has no value", self.text_of(*name));
                return Err(Finding::error(name.span(self.file), message));
            };
            let doc = self.doc(*name);
            self.count(&doc, out)?;
            out.consts.push(RawConst {
                name: self.text_of(*name).to_owned(),
                ty: ty.clone(),
                value: *value,
                iota: i128::try_from(iota).unwrap_or_default(),
                doc,
                span: name.span(self.file),
            });
        }
        Ok(())
    }

    fn const_type(&mut self) -> Parse<TypeExpr> {
        let token = self.token();
        match self.named_type()? {
            TypeExpr::Named(name) if !name.args.is_empty() => {
                Err(Finding::error(token.span(self.file), "a constant cannot have a generic type"))
            }
            ty => Ok(ty),
        }
    }

    pub(super) fn shared_names(&mut self) -> Parse<Vec<Token>> {
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
            if names.len() > MAX_SHARED_NAMES {
                return Err(self.too_many("names in one declaration", MAX_SHARED_NAMES));
            }
        }
        Ok(names)
    }

    /// Steps over a list of expressions, noting which tokens each consists of.
    fn expressions(&mut self) -> Parse<Vec<(usize, usize)>> {
        let mut ranges = Vec::new();
        let mut from = self.at;
        loop {
            let token = self.token();
            let ends = matches!(token.kind, Kind::Semicolon | Kind::End) || self.is(")");
            if ends || self.is(",") {
                if from == self.at {
                    return Err(self.expected("an expression"));
                }
                ranges.push((from, self.at));
                from = self.at + 1;
            }
            if ends {
                return Ok(ranges);
            }
            self.skip_tree()?;
        }
    }

    /// Steps over a variable.
    fn skip_spec(&mut self) -> Parse<()> {
        while !matches!(self.token().kind, Kind::Semicolon | Kind::End) && !self.is(")") {
            self.skip_tree()?;
        }
        Ok(())
    }

    fn func(&mut self, out: &mut Declared) -> Parse<()> {
        self.bump();
        let is_method = self.is("(");
        if is_method {
            self.skip_brackets()?;
        }
        let name = self.name()?;
        if self.is("[") {
            self.skip_brackets()?;
        }
        let before = self.findings.len();
        let (params, results) = self.signature(0)?;
        let warnings = self.findings.split_off(before);
        self.findings.extend(warnings.into_iter().filter(|finding| finding.severity == Severity::Error));
        if self.is("{") {
            self.skip_brackets()?;
        }
        if !is_method {
            self.count(&Doc::default(), out)?;
            out.funcs.push(Func { name: self.text_of(name).to_owned(), params, results, span: name.span(self.file) });
        }
        self.end_of_entry("")
    }
}

/// The expression that constants without a value of their own repeat.
struct Repeat {
    ty: Option<TypeExpr>,
    values: Vec<(usize, usize)>,
}

pub(super) fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
