//! The fields of Go structs.

use crate::comment::Doc;
use crate::model::{Field, TypeExpr};
use crate::reader::Parse;
use crate::span::Finding;

use super::decl::{Declared, is_exported};
use super::lexer::{Kind, Token};
use super::literal::unquote;
use super::parser::Parser;
use super::struct_tag::{self, Json};

impl Parser<'_> {
    /// The fields of `struct { … }`, from the keyword on.
    pub(super) fn struct_fields(&mut self, out: &mut Declared) -> Parse<Vec<Field>> {
        self.expect("struct")?;
        if !self.is("{") {
            return Err(self.expected("'{'"));
        }
        self.after_brackets(self.at)?;
        self.bump();
        let mut fields = Vec::new();
        while !self.eat("}") {
            if self.token().kind == Kind::Semicolon {
                self.bump();
                continue;
            }
            self.state.entry = self.at;
            self.field(&mut fields, out)?;
            self.end_of_entry("}")?;
        }
        Ok(fields)
    }

    /// One line of a struct: an embedded type, or one or more names and their type.
    fn field(&mut self, fields: &mut Vec<Field>, out: &mut Declared) -> Parse<()> {
        let embedded = self.is("*") || (self.name_is_type() && !self.is_at(self.at + 1, ","));
        if embedded {
            return self.embedded_field(fields, out);
        }
        let names = self.shared_names()?;
        let ty = self.ty()?;
        let tag = self.struct_tag();
        for name in names {
            let doc = self.doc(name);
            self.count(&doc, out)?;
            fields.push(field(self, name, ty.clone(), &tag, doc, false));
        }
        Ok(())
    }

    fn embedded_field(&mut self, fields: &mut Vec<Field>, out: &mut Declared) -> Parse<()> {
        let pointer = self.eat("*");
        let first = self.token();
        let ty = self.named_type()?;
        let name = match &ty {
            TypeExpr::Named(name) if name.package.is_some() => {
                let dotted = self.tokens.partition_point(|token| token.start < first.start) + 2;
                self.token_at(dotted)
            }
            _ => first,
        };
        let ty = if pointer { TypeExpr::Pointer(Box::new(ty)) } else { ty };
        let tag = self.struct_tag();
        let doc = self.doc(name);
        self.count(&doc, out)?;
        fields.push(field(self, name, ty, &tag, doc, true));
        Ok(())
    }

    /// The string after a field's type, without its quotes.
    fn struct_tag(&mut self) -> String {
        if self.token().kind != Kind::String {
            return String::new();
        }
        let token = self.bump();
        let tag = unquote(self.text_of(token));
        if tag.as_deref().is_none_or(|tag| !struct_tag::split(tag).1) {
            self.report(Finding::warning(token.span(self.file), "struct tag is not a list of key:\"value\" pairs"));
        }
        tag.unwrap_or_default()
    }
}

fn field(parser: &Parser<'_>, name: Token, ty: TypeExpr, tag: &str, doc: Doc, embedded: bool) -> Field {
    let (struct_tags, _) = struct_tag::split(tag);
    let go_name = parser.text_of(name);
    let tagged = struct_tags.contains_key("json");
    let json = Json::parse(struct_tags.get("json").map_or("", String::as_str));
    let inline = embedded && json.name.is_empty() && !json.ignored;
    let json_name = match json.name {
        _ if !tagged || json.ignored || inline => None,
        "" => Some(go_name.to_owned()),
        name => Some(name.to_owned()),
    };
    Field {
        name: go_name.to_owned(),
        json: json_name,
        ignored: json.ignored,
        omitempty: json.omitempty,
        omitzero: json.omitzero,
        embedded,
        inline,
        exported: is_exported(go_name),
        ty,
        doc: doc.prose,
        tags: doc.tags,
        struct_tags,
        span: name.span(parser.file),
    }
}
