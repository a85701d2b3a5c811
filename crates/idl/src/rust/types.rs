//! Rust type expressions, by what they look like on the wire.

use crate::lex::{MAX_TYPE_DEPTH, MAX_TYPE_TEXT, shorten};
use crate::model::{Builtin, MapKind, TypeExpr, TypeName};
use crate::reader::Parse;
use crate::span::Finding;

use super::lexer::Kind;
use super::parser::Parser;
use super::uses::{MAX_SEGMENTS, Resolved};

impl<'a> Parser<'a> {
    pub(super) fn ty(&mut self) -> Parse<TypeExpr> {
        self.ty_at_depth(0)
    }

    fn ty_at_depth(&mut self, depth: usize) -> Parse<TypeExpr> {
        let start = self.at;
        let token = self.token();
        if depth == MAX_TYPE_DEPTH {
            let message = format!("type nested more than {MAX_TYPE_DEPTH} deep");
            return Err(Finding::error(token.span(self.file), message));
        }
        match (token.kind, self.text_of(token)) {
            (Kind::Sign, "&") => self.reference(depth),
            (Kind::Sign, "[") => self.list_or_array(depth),
            (Kind::Sign, "(") => self.tuple(depth),
            (Kind::Sign, "*") => {
                self.bump();
                self.bump();
                self.ty_at_depth(depth + 1)?;
                Ok(self.unsupported("UnsafePointer", start))
            }
            (Kind::Sign, "!") => {
                self.bump();
                Ok(self.unsupported("Never", start))
            }
            (Kind::Sign, "<") => {
                self.skip_angles()?;
                self.type_end()?;
                Ok(self.unsupported("Projection", start))
            }
            (Kind::Word, "dyn" | "impl" | "for") => {
                self.type_end()?;
                Ok(self.unsupported("Trait", start))
            }
            (Kind::Word, "fn" | "unsafe" | "extern") => {
                self.type_end()?;
                Ok(self.unsupported("Func", start))
            }
            (Kind::Word, _) => self.path_type(depth),
            (Kind::Sign, ":") if self.is_path_sep(start) => self.path_type(depth),
            _ => Err(self.expected("a type")),
        }
    }

    /// `&'a mut T` is `T` on the wire.
    fn reference(&mut self, depth: usize) -> Parse<TypeExpr> {
        self.bump();
        if self.token().kind == Kind::Lifetime {
            self.bump();
        }
        self.eat("mut");
        self.ty_at_depth(depth + 1)
    }

    fn unsupported(&self, kind: &'static str, start: usize) -> TypeExpr {
        TypeExpr::Unsupported(kind, shorten(self.text_between(start, self.at), MAX_TYPE_TEXT))
    }

    /// Goes to what ends a type that is not looked into.
    fn type_end(&mut self) -> Parse<()> {
        while !self.at_end() && !self.is_any(&[",", ")", "]", "}", "{", ";", "=", ">"]) {
            if self.is_pair(self.at, "-", ">") {
                self.at += 2;
            } else if self.is("<") {
                self.skip_angles()?;
            } else {
                self.skip_tree()?;
            }
        }
        Ok(())
    }

    fn list_or_array(&mut self, depth: usize) -> Parse<TypeExpr> {
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        let element = Box::new(self.ty_at_depth(depth + 1)?);
        if self.at == close {
            self.bump();
            return Ok(TypeExpr::List(element));
        }
        self.expect(";")?;
        let length = shorten(self.text_between(self.at, close), MAX_TYPE_TEXT);
        self.at = close + 1;
        Ok(TypeExpr::Array(length, element))
    }

    /// `(T)` is `T`; other tuples have no name for their parts.
    fn tuple(&mut self, depth: usize) -> Parse<TypeExpr> {
        let start = self.at;
        let after = self.after_brackets(self.at)?;
        self.bump();
        if self.at + 1 < after {
            let inner = self.ty_at_depth(depth + 1)?;
            if self.at + 1 == after {
                self.bump();
                return Ok(inner);
            }
        }
        self.at = after;
        Ok(self.unsupported("Tuple", start))
    }

