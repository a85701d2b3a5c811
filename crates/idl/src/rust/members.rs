//! The fields of Rust structs and the variants of Rust enums.

use crate::lex::MAX_ENTRIES;
use crate::model::{Builtin, Enum, Field, TypeExpr, TypeKind, Variant};
use crate::reader::Parse;
use crate::span::Finding;

use super::attrs::Attributes;
use super::items::Declared;
use super::parser::Parser;
use super::serde_attrs::{Case, Container, Member};

impl Parser<'_> {
    pub(super) fn structure(&mut self, attributes: &Attributes, exported: bool, out: &mut Declared) -> Parse<()> {
        self.bump();
        let name = self.word("a name")?;
        let generics = self.generics()?;
        let container = self.serde(|findings| Container::read(&attributes.serde, findings));
        if self.is("where") {
            self.skip_to(&["{", ";"])?;
        }
        let kind = if self.is("{") {
            let fields = self.named_fields(container.rename_all)?;
            out.entries += fields.len();
            struct_kind(fields, &container)
        } else if self.is("(") {
            let types = self.tuple_fields()?;
            self.skip_to(&[";"])?;
            self.expect(";")?;
            tuple_kind(types)
        } else {
            self.expect(";")?;
            TypeKind::Opaque("it has no fields".to_owned())
        };
        let kind = container.opaque.map_or(kind, TypeKind::Opaque);
        self.define(name, kind, generics, exported, attributes.doc(), out);
        Ok(())
    }

    fn named_fields(&mut self, rename_all: Option<Case>) -> Parse<Vec<Field>> {
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        let mut fields = Vec::new();
        while self.at < close {
            let attributes = self.attributes()?;
            if self.at >= close {
                break;
            }
            fields.push(self.named_field(&attributes, rename_all)?);
            if fields.len() > MAX_ENTRIES {
                return Err(self.too_many("fields", MAX_ENTRIES));
            }
            if self.at < close {
                self.expect(",")?;
            }
        }
        self.at = close + 1;
        Ok(fields)
    }

    fn named_field(&mut self, attributes: &Attributes, rename_all: Option<Case>) -> Parse<Field> {
        let exported = self.visibility()?;
        let token = self.word("a field")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let name = self.name_of(token).to_owned();
        let serde = self.serde(|findings| Member::read(&attributes.serde, findings));
        let wire_name = || rename_all.map_or_else(|| name.clone(), |case| case.of_field(&name));
        let json = (!serde.skip && !serde.flatten).then(|| serde.rename.unwrap_or_else(wire_name));
        let doc = attributes.doc();
        Ok(Field {
            json,
            name,
            ignored: serde.skip,
            omitempty: serde.omitempty,
            omitzero: serde.omitzero,
            embedded: serde.flatten,
            inline: serde.flatten && !serde.skip,
            exported,
            ty,
            doc: doc.prose,
            tags: doc.tags,
            struct_tags: serde.all,
            span: token.span(self.file),
        })
    }

    /// The types of a tuple struct's fields that are on the wire.
    fn tuple_fields(&mut self) -> Parse<Vec<TypeExpr>> {
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        let mut types = Vec::new();
        while self.at < close {
            let attributes = self.attributes()?;
            self.visibility()?;
            let ty = self.ty()?;
            let serde = self.serde(|findings| Member::read(&attributes.serde, findings));
            if !serde.skip {
                types.push(ty);
            }
            if self.at < close {
                self.expect(",")?;
            }
        }
        self.at = close + 1;
        Ok(types)
    }

    pub(super) fn enumeration(&mut self, attributes: &Attributes, exported: bool, out: &mut Declared) -> Parse<()> {
        self.bump();
        let name = self.word("a name")?;
        let generics = self.generics()?;
        let container = self.serde(|findings| Container::read(&attributes.serde, findings));
        self.skip_to(&["{", ";"])?;
        if !self.is("{") {
            return Err(self.expected("'{'"));
        }
        let (declared, opaque) = self.variants(container.rename_all)?;
        out.entries += declared.variants.len();
        let kind = container.opaque.or(opaque).map_or(TypeKind::Enum(declared), TypeKind::Opaque);
        self.define(name, kind, generics, exported, attributes.doc(), out);
        Ok(())
    }

    /// The variants, and why they are not just names if so.
    fn variants(&mut self, rename_all: Option<Case>) -> Parse<(Enum, Option<String>)> {
        let close = self.after_brackets(self.at)? - 1;
        self.bump();
        let mut variants = Vec::new();
        let mut other = None;
        let mut opaque = None;
        while self.at < close {
            let attributes = self.attributes()?;
            if self.at >= close {
                break;
            }
            let token = self.word("a variant")?;
            let name = self.name_of(token).to_owned();
            let serde = self.serde(|findings| Member::read(&attributes.serde, findings));
            if serde.all.contains_key("other") {
                let message = format!("serde(other) forgets the value that variant {name} stands for");
                let help = format!("keep it: #[serde(untagged)] {name}(String)");
                self.report(Finding::error(token.span(self.file), message).with_help(help));
            }
            if serde.untagged && !serde.skip && self.holds_text()? {
                other = Some(name);
                self.eat(",");
                continue;
            }
            if !serde.skip && (self.is_any(&["(", "{"]) || serde.untagged) {
                opaque.get_or_insert_with(|| format!("variant {name} is more than a name"));
            }
            self.skip_to(&[",", "}"])?;
            self.eat(",");
            if serde.skip {
                continue;
            }
            let wire_name = || rename_all.map_or_else(|| name.clone(), |case| case.of_variant(&name));
            let doc = attributes.doc();
            variants.push(Variant {
                json: serde.rename.unwrap_or_else(wire_name),
                name,
                doc: doc.prose,
                tags: doc.tags,
                span: token.span(self.file),
            });
            if variants.len() > MAX_ENTRIES {
                return Err(self.too_many("variants", MAX_ENTRIES));
            }
        }
        self.at = close + 1;
        Ok((Enum { variants, other }, opaque))
    }

    /// Steps over the payload of a variant if it is a string.
    fn holds_text(&mut self) -> Parse<bool> {
        let start = self.at;
        if self.is("(")
            && let [TypeExpr::Builtin(Builtin::String)] = self.tuple_fields()?.as_slice()
        {
            return Ok(true);
        }
        self.at = start;
        Ok(false)
    }
}

fn struct_kind(mut fields: Vec<Field>, container: &Container) -> TypeKind {
    if !container.transparent {
        return TypeKind::Struct(fields);
    }
    fields.retain(|field| !field.ignored);
    tuple_kind(fields.into_iter().map(|field| field.ty).collect())
}

fn tuple_kind(mut types: Vec<TypeExpr>) -> TypeKind {
    match (types.pop(), types.is_empty()) {
        (Some(ty), true) => TypeKind::Typedef(ty),
        (Some(_), false) => TypeKind::Opaque("it is a tuple".to_owned()),
        (None, _) => TypeKind::Opaque("it has no fields".to_owned()),
    }
}
