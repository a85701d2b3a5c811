//! `+k8s:printerColumn` and `+k8s:selectableField`: what tables show and selectors name. They check nothing.

use sprag_idl::Tag;

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{ArgSpec, LiteralKind, Scope, Stability, TagRule};
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:printerColumn",
        Stability::Alpha,
        &[Scope::Field],
        "Tables of the resource have a column that shows this field.",
        "+k8s:printerColumn(name: \"Size\", priority: 1)",
        lower,
    )
    .with_args(&[
        ArgSpec::named("name", "The heading; the field's own name by default."),
        ArgSpec {
            name: Some("priority"),
            kind: LiteralKind::Int,
            required: false,
            docs: "More than 0 for columns that only wide tables show.",
        },
        ArgSpec::named("format", "The format of the cells, `date` for one."),
    ])
    .kep_only(),
    TagRule::new(
        "k8s:selectableField",
        Stability::Alpha,
        &[Scope::Field],
        "Field selectors may name this field.",
        "+k8s:selectableField",
        lower,
    )
    .kep_only(),
];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    if matches!(lowerer.universe.pointee_kind(cx.ty), Kind::Struct | Kind::Slice | Kind::Array | Kind::Map) {
        return Err("only a plain value fits into a cell or selector".into());
    }
    Ok(Lowered::default())
}
