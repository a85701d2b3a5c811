//! Packages and findings as text, for snapshots.

use std::fmt::Write;

use crate::model::{Enum, Field, Literal, Package, TagLine, TypeExpr, TypeKind};
use crate::span::{Finding, Sources};

pub(crate) fn ty(expr: &TypeExpr) -> String {
    match expr {
        TypeExpr::Builtin(builtin) => builtin.go_name().to_owned(),
        TypeExpr::Named(name) => {
            let package = name.package.as_ref().map_or_else(String::new, |path| format!("{{{path}}}."));
            let args = if name.args.is_empty() { String::new() } else { format!("<{}>", name.args.join(" | ")) };
            format!("{package}{}{args}", name.name)
        }
        TypeExpr::Pointer(inner) => format!("*{}", ty(inner)),
        TypeExpr::Boxed(inner) => format!("box {}", ty(inner)),
        TypeExpr::List(inner) => format!("[]{}", ty(inner)),
        TypeExpr::Array(length, inner) => format!("[{length}]{}", ty(inner)),
        TypeExpr::Map(_, key, value) => format!("map[{}]{}", ty(key), ty(value)),
        TypeExpr::Interface => "interface".to_owned(),
        TypeExpr::Unsupported(kind, text) => format!("{kind} `{text}`"),
    }
}

pub(crate) fn tags(tags: &[TagLine]) -> String {
    tags.iter().flat_map(|tag| [" +", &tag.text]).collect()
}

fn types_of(types: &[TypeExpr]) -> String {
    types.iter().map(ty).collect::<Vec<_>>().join(", ")
}

pub(crate) fn package(package: &Package) -> String {
    let mut out = format!("package {}{}\n", package.name, tags(&package.tags));
    for (alias, path) in &package.imports {
        writeln!(out, "import {alias} {path}").unwrap();
    }
    for def in &package.types {
        let generics = if def.generics.is_empty() { String::new() } else { format!("<{}>", def.generics.join(",")) };
        write!(out, "type {}{generics}", def.name).unwrap();
        match &def.kind {
            TypeKind::Typedef(inner) => write!(out, " {}", ty(inner)).unwrap(),
            TypeKind::Alias(inner) => write!(out, " = {}", ty(inner)).unwrap(),
            TypeKind::Opaque(reason) => write!(out, " opaque: {reason}").unwrap(),
            _ => {}
        }
        writeln!(out, "{} detached:{} {:?}", tags(&def.tags), tags(&def.detached_tags), def.doc).unwrap();
        match &def.kind {
            TypeKind::Struct(fields) => fields.iter().for_each(|item| field(item, &mut out)),
            TypeKind::Enum(Enum { variants, other }) => {
                for item in variants {
                    writeln!(out, "    {} {}{} {:?}", item.name, item.json, tags(&item.tags), item.doc).unwrap();
                }
                if let Some(other) = other {
                    writeln!(out, "    {other} holds others").unwrap();
                }
            }
            _ => {}
        }
    }
    for item in &package.consts {
        let shown = item.ty.as_ref().map_or_else(|| "untyped".to_owned(), ty);
        let value = match &item.value {
            Some(Literal::String(text)) => format!("{text:?}"),
            Some(Literal::Int(value)) => value.to_string(),
            Some(Literal::Bool(value)) => value.to_string(),
            None => "?".to_owned(),
        };
        writeln!(out, "const {} {shown} = {value}{} {:?}", item.name, tags(&item.tags), item.comment).unwrap();
    }
    for func in &package.funcs {
        writeln!(out, "func {}({}) ({})", func.name, types_of(&func.params), types_of(&func.results)).unwrap();
    }
    out
}

fn field(field: &Field, out: &mut String) {
    let flags = [
        (field.ignored, "ignored"),
        (field.omitempty, "omitempty"),
        (field.omitzero, "omitzero"),
        (field.embedded, "embedded"),
        (field.inline, "inline"),
        (!field.exported, "private"),
    ];
    let flags: String = flags.iter().filter(|(on, _)| *on).flat_map(|(_, name)| [" ", name]).collect();
    let name = &field.name;
    let json = field.json.as_deref().unwrap_or("-");
    let shown = ty(&field.ty);
    writeln!(out, "    {name} {json} {shown}{flags}{} {:?}", tags(&field.tags), field.doc).unwrap();
}

pub(crate) fn findings(findings: &[Finding], sources: &Sources) -> String {
    let line = |finding: &Finding| {
        let place = sources.locate(finding.span).unwrap();
        format!("{:?} {}:{} {}\n", finding.severity, place.line, place.column, finding.message)
    };
    findings.iter().map(line).collect()
}