    fn path_type(&mut self, depth: usize) -> Parse<TypeExpr> {
        let start = self.at;
        let mut segments: Vec<&'a str> = Vec::new();
        let mut args = Vec::new();
        if self.is_path_sep(self.at) {
            self.at += 2;
        }
        loop {
            let word = self.word("a type")?;
            segments.push(self.name_of(word));
            if segments.len() > MAX_SEGMENTS {
                return Err(self.too_many("segments in one path", MAX_SEGMENTS));
            }
            if self.is_path_sep(self.at) && self.is_at(self.at + 2, "<") {
                self.at += 2;
            }
            if self.is("<") {
                args = self.generic_args(depth)?;
            }
            if !self.is_path_sep(self.at) {
                break;
            }
            self.at += 2;
        }
        if self.is("!") {
            self.bump();
            self.skip_tree()?;
            return Ok(self.unsupported("Macro", start));
        }
        if self.is("(") {
            self.type_end()?;
            return Ok(self.unsupported("Trait", start));
        }
        Ok(self.named(self.resolve(&segments), args, start))
    }

    fn generic_args(&mut self, depth: usize) -> Parse<Vec<GenericArg>> {
        self.expect("<")?;
        let mut args = Vec::new();
        while !self.eat(">") {
            let start = self.at;
            let token = self.token();
            let ty = match token.kind {
                Kind::Lifetime => {
                    self.bump();
                    None
                }
                Kind::Literal | Kind::String => {
                    self.bump();
                    Some(None)
                }
                _ if self.is("{") => {
                    self.skip_tree()?;
                    Some(None)
                }
                _ if self.is("-") => {
                    self.at += 2;
                    Some(None)
                }
                Kind::Word if self.is_at(start + 1, "=") => {
                    self.at += 2;
                    self.ty_at_depth(depth + 1)?;
                    None
                }
                _ => Some(Some(self.ty_at_depth(depth + 1)?)),
            };
            if let Some(ty) = ty {
                args.push(GenericArg { ty, text: shorten(self.text_between(start, self.at), MAX_TYPE_TEXT) });
            }
            if !self.is(">") {
                self.expect(",")?;
            }
        }
        Ok(args)
    }

    /// The type behind a resolved path.
    fn named(&self, resolved: Resolved, args: Vec<GenericArg>, start: usize) -> TypeExpr {
        let standard = match &resolved.package {
            None => !self.state.declared.contains(resolved.name.as_str()),
            Some(package) => matches!(package.split("::").next(), Some("std" | "core" | "alloc")),
        };
        if standard {
            if let Some(builtin) = primitive(&resolved.name) {
                return TypeExpr::Builtin(builtin);
            }
            if matches!(resolved.name.as_str(), "char" | "i128" | "u128") {
                return self.unsupported("Primitive", start);
            }
            if let Some(container) = container(&resolved.name, &args) {
                return container;
            }
        }
        let args = args.into_iter().map(|arg| arg.text).collect();
        TypeExpr::Named(TypeName { package: resolved.package, name: resolved.name, args })
    }
}

/// One generic argument: its type, unless it is a constant, and how it is written.
struct GenericArg {
    ty: Option<TypeExpr>,
    text: String,
}

fn primitive(name: &str) -> Option<Builtin> {
    Some(match name {
        "String" | "str" => Builtin::String,
        "bool" => Builtin::Bool,
        "i8" => Builtin::Int8,
        "i16" => Builtin::Int16,
        "i32" => Builtin::Int32,
        "i64" => Builtin::Int64,
        "isize" => Builtin::Int,
        "u8" => Builtin::Uint8,
        "u16" => Builtin::Uint16,
        "u32" => Builtin::Uint32,
        "u64" => Builtin::Uint64,
        "usize" => Builtin::Uint,
        "f32" => Builtin::Float32,
        "f64" => Builtin::Float64,
        _ => return None,
    })
}

/// The standard library's generic types that mean something to the model.
fn container(name: &str, args: &[GenericArg]) -> Option<TypeExpr> {
    let arg = |index: usize| args.get(index).and_then(|arg| arg.ty.clone()).map(Box::new);
    let map = |kind| Some(TypeExpr::Map(kind, arg(0)?, arg(1)?));
    match name {
        "Option" => arg(0).map(TypeExpr::Pointer),
        "Vec" => arg(0).map(TypeExpr::List),
        "Box" => arg(0).map(TypeExpr::Boxed),
        "BTreeMap" => map(MapKind::BTree),
        "HashMap" => map(MapKind::Hash),
        "Cow" => arg(0).map(|inner| *inner),
        _ => None,
    }
}
