//! `+k8s:listType`, `+k8s:listMapKey`, `+k8s:unique`, `+k8s:customUnique`: list types and uniqueness.

use sprag_field::{Stage, quote};
use sprag_idl::Tag;
use sprag_program::{Check, Rule, TypeId};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, ListMeta, Lowered, Lowerer, Refusal, Semantic};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

const TEXT: Payload = Payload::Literal(LiteralKind::String);

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:listType",
        Stability::Stable,
        Scope::VALUES,
        "Declares list semantics: atomic, set or map; set and map imply a duplicate check and correlation of old and \
         new elements.",
        "+k8s:listType=map",
        list_type,
    )
    .takes(TEXT),
    TagRule::new(
        "k8s:listMapKey",
        Stability::Stable,
        Scope::VALUES,
        "Names one key field of a list with map semantics; repeat it for composite keys.",
        "+k8s:listMapKey=name",
        list_map_key,
    )
    .takes(TEXT),
    TagRule::new(
        "k8s:unique",
        Stability::Stable,
        Scope::VALUES,
        "Adds set or map uniqueness to a list whose ownership is atomic.",
        "+k8s:unique=set",
        unique,
    )
    .takes(TEXT),
    TagRule::new(
        "k8s:customUnique",
        Stability::Stable,
        Scope::VALUES,
        "Turns off the duplicate check that set or map semantics would add; correlation stays.",
        "+k8s:customUnique",
        custom_unique,
    ),
];

fn list_type(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let elem = want_list(lowerer, cx)?;
    let of_structs = lowerer.universe.pointee_kind(elem) == Kind::Struct;
    let word = payload::text(tag);
    let list = lowerer.records.lists.entry(cx.path.clone()).or_default();
    list.stage = cx.prefix.stage;
    if list.shared.is_some() {
        return Err("listType cannot be specified more than once".into());
    }
    let semantic = match word.as_str() {
        "atomic" => Semantic::Atomic,
        "set" => Semantic::Set,
        "map" => Semantic::Map,
        _ => return Err(format!("unknown list type {}", quote::go(&word)).into()),
    };
    list.shared = Some(semantic != Semantic::Atomic);
    if semantic == Semantic::Atomic {
        list.semantic.get_or_insert(Semantic::Atomic);
    } else {
        if list.semantic.is_some_and(|known| known != Semantic::Atomic) {
            return Err(format!("unique tag is redundant for listType={}", quote::go(&word)).into());
        }
        if semantic == Semantic::Map && !of_structs {
            return Err("only lists of structs can be list-maps".into());
        }
        list.semantic = Some(semantic);
    }
    Ok(later(cx))
}

fn unique(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let elem = want_list(lowerer, cx)?;
    let of_structs = lowerer.universe.pointee_kind(elem) == Kind::Struct;
    let list = lowerer.records.lists.entry(cx.path.clone()).or_default();
    list.stage = cx.prefix.stage;
    if list.shared == Some(true) {
        return Err("unique tag may not be used with listType=set or listType=map".into());
    }
    if list.semantic.is_some_and(|known| known != Semantic::Atomic) {
        return Err("unique tag cannot be specified more than once".into());
    }
    list.semantic = Some(match payload::text(tag).as_str() {
        "set" => Semantic::Set,
        "map" if !of_structs => return Err("only lists of structs can be list-maps".into()),
        "map" => Semantic::Map,
        other => return Err(format!("unknown unique type {}", quote::go(other)).into()),
    });
    Ok(later(cx))
}

fn list_map_key(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let elem = want_list(lowerer, cx)?;
    let def = universe.struct_of(elem).ok_or("only lists of structs can be list-maps")?;
    let name = payload::text(tag);
    let key = universe.member(def, &name).ok_or_else(|| format!("no field for JSON name {}", quote::go(&name)))?;
    let ty = universe.field(key).ty;
    let native = universe.native(ty);
    if universe.builtin(ty).is_none() || native.pointers > 1 {
        let name = universe.type_name(ty);
        return Err(
            format!("only primitive types and pointers to primitive types can be list-map keys, not {name}").into()
        );
    }
    lowerer.records.lists.entry(cx.path.clone()).or_default().keys.push(key);
    Ok(Lowered::default())
}

fn custom_unique(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    want_list(lowerer, cx)?;
    if lowerer.dialect == Dialect::Kep && !cx.prefix.is_empty() {
        return Err(format!("switches a check off whatever stands before it: remove {}", cx.prefix).into());
    }
    lowerer.records.lists.entry(cx.path.clone()).or_default().custom_unique = true;
    Ok(Lowered::default())
}

fn want_list(lowerer: &Lowerer<'_>, cx: &Context) -> Result<TypeId, Refusal> {
    let kind = lowerer.universe.kind(cx.ty);
    match (kind, lowerer.universe.elem(cx.ty)) {
        (Kind::Slice | Kind::Array, Some(elem)) => Ok(elem),
        _ => Err(format!("can only be used on list types ({})", kind.name()).into()),
    }
}

/// The duplicate check, once all list tags of the place were seen.
fn later(cx: &Context) -> Lowered {
    let cx = cx.clone();
    Lowered::later(DeferTo::Here, move |lowerer| {
        let Some(list) = meta(lowerer, &cx)? else { return Ok(Lowered::default()) };
        if !lowerer.records.lists_done.insert(cx.path.clone()) {
            return Ok(Lowered::default());
        }
        list.check()?;
        if list.custom_unique {
            return Ok(Lowered { noted: true, ..Lowered::default() });
        }
        let Some(identity) = list.identity() else { return Ok(Lowered::default()) };
        let mut check = Check::new(Rule::Unique(identity));
        if list.stage != Stage::Stable {
            check.stage = list.stage;
        }
        Ok(Lowered::check(check))
    })
}

/// The list tags of the place; a field and its type may not both have some.
fn meta(lowerer: &Lowerer<'_>, cx: &Context) -> Result<Option<ListMeta>, Refusal> {
    let lists = &lowerer.records.lists;
    let own = lists.get(&cx.path);
    if cx.scope == Scope::Field {
        let of_type = lists.get(&lowerer.universe.type_name(cx.ty));
        return match (own, of_type) {
            (Some(_), Some(_)) => Err(format!("found list metadata for both a field and its type: {}", cx.path).into()),
            (own, of_type) => Ok(of_type.or(own).cloned()),
        };
    }
    Ok(own.cloned())
}
