//! Go type expressions.

use crate::lex::{MAX_TYPE_DEPTH, MAX_TYPE_TEXT, shorten};
use crate::model::{Builtin, MapKind, TypeExpr, TypeName};
use crate::reader::Parse;
use crate::span::Finding;

use super::lexer::Kind;
use super::parser::Parser;

/// Maximum number of parameters of a function.
const MAX_PARAMS: usize = 64;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parse<TypeExpr> {
        self.ty_at_depth(0)
    }

    fn ty_at_depth(&mut self, depth: usize) -> Parse<TypeExpr> {
        let token = self.token();
        if depth == MAX_TYPE_DEPTH {
            let message = format!("type nested more than {MAX_TYPE_DEPTH} deep");
            return Err(Finding::error(token.span(self.file), message));
        }
        match token.kind {
            Kind::Operator => self.operator_type(depth),
            Kind::Word if self.is_name_at(self.at) => self.named_type(),
            Kind::Word => self.keyword_type(depth),
            _ => Err(self.expected("a type")),
        }
    }

    fn operator_type(&mut self, depth: usize) -> Parse<TypeExpr> {
        let start = self.at;
        match self.text_of(self.token()) {
            "*" => {
                self.bump();
                Ok(TypeExpr::Pointer(Box::new(self.ty_at_depth(depth + 1)?)))
            }
            "[" => self.list_or_array(depth),
            "(" => {
                self.bump();
                let inner = self.ty_at_depth(depth + 1)?;
                self.expect(")")?;
                Ok(inner)
            }
            "<-" => {
                self.channel(depth)?;
                Ok(self.unsupported("Chan", start))
            }
            _ => Err(self.expected("a type")),
        }
    }

    fn keyword_type(&mut self, depth: usize) -> Parse<TypeExpr> {
        let start = self.at;
        let token = self.token();
        match self.text_of(token) {
            "map" => {
                self.bump();
                self.expect("[")?;
                let key = self.ty_at_depth(depth + 1)?;
                self.expect("]")?;
                Ok(TypeExpr::Map(MapKind::Go, Box::new(key), Box::new(self.ty_at_depth(depth + 1)?)))
            }
            "interface" => {
                self.skip_body()?;
                Ok(TypeExpr::Interface)
            }
            "struct" => {
                self.skip_body()?;
                // `struct{}` has nothing to look at, as in channels and sets.
                if self.at > start + 3 {
                    self.report(
                        Finding::warning(token.span(self.file), "struct without a name: rules cannot look inside")
                            .with_help("declare it as a type of its own"),
                    );
                }
                Ok(self.unsupported("Struct", start))
            }
            "chan" => {
                self.channel(depth)?;
                Ok(self.unsupported("Chan", start))
            }
            "func" => {
                self.bump();
                self.signature(depth + 1)?;
                Ok(self.unsupported("Func", start))
            }
            _ => Err(self.expected("a type")),
        }
    }

    fn unsupported(&self, kind: &'static str, start: usize) -> TypeExpr {
        TypeExpr::Unsupported(kind, shorten(self.text_between(start, self.at), MAX_TYPE_TEXT))
    }

    fn skip_body(&mut self) -> Parse<()> {
        self.bump();
        if !self.is("{") {
            return Err(self.expected("'{'"));
        }
        self.skip_brackets()
    }

    fn list_or_array(&mut self, depth: usize) -> Parse<TypeExpr> {
        let open = self.at;
        let close = self.after_brackets(self.at)?;
        self.at = close;
        let element = Box::new(self.ty_at_depth(depth + 1)?);
        if close == open + 2 {
            return Ok(TypeExpr::List(element));
        }
        let length = shorten(self.text_between(open + 1, close - 1), MAX_TYPE_TEXT);
        Ok(TypeExpr::Array(length, element))
    }

    fn channel(&mut self, depth: usize) -> Parse<()> {
        self.eat("<-");
        self.expect("chan")?;
        self.eat("<-");
        self.ty_at_depth(depth + 1).map(drop)
    }

    /// A type's name, with package and generic arguments where they are written.
    pub(super) fn named_type(&mut self) -> Parse<TypeExpr> {
        let first = self.name()?;
        let mut name = self.text_of(first);
        let mut package = None;
        if self.is(".") {
            self.bump();
            let alias = name;
            name = self.name().map(|token| self.text_of(token))?;
            package = self.state.imports.path(alias).map(str::to_owned);
            if package.is_none() {
                let message = format!("package {alias} is not imported");
                self.report(Finding::error(first.span(self.file), message));
                package = Some(alias.to_owned());
            }
        } else if let Some(builtin) = predeclared(name) {
            return Ok(builtin);
        }
        let args = if self.is("[") && !self.is_at(self.at + 1, "]") { self.type_args()? } else { Vec::new() };
        Ok(TypeExpr::Named(TypeName { package, name: name.to_owned(), args }))
    }

    /// Generic arguments, kept as text.
    fn type_args(&mut self) -> Parse<Vec<String>> {
        let close = self.after_brackets(self.at)? - 1;
        let mut args = Vec::new();
        let mut from = self.at + 1;
        let mut index = from;
        while index < close {
            match self.token_at(index).partner() {
                Some(partner) if partner > index => index = partner,
                _ if self.is_at(index, ",") => {
                    args.push(shorten(self.text_between(from, index), MAX_TYPE_TEXT));
                    from = index + 1;
                }
                _ => {}
            }
            index += 1;
        }
        args.push(shorten(self.text_between(from, close), MAX_TYPE_TEXT));
        self.at = close + 1;
        Ok(args)
    }

    /// Parameters and results of a function, from the opening parenthesis on.
    pub(super) fn signature(&mut self, depth: usize) -> Parse<(Vec<TypeExpr>, Vec<TypeExpr>)> {
        let params = self.params(depth)?;
        let results = if self.is("(") {
            self.params(depth)?
        } else if self.starts_type() {
            vec![self.ty_at_depth(depth)?]
        } else {
            Vec::new()
        };
        Ok((params, results))
    }

    fn starts_type(&self) -> bool {
        let starts = ["*", "[", "<-", "map", "chan", "func", "struct", "interface"];
        self.is_name_at(self.at) || self.is_any(&starts)
    }

    fn params(&mut self, depth: usize) -> Parse<Vec<TypeExpr>> {
        self.after_brackets(self.at)?;
        self.expect("(")?;
        let mut types = Vec::new();
        // Lone names wait here until it shows whether they are types or names that share the next type.
        let mut lone = 0;
        let mut named = false;
        while !self.eat(")") {
            let has_name = self.is_name_at(self.at) && !self.name_is_type();
            if has_name {
                self.bump();
            }
            let variadic = self.eat("...");
            let ty = self.ty_at_depth(depth)?;
            let ty = if variadic { TypeExpr::List(Box::new(ty)) } else { ty };
            if has_name {
                named = true;
                let from = types.len() - lone;
                types[from..].fill(ty.clone());
                lone = 0;
            } else if !named || !variadic {
                lone += 1;
            }
            types.push(ty);
            if types.len() > MAX_PARAMS {
                return Err(self.too_many("parameters", MAX_PARAMS));
            }
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(types)
    }

    /// Reports whether the name at hand is a whole type (or the start of one), not the name of what follows.
    pub(super) fn name_is_type(&self) -> bool {
        let next = self.at + 1;
        if self.is_at(next, "[") {
            // `A[T]` is a type, `A []T` and `A [3]T` are a name and a type.
            let Ok(after) = self.after_brackets(next) else { return false };
            return after > next + 2 && self.ends_entry(after);
        }
        self.is_at(next, ".") || self.ends_entry(next)
    }

    fn ends_entry(&self, index: usize) -> bool {
        let token = self.token_at(index);
        match token.kind {
            Kind::Semicolon | Kind::String | Kind::End => true,
            Kind::Operator => matches!(self.text_of(token), "," | ")" | "}"),
            _ => false,
        }
    }
}

/// The type that Go itself declares under a name.
pub(super) fn predeclared(name: &str) -> Option<TypeExpr> {
    match name {
        "any" | "error" => Some(TypeExpr::Interface),
        "rune" | "complex64" | "complex128" => Some(TypeExpr::Unsupported("Unsupported", name.to_owned())),
        _ => Builtin::from_go_name(name).map(TypeExpr::Builtin),
    }
}
