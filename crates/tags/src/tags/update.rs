//! `+k8s:update`: transitions that are refused on update.

use sprag_checks::update::Constraint;
use sprag_field::Stage;
use sprag_idl::model::Language;
use sprag_idl::{Scalar, Tag, TagValue};
use sprag_program::{Check, Identity, Rule, TypeId, UpdateRule};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, Refusal, Semantic, is_well_known};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::types::{Kind, Type, Universe};

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:update",
    Stability::Stable,
    &[Scope::Field, Scope::ListVal, Scope::MapVal],
    "Restricts transitions on update: NoSet, NoUnset, NoModify, NoAddItem, NoRemoveItem. The kep dialect also calls \
     NoUnset NoClear, and takes several in one tag, separated by commas.",
    "+k8s:update=NoModify",
    lower,
)
.takes(Payload::OptionalLiteral(LiteralKind::String))
.kep_spells(&[], Payload::Loose(LiteralKind::String))];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let words = match &tag.value {
        TagValue::Scalar(Scalar::List(items)) => items.iter().map(Scalar::text).collect(),
        TagValue::Scalar(scalar) => vec![scalar.text()],
        _ => vec![String::new()],
    };
    let mut constraints = Vec::new();
    for word in &words {
        constraints.push(parse(lowerer.dialect, word)?);
    }
    match cx.scope {
        Scope::ListVal | Scope::MapVal => lower_element(lowerer, cx, &constraints),
        _ => lower_field(lowerer, cx, &constraints),
    }
}

fn parse(dialect: Dialect, word: &str) -> Result<Constraint, Refusal> {
    Ok(match (word, dialect) {
        ("NoSet", _) => Constraint::NoSet,
        ("NoUnset", _) | ("NoClear", Dialect::Kep) => Constraint::NoUnset,
        ("NoModify", _) => Constraint::NoModify,
        ("NoAddItem", _) => Constraint::NoAddItem,
        ("NoRemoveItem", _) => Constraint::NoRemoveItem,
        _ => return Err(format!("unknown +k8s:update constraint: {word}").into()),
    })
}

fn name(constraint: Constraint) -> &'static str {
    match constraint {
        Constraint::NoSet => "NoSet",
        Constraint::NoUnset => "NoUnset",
        Constraint::NoModify => "NoModify",
        Constraint::NoAddItem => "NoAddItem",
        Constraint::NoRemoveItem => "NoRemoveItem",
    }
}

fn lower_element(lowerer: &mut Lowerer<'_>, cx: &Context, constraints: &[Constraint]) -> Result<Lowered, Refusal> {
    if lowerer.dialect == Dialect::Kep {
        return Ok(kep_element(cx, constraints));
    }
    if let Some(constraint) = constraints.iter().find(|constraint| **constraint != Constraint::NoModify) {
        return Err(format!(
            "+k8s:update={} does not apply to {}, attach it to the enclosing field",
            name(*constraint),
            cx.scope.place()
        )
        .into());
    }
    if matches!(lowerer.universe.pointee_kind(cx.ty), Kind::Slice | Kind::Map) {
        return Err(
            "+k8s:update=NoModify cannot be applied to list/map elements that are themselves lists or maps".into()
        );
    }
    if cx.scope == Scope::ListVal
        && let Some(semantic) = lowerer.records.lists.get(&cx.parent_path).map(|list| list.semantic)
        && semantic != Some(Semantic::Map)
    {
        let semantic = semantic.map_or("", Semantic::name);
        return Err(format!(
            "+k8s:eachVal=+k8s:update=NoModify requires the enclosing list to use listType=map or unique=map (got {semantic})"
        )
        .into());
    }
    Ok(scalar(lowerer.dialect, constraints, cx.prefix.stage))
}

/// Elements are always set while they exist: what is left is modification, and for one selected item, removal.
fn kep_element(cx: &Context, constraints: &[Constraint]) -> Lowered {
    let mut lowered = Lowered::default();
    if constraints.contains(&Constraint::NoModify) {
        lowered.add(scalar(Dialect::Kep, &[Constraint::NoModify], cx.prefix.stage));
    }
    let kept = constraints.iter().any(|c| matches!(c, Constraint::NoUnset | Constraint::NoRemoveItem));
    if kept && cx.is_item() {
        lowered.kept_item = Some(cx.prefix.stage);
    }
    lowered.noted = true;
    lowered
}

