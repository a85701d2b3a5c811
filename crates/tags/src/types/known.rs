//! Structs of crates that are not read whose fields tags may name all the same: the metadata of objects.

use std::collections::BTreeMap;

use sprag_idl::Span;
use sprag_idl::model::{Builtin, Field, Language, MapKind, Package, TypeDef, TypeExpr, TypeKind, TypeName};

/// Crates that declare metadata as `sprag::ObjectMeta` does: an unset field has its zero value.
const PLAIN_CRATES: &[&str] = &["sprag", "sprag_rest"];

/// Crates that declare metadata as `k8s_openapi` does: an unset field is `None`.
const OPTION_CRATES: &[&str] = &["k8s_openapi", "kube", "kube_core"];

const OBJECT_META: &str = "ObjectMeta";

/// The declaration of a type of a Rust crate, as a package of its own, by the name that the universe knows it by.
pub(super) fn package(foreign: &str) -> Option<Package> {
    let (path, name) = foreign.rsplit_once('.')?;
    let krate = path.split("::").next().unwrap_or(path);
    let optional = OPTION_CRATES.contains(&krate);
    if name != OBJECT_META || !(optional || PLAIN_CRATES.contains(&krate)) {
        return None;
    }
    Some(Package {
        path: path.to_owned(),
        name: krate.to_owned(),
        language: Language::Rust,
        tags: Vec::new(),
        imports: BTreeMap::new(),
        types: vec![TypeDef {
            name: name.to_owned(),
            kind: TypeKind::Struct(object_meta(optional)),
            doc: String::new(),
            tags: Vec::new(),
            detached_tags: Vec::new(),
            generics: Vec::new(),
            exported: true,
            span: Span::NONE,
        }],
        consts: Vec::new(),
        funcs: Vec::new(),
        unread_tags: Vec::new(),
    })
}

/// The fields of metadata that both forms have.
fn object_meta(optional: bool) -> Vec<Field> {
    let text = || TypeExpr::Builtin(Builtin::String);
    let time = || TypeExpr::Pointer(Box::new(foreign("sprag_value", "Time")));
    let texts = || TypeExpr::Map(MapKind::BTree, Box::new(text()), Box::new(text()));
    let number = || TypeExpr::Builtin(Builtin::Int64);
    let unset = |ty: TypeExpr| if optional { TypeExpr::Pointer(Box::new(ty)) } else { ty };
    let list = |elem: TypeExpr| TypeExpr::List(Box::new(elem));
    vec![
        field("name", "name", unset(text())),
        field("generate_name", "generateName", unset(text())),
        field("namespace", "namespace", unset(text())),
        field("uid", "uid", unset(text())),
        field("resource_version", "resourceVersion", unset(text())),
        field("generation", "generation", unset(number())),
        field("creation_timestamp", "creationTimestamp", time()),
        field("deletion_timestamp", "deletionTimestamp", time()),
        field("deletion_grace_period_seconds", "deletionGracePeriodSeconds", TypeExpr::Pointer(Box::new(number()))),
        field("labels", "labels", unset(texts())),
        field("annotations", "annotations", unset(texts())),
        field("owner_references", "ownerReferences", unset(list(foreign("sprag_rest", "OwnerReference")))),
        field("finalizers", "finalizers", unset(list(text()))),
    ]
}

fn foreign(package: &str, name: &str) -> TypeExpr {
    TypeExpr::Named(TypeName { package: Some(package.to_owned()), name: name.to_owned(), args: Vec::new() })
}

fn field(name: &str, json: &str, ty: TypeExpr) -> Field {
    Field {
        name: name.to_owned(),
        json: Some(json.to_owned()),
        ignored: false,
        omitempty: true,
        omitzero: false,
        embedded: false,
        inline: false,
        exported: true,
        ty,
        doc: String::new(),
        tags: Vec::new(),
        struct_tags: BTreeMap::new(),
        span: Span::NONE,
    }
}
