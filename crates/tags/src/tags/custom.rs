//! `+k8s:customValidation`: a hand-written hook, found by its name.

use sprag_idl::model::{Func, Language, TypeExpr};
use sprag_idl::{Finding, Tag};
use sprag_program::{Check, Hook, HookCall, Rule, TypeId};

use crate::lower::{Context, Hooks, Lowered, Lowerer, Refusal};
use crate::registry::{Scope, Stability, TagRule};
use crate::types::Type;

/// The prefix of hook names.
const HOOK_PREFIX: &str = "ValidateCustom_";

/// Context, operation, path, new value, old value.
const HOOK_PARAMS: usize = 5;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:customValidation",
    Stability::Stable,
    &[Scope::Field, Scope::Type],
    "Calls a hand-written hook, found by its name, at this point of the walk.",
    "+k8s:customValidation",
    lower,
)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let owner = cx.def.or(cx.member.map(|member| member.def)).ok_or("must be used on a type or a field")?;
    let mut name = format!("{HOOK_PREFIX}{}", universe.def(owner).name);
    if let Some(member) = cx.member {
        name.push('_');
        name.push_str(&universe.field(member).field.name);
    }
    let package = universe.package_of(owner);
    let full = format!("{}.{name}", package.path);
    if package.language == Language::Go && lowerer.options.hooks == Hooks::Verify {
        let Some(func) = package.funcs.iter().find(|func| func.name == name) else {
            return Err(format!("+k8s:customValidation: expected hand-written function {full} was not found").into());
        };
        if !matches_signature(lowerer, func, cx.ty) {
            let ty = value_type(lowerer, cx.ty);
            return Err(format!(
                "+k8s:customValidation: {full} must have signature func(ctx context.Context, op operation.Operation, \
                 fldPath *field.Path, value, oldValue {ty}) field.ErrorList"
            )
            .into());
        }
    }
    lowerer.claimed.insert(full);
    lowerer.hooks.push(Hook { name: name.clone(), ty: cx.ty });
    Ok(Lowered::check(Check::new(Rule::Custom(HookCall {
        words: format!("passes the function {name}"),
        name,
        tag: "k8s:customValidation".to_owned(),
        args: Vec::new(),
    }))))
}

impl Lowerer<'_> {
    /// Reports hooks that no tag refers to.
    pub(crate) fn check_unclaimed_hooks(&mut self) {
        if self.options.hooks == Hooks::Assume {
            return;
        }
        for package in self.universe.packages().iter().filter(|package| package.included) {
            for func in package.funcs.iter().filter(|func| func.name.starts_with(HOOK_PREFIX)) {
                let full = format!("{}.{}", package.path, func.name);
                if !self.claimed.contains(&full) {
                    let message = format!(
                        "+k8s:customValidation: {full}: no matching tag (add +k8s:customValidation, or rename if not \
                         a custom validation)"
                    );
                    self.findings.push(Finding::error(func.span, message));
                }
            }
        }
    }
}

/// True if a function has the five parameters and the result of a hook for this type.
fn matches_signature(lowerer: &Lowerer<'_>, func: &Func, ty: TypeId) -> bool {
    let named = |expr: &TypeExpr, package: &str, name: &str| match expr {
        TypeExpr::Named(type_name) => type_name.package.as_deref() == Some(package) && type_name.name == name,
        _ => false,
    };
    let pointer_to = |expr: &TypeExpr, package: &str, name: &str| match expr {
        TypeExpr::Pointer(inner) => named(inner, package, name),
        _ => false,
    };
    let field = "k8s.io/apimachinery/pkg/util/validation/field";
    let want = value_type(lowerer, ty);
    func.params.len() == HOOK_PARAMS
        && func.results.len() == 1
        && named(&func.params[0], "context", "Context")
        && named(&func.params[1], "k8s.io/apimachinery/pkg/api/operation", "Operation")
        && pointer_to(&func.params[2], field, "Path")
        && render(&func.params[3]) == want
        && render(&func.params[4]) == want
        && named(&func.results[0], field, "ErrorList")
}

/// The type of the value a hook gets: always one that can be nil.
fn value_type(lowerer: &Lowerer<'_>, ty: TypeId) -> String {
    let star = if lowerer.universe.is_nilable(ty) { "" } else { "*" };
    format!("{star}{}", short_name(lowerer, ty))
}

fn short_name(lowerer: &Lowerer<'_>, ty: TypeId) -> String {
    match lowerer.universe.ty(ty) {
        Type::Pointer(inner) => format!("*{}", short_name(lowerer, *inner)),
        Type::List(inner) => format!("[]{}", short_name(lowerer, *inner)),
        Type::Map(_, key, value) => format!("map[{}]{}", short_name(lowerer, *key), short_name(lowerer, *value)),
        Type::Def(def) => lowerer.universe.def(*def).name.clone(),
        _ => lowerer.universe.type_name(ty),
    }
}

fn render(expr: &TypeExpr) -> String {
    match expr {
        TypeExpr::Builtin(builtin) => builtin.go_name().to_owned(),
        TypeExpr::Named(name) => name.name.clone(),
        TypeExpr::Pointer(inner) => format!("*{}", render(inner)),
        TypeExpr::List(inner) => format!("[]{}", render(inner)),
        TypeExpr::Map(_, key, value) => format!("map[{}]{}", render(key), render(value)),
        _ => "?".to_owned(),
    }
}
