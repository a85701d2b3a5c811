//! From a recorded model to a type model.

use sprag_idl::Span;
use sprag_idl::model::{
    Builtin, Const, Field, Language, Literal, MapKind, Package, TagLine, TypeDef, TypeExpr, TypeKind, TypeName,
};
use sprag_value::Value;

use crate::wire;

/// The type model of a recorded package.
pub(crate) fn package(model: &wire::Model) -> Result<Package, String> {
    let imports = model.imports.clone().unwrap_or_default();
    let reader = ExprReader { imports: &imports };
    let types = model.types.iter().flatten().map(|ty| type_def(ty, &reader)).collect::<Result<_, _>>()?;
    let consts = model.consts.iter().flatten().map(|item| constant(item, &reader)).collect::<Result<_, _>>()?;
    Ok(Package {
        path: model.import_path.clone(),
        name: model.go_package.clone(),
        language: Language::Go,
        tags: package_tags(model),
        types,
        consts,
        funcs: Vec::new(),
        unread_tags: Vec::new(),
        imports: imports.clone(),
    })
}

/// Package tags; those that name packages by their full path get the corpus' own paths.
fn package_tags(model: &wire::Model) -> Vec<TagLine> {
    let mut lines = tags(model.package_tags.as_ref());
    for line in &mut lines {
        if let Some((name, path)) = line.text.split_once("-input=")
            && let Some(at) = path.find("output_tests/")
        {
            line.text = format!("{name}-input={}", &path[at..]);
        }
    }
    lines
}

fn type_def(ty: &wire::TypeDef, reader: &ExprReader<'_>) -> Result<TypeDef, String> {
    let kind = match ty.kind.as_str() {
        "struct" => TypeKind::Struct(
            ty.fields.iter().flatten().map(|field| struct_field(field, reader)).collect::<Result<_, _>>()?,
        ),
        "typedef" => TypeKind::Typedef(reader.read(&ty.underlying)?),
        "alias" => TypeKind::Alias(reader.read(&ty.underlying)?),
        other => return Err(format!("type {}: unknown kind {other:?}", ty.name)),
    };
    Ok(TypeDef {
        name: ty.name.clone(),
        kind,
        doc: String::new(),
        tags: tags(ty.tags.as_ref()),
        detached_tags: tags(ty.detached_tags.as_ref()),
        generics: Vec::new(),
        exported: ty.name.starts_with(char::is_uppercase),
        span: Span::NONE,
    })
}

fn struct_field(field: &wire::Field, reader: &ExprReader<'_>) -> Result<Field, String> {
    let json = (field.has_json_tag && !field.inline && !field.ignored).then(|| field.json.clone());
    let struct_tags = field
        .has_json_tag
        .then(|| {
            let omit = if field.omitempty { ",omitempty" } else { "" };
            ("json".to_owned(), format!("{}{omit}", field.json))
        })
        .into_iter()
        .collect();
    Ok(Field {
        name: field.name.clone(),
        json,
        ignored: field.ignored,
        omitempty: field.omitempty,
        omitzero: field.omitzero,
        embedded: field.embedded,
        inline: field.inline,
        exported: field.exported,
        ty: reader.read(&field.ty)?,
        doc: String::new(),
        tags: tags(field.tags.as_ref()),
        struct_tags,
        span: Span::NONE,
    })
}

fn constant(item: &wire::Const, reader: &ExprReader<'_>) -> Result<Const, String> {
    let value = match &item.value {
        Value::String(text) => Some(Literal::String(text.to_string())),
        Value::Int(number) => Some(Literal::Int((*number).into())),
        Value::Bool(value) => Some(Literal::Bool(*value)),
        _ => None,
    };
    let ty = if item.ty.is_empty() { None } else { Some(reader.read(&item.ty)?) };
    Ok(Const {
        name: item.name.clone(),
        ty,
        value,
        needs: None,
        tags: tags(item.tags.as_ref()),
        comment: item.tags.iter().flatten().cloned().collect::<Vec<_>>().join(" "),
        span: Span::NONE,
    })
}

fn tags(lines: Option<&Vec<String>>) -> Vec<TagLine> {
    lines
        .into_iter()
        .flatten()
        .map(|line| TagLine { text: line.strip_prefix('+').unwrap_or(line).to_owned(), span: Span::NONE })
        .collect()
}

/// Reads Go type expressions.
struct ExprReader<'a> {
    imports: &'a std::collections::BTreeMap<String, String>,
}

impl ExprReader<'_> {
    fn read(&self, text: &str) -> Result<TypeExpr, String> {
        if let Some(rest) = text.strip_prefix('*') {
            return Ok(TypeExpr::Pointer(Box::new(self.read(rest)?)));
        }
        if let Some(rest) = text.strip_prefix("[]") {
            return Ok(TypeExpr::List(Box::new(self.read(rest)?)));
        }
        if let Some(rest) = text.strip_prefix("map[") {
            let (key, value) = rest.split_once(']').ok_or_else(|| format!("bad type {text:?}"))?;
            return Ok(TypeExpr::Map(MapKind::Go, Box::new(self.read(key)?), Box::new(self.read(value)?)));
        }
        if let Some((len, elem)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            return Ok(TypeExpr::Array(len.to_owned(), Box::new(self.read(elem)?)));
        }
        if text.starts_with("interface{") || text == "any" {
            return Ok(TypeExpr::Interface);
        }
        if let Some(builtin) = Builtin::from_go_name(text) {
            return Ok(TypeExpr::Builtin(builtin));
        }
        let (package, name) = match text.split_once('.') {
            None => (None, text),
            Some((alias, name)) => (Some(self.imports.get(alias).cloned().unwrap_or_else(|| alias.to_owned())), name),
        };
        Ok(TypeExpr::Named(TypeName { package, name: name.to_owned(), args: Vec::new() }))
    }
}