fn lower_field(lowerer: &mut Lowerer<'_>, cx: &Context, constraints: &[Constraint]) -> Result<Lowered, Refusal> {
    let place = (cx.path.clone(), cx.prefix.stage);
    let entry = lowerer.records.updates.entry(place.clone()).or_default();
    entry.extend(constraints);
    let all: Vec<Constraint> = entry.iter().copied().collect();
    check_kinds(lowerer, cx, &all)?;
    let cx = cx.clone();
    Ok(Lowered::later(DeferTo::Here, move |lowerer| {
        let Some(constraints) = lowerer.records.updates.remove(&place) else { return Ok(Lowered::default()) };
        let constraints: Vec<Constraint> = constraints.into_iter().collect();
        let identity = item_identity(lowerer, &cx, &constraints)?;
        Ok(update(lowerer.dialect, constraints, identity, cx.prefix.stage))
    }))
}

fn check_kinds(lowerer: &Lowerer<'_>, cx: &Context, constraints: &[Constraint]) -> Result<(), Refusal> {
    let kind = lowerer.universe.pointee_kind(cx.ty);
    let compound = matches!(kind, Kind::Slice | Kind::Map);
    let by_value = !lowerer.universe.is_pointer(cx.ty);
    // The structs of Go packages that were not read are known by name.
    let foreign_struct = lowerer.language == Language::Go && is_foreign_struct(lowerer.universe, cx.ty);
    let plain_struct = by_value && (kind == Kind::Struct || foreign_struct);
    let plain_foreign = lowerer.dialect == Dialect::Kep && by_value && matches!(kind, Kind::Other(_));
    for constraint in constraints {
        let word = name(*constraint);
        match constraint {
            Constraint::NoAddItem | Constraint::NoRemoveItem if !compound => {
                return Err(format!("+k8s:update={word} can only be used on list or map fields").into());
            }
            Constraint::NoModify if compound => {
                return Err("+k8s:update=NoModify is not supported on list or map fields, use \
                            +k8s:eachVal=+k8s:update=NoModify for per-item immutability"
                    .into());
            }
            Constraint::NoUnset if compound && lowerer.dialect == Dialect::Kep => {
                return Err("+k8s:update=NoClear is not supported on list or map fields, use \
                            +k8s:update=NoRemoveItem to keep their items, or +k8s:required"
                    .into());
            }
            Constraint::NoSet | Constraint::NoUnset if plain_foreign => {
                let name = lowerer.universe.type_name(cx.ty);
                let instead = if lowerer.language == Language::Rust { "an Option" } else { "a pointer" };
                return Err(format!(
                    "+k8s:update={word} cannot be used on {name} held by value, which is always set: use {instead}"
                )
                .into());
            }
            Constraint::NoSet | Constraint::NoUnset if plain_struct => {
                return Err(format!(
                    "+k8s:update={word} cannot be used on non-pointer struct fields (they cannot be unset)"
                )
                .into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// True for structs of packages that were not read: quantities, times and the like.
fn is_foreign_struct(universe: &Universe, ty: TypeId) -> bool {
    match universe.ty(universe.native(ty).base) {
        Type::Foreign(name) => is_well_known(name),
        _ => false,
    }
}

/// Returns the identity by which added and removed elements are recognised.
fn item_identity(lowerer: &Lowerer<'_>, cx: &Context, constraints: &[Constraint]) -> Result<Option<Identity>, Refusal> {
    let items = constraints.iter().any(|c| matches!(c, Constraint::NoAddItem | Constraint::NoRemoveItem));
    if !items || lowerer.universe.pointee_kind(cx.ty) != Kind::Slice {
        return Ok(None);
    }
    let Some(list) = lowerer.records.list(lowerer.universe, &cx.path, cx.ty) else {
        return Err("+k8s:update=NoAddItem/+k8s:update=NoRemoveItem require list metadata (+k8s:listType with \
                    listMapKey, or +k8s:unique) to determine item identity"
            .into());
    };
    match (list.semantic, list.keys.is_empty()) {
        (Some(Semantic::Map), true) => {
            Err("+k8s:update=NoAddItem/+k8s:update=NoRemoveItem require listMapKey to be set for listType=map".into())
        }
        (Some(Semantic::Map | Semantic::Set), _) => Ok(list.identity()),
        _ => Err("+k8s:update=NoAddItem/+k8s:update=NoRemoveItem require listType=set, listType=map, unique=set, or \
                  unique=map to define item identity"
            .into()),
    }
}

fn scalar(dialect: Dialect, constraints: &[Constraint], stage: Stage) -> Lowered {
    update(dialect, constraints.to_vec(), None, stage)
}

/// The check itself.
pub(crate) fn update(
    dialect: Dialect,
    constraints: Vec<Constraint>,
    identity: Option<Identity>,
    stage: Stage,
) -> Lowered {
    let kep = dialect == Dialect::Kep;
    let rule = UpdateRule { constraints, identity, scoped_to_parent: kep, labels_items: kep };
    Lowered::check(Check { stage, ..Check::stopping(Rule::Update(rule)) })
}
