//! `use` declarations, and which path a name stands for.

use std::collections::BTreeMap;

use crate::reader::Parse;
use crate::span::Finding;

use super::lexer::Kind;
use super::parser::Parser;

/// Maximum nesting of the braces of a `use`.
const MAX_USE_DEPTH: usize = 32;

/// Maximum number of names that one file imports.
const MAX_USES: usize = 20_000;

/// Maximum number of segments of a path.
pub(super) const MAX_SEGMENTS: usize = 32;

/// The names imported by one module: name to full path.
pub(super) type Scope = BTreeMap<String, String>;

/// A name with the module it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Path of its module; `None` for the package at hand, or when it is not known.
    pub(super) package: Option<String>,
    pub(super) name: String,
}

impl<'a> Parser<'a> {
    /// Reads the imports of the module whose items are the tokens from here up to an index, and comes back.
    pub(super) fn collect_uses(&mut self, end: usize) {
        let before = self.at;
        self.state.scopes.push(Scope::new());
        while self.at < end && !self.at_end() {
            let is_use = self.is("use") && !self.is_at(self.at + 1, "<");
            if is_use {
                self.bump();
            }
            let step = if is_use { self.use_tree(&mut Vec::new(), 0) } else { self.skip_tree() };
            if let Err(finding) = step {
                if is_use {
                    self.report(finding);
                }
                self.bump();
            }
        }
        self.at = before;
    }

    fn use_tree(&mut self, prefix: &mut Vec<&'a str>, depth: usize) -> Parse<()> {
        if depth == MAX_USE_DEPTH || prefix.len() > MAX_SEGMENTS {
            return Err(self.too_many("levels in one import", MAX_USE_DEPTH));
        }
        if self.is_path_sep(self.at) {
            self.at += 2;
        }
        if self.eat("*") {
            return Ok(());
        }
        if self.is("{") {
            return self.use_group(prefix, depth);
        }
        let token = self.word("a path")?;
        let name = self.name_of(token);
        if self.is_path_sep(self.at) {
            prefix.push(name);
            let outcome = self.use_tree(prefix, depth + 1);
            prefix.pop();
            return outcome;
        }
        let alias = if self.eat("as") { self.word("a name").map(|token| self.name_of(token))? } else { name };
        self.record_use(prefix, name, alias)
    }

    fn use_group(&mut self, prefix: &mut Vec<&'a str>, depth: usize) -> Parse<()> {
        self.after_brackets(self.at)?;
        self.bump();
        while !self.eat("}") {
            self.use_tree(prefix, depth + 1)?;
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        Ok(())
    }

    fn record_use(&mut self, prefix: &[&'a str], name: &'a str, alias: &'a str) -> Parse<()> {
        self.state.uses += 1;
        if self.state.uses > MAX_USES {
            return Err(self.too_many("imported names in one file", MAX_USES));
        }
        let mut segments = prefix.to_vec();
        // `use a::b::{self}` imports `b`.
        let alias = match (name, alias, prefix.last()) {
            ("self", "self", Some(last)) => *last,
            _ => alias,
        };
        if name != "self" {
            segments.push(name);
        }
        let path = self.absolute(&segments);
        if let (Some(scope), true) = (self.state.scopes.last_mut(), alias != "_") {
            scope.insert(alias.to_owned(), path);
        }
        Ok(())
    }

    /// A path with `crate`, `self` and `super` replaced by what they stand for.
    fn absolute(&self, segments: &[&str]) -> String {
        let package: Vec<&str> = self.state.package.split("::").collect();
        let inner = self.state.scopes.len().saturating_sub(1);
        let mut rest = segments;
        let mut base: Vec<&str> = Vec::new();
        match segments.first() {
            Some(&"crate") => {
                rest = &segments[1..];
                base.push(if package.len() > 1 { package[0] } else { "crate" });
            }
            Some(&("self" | "super")) => {
                let up = segments.iter().take_while(|segment| matches!(**segment, "self" | "super"));
                let supers = up.clone().filter(|segment| **segment == "super").count();
                rest = &segments[up.count()..];
                // The first steps up lead out of inline modules, which belong to the package.
                let above = supers.saturating_sub(inner);
                if above < package.len() {
                    base.extend(&package[..package.len() - above]);
                } else {
                    base.resize(above, "super");
                }
            }
            _ => {}
        }
        base.extend(rest);
        base.join("::")
    }

    /// Resolves a path in a type.
    pub(super) fn resolve(&self, segments: &[&str]) -> Resolved {
        let (first, rest) = segments.split_first().map_or(("", segments), |(first, rest)| (*first, rest));
        let imported = self.state.scopes.iter().rev().find_map(|scope| scope.get(first));
        if let Some(path) = imported {
            let full: Vec<&str> = path.split("::").chain(rest.iter().copied()).collect();
            return self.locate(&full);
        }
        let is_inner = self.state.inline_modules.contains(first);
        if rest.is_empty() || is_inner {
            let name = segments.last().copied().unwrap_or_default().to_owned();
            return Resolved { package: None, name };
        }
        let absolute = self.absolute(segments);
        let full: Vec<&str> = absolute.split("::").collect();
        self.locate(&full)
    }

    /// Splits an absolute path into module and name; modules of this package count as the package itself.
    fn locate(&self, full: &[&str]) -> Resolved {
        let (name, module) = full.split_last().map_or(("", full), |(name, module)| (*name, module));
        let path = module.join("::");
        let inside = path.strip_prefix(self.state.package).is_some_and(|inner| {
            inner.split("::").all(|segment| segment.is_empty() || self.state.inline_modules.contains(segment))
        });
        let package = (!inside && !path.is_empty()).then_some(path);
        Resolved { package, name: name.to_owned() }
    }

    /// Notes which types and inline modules the file declares, so that types can be read in one go.
    pub(super) fn collect_declared(&mut self) {
        for index in 0..self.tokens.len() {
            if self.token_at(index).kind != Kind::Word || !self.is_word_at(index + 1) {
                continue;
            }
            let name = self.name_of(self.token_at(index + 1));
            match self.text_of(self.token_at(index)) {
                "struct" | "enum" | "union" | "type" => drop(self.state.declared.insert(name)),
                "mod" if self.is_at(index + 2, "{") => drop(self.state.inline_modules.insert(name.to_owned())),
                _ => {}
            }
        }
    }

    /// Reports a type whose name is already taken, perhaps in another inline module.
    pub(super) fn taken(&self, token: super::lexer::Token) -> Finding {
        let message = format!("type {} is declared twice", self.name_of(token));
        Finding::error(token.span(self.file), message).with_help("inline modules are read as part of one package")
    }
}
