//! Go types that read their JSON by themselves, such as `resource.Quantity`: their fields are not what is on the wire.

use std::collections::BTreeSet;

use sprag_idl::model::{Package, TypeDef, TypeKind};
use sprag_idl::{FileId, Finding, Sources, tag_name};

const REASON: &str = "reads its JSON by itself";

/// Makes such types opaque; one that carries rules keeps its fields, with a warning.
pub(super) fn mark(package: &mut Package, files: &[FileId], sources: &Sources, findings: &mut Vec<Finding>) {
    let texts = files.iter().filter_map(|file| sources.get(*file)).map(|file| file.text.as_str());
    let names: BTreeSet<&str> = texts.flat_map(receivers).collect();
    for ty in package.types.iter_mut().filter(|ty| names.contains(ty.name.as_str())) {
        if has_rules(ty) {
            let message = format!("type {} {REASON} (UnmarshalJSON): its rules see the fields as declared", ty.name);
            findings.push(Finding::warning(ty.span, message));
        } else {
            ty.kind = TypeKind::Opaque(REASON.to_owned());
        }
    }
}

/// The types that have an `UnmarshalJSON` method in a file that gofmt has formatted.
fn receivers(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (receiver, method) = line.strip_prefix("func (")?.split_once(") ")?;
        method.starts_with("UnmarshalJSON(").then_some(())?;
        let ty = receiver.rsplit([' ', '*']).next()?;
        Some(ty.split('[').next().unwrap_or(ty))
    })
}

fn has_rules(ty: &TypeDef) -> bool {
    let fields = match &ty.kind {
        TypeKind::Struct(fields) => fields.as_slice(),
        _ => &[],
    };
    // Whoever says which fields are required means them as they are on the wire.
    let mut of_fields = fields.iter().flat_map(|field| &field.tags).filter_map(|line| tag_name(&line.text));
    if of_fields.any(|name| matches!(name, "optional" | "required") || name.starts_with("kubebuilder:")) {
        return true;
    }
    let mut tags = ty.tags.iter().chain(fields.iter().flat_map(|field| &field.tags));
    tags.any(|line| tag_name(&line.text).is_some_and(|name| name.starts_with("k8s:") && !is_switch(name)))
}

/// Tags that only steer other generators.
fn is_switch(name: &str) -> bool {
    name.ends_with("-gen") || name.starts_with("k8s:openapi-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_of_the_method_are_found() {
        let text = "func (q *Quantity) UnmarshalJSON(value []byte) error {\nfunc (t Time) MarshalJSON() {\n\
                    func (Any) UnmarshalJSON([]byte) error\nfunc (g *Box[T]) UnmarshalJSON(b []byte) error {\n\
                    // func (no *No) UnmarshalJSON(\n";
        assert_eq!(receivers(text).collect::<Vec<_>>(), ["Quantity", "Any", "Box"]);
    }
}
