//! Defaults against the type and the rules of their own field: an object that is left alone must be valid.

use sprag_checks::{At, Options, Request};
use sprag_field::{ErrorKind, Errors, Stage};
use sprag_idl::model::{Builtin, Language, TagLine};
use sprag_idl::{Finding, raw_value, tag_name};
use sprag_program::{Check, DefId, FieldRef, HookCall, HookTable, Plan, Rule, TypeId};
use sprag_shape::apply_defaults;
use sprag_value::{Value, json};

use crate::dialect::Dialect;
use crate::lower::{LowerOptions, Lowering, Mistakes};
use crate::markers::HIDDEN_DEFAULT;
use crate::program::program;
use crate::types::{DefKind, FieldDef, PackageInfo, Type, Universe};

/// Adds a finding for every default that its own field would refuse.
pub(crate) fn check(universe: &Universe, options: LowerOptions, lowering: &mut Lowering) {
    let defaults = defaults(universe, options);
    if defaults.is_empty() {
        return;
    }
    let program = program(universe, lowering);
    let features = features(&lowering.plan);
    let request = Request::create().with_options(&features);
    for Default { at, line, value } in defaults {
        let field = universe.field(at);
        let place = format!("field {}.{}", universe.def_name(at.def), field.field.path_name());
        if let Err(problem) = fits(universe, field.ty, &value) {
            let message = format!("{place}: the default does not fit the field's type: {problem}");
            lowering.findings.push(Finding::error(line.span, message));
            continue;
        }
        let mut object = Value::object();
        apply_defaults(program.shapes(), program.shape_of(at.def), &mut object);
        let mut errors = Errors::new();
        program.validate_field(&PassAll, &request, at, &object, &mut errors);
        // A rule that depends on an option, or is only observed, does not decide whether the default holds.
        for error in errors.iter().filter(|error| error.kind != ErrorKind::Internal && error.stage != Stage::Alpha) {
            let message = format!("{place}: the default breaks a rule of its own field: {error}");
            lowering.findings.push(Finding::error(line.span, message));
        }
    }
}

/// All features of fields, on: a field has its default only then.
fn features(plan: &Plan) -> Options {
    let mut options = Options::default();
    let fields = plan.types.iter().flatten().flat_map(|plan| &plan.fields);
    let mut work: Vec<&Check> = fields.flat_map(|field| &field.cohorts).flat_map(|cohort| &cohort.checks).collect();
    while let Some(check) = work.pop() {
        work.extend(check.rule.inner());
        if let Rule::FeatureGate(gate) | Rule::IfFeature { gate, .. } = &check.rule {
            options.set(gate, true);
        }
    }
    options
}

/// A default that a field declares.
struct Default<'u> {
    at: FieldRef,
    line: &'u TagLine,
    value: Value,
}

fn defaults(universe: &Universe, options: LowerOptions) -> Vec<Default<'_>> {
    let is_judged = |package: &PackageInfo| {
        let dialect = options.dialect.or(Dialect::of(package).ok());
        package.included && (options.mistakes == Mistakes::Refuse || dialect == Some(Dialect::Kep))
    };
    let mut found = Vec::new();
    for (def, data) in
        universe.defs().filter(|(def, data)| data.chain.is_empty() && is_judged(universe.package_of(*def)))
    {
        let DefKind::Struct(fields) = &data.kind else { continue };
        for (index, field) in fields.iter().enumerate().filter(|(_, field)| !field.field.inline && !field.field.ignored)
        {
            found.extend(default_of(field).map(|(line, value)| Default { at: FieldRef { def, index }, line, value }));
        }
    }
    found
}

/// The default of a field, unless it is no JSON: then it names a constant, or a tag was refused for it.
fn default_of(field: &FieldDef) -> Option<(&TagLine, Value)> {
    let is_default = |line: &&TagLine| matches!(tag_name(&line.text), Some("default" | "k8s:default" | HIDDEN_DEFAULT));
    let line = field.field.tags.iter().find(is_default)?;
    let value = json::parse(raw_value(&line.text)?.trim().as_bytes()).ok()?;
    Some((line, value))
}

/// Tells if a value can be one of a type; types that were not read take any.
fn fits(universe: &Universe, ty: TypeId, value: &Value) -> Result<(), String> {
    match universe.ty(ty) {
        Type::Builtin(builtin) => fits_builtin(*builtin, value),
        Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) => fits(universe, *inner, value),
        // Bytes are text on the wire.
        Type::List(elem) | Type::Array(_, elem) if universe.builtin(*elem) == Some(Builtin::Uint8) => {
            value.as_str().map(drop).ok_or_else(|| wants("a string", value))
        }
        Type::List(elem) | Type::Array(_, elem) => {
            let Value::Array(items) = value else { return Err(wants("a list", value)) };
            items.iter().try_for_each(|item| fits(universe, *elem, item))
        }
        Type::Map(_, _, elem) => {
            let members = value.as_object().ok_or_else(|| wants("an object", value))?;
            members.iter().try_for_each(|(_, item)| fits(universe, *elem, item))
        }
        Type::Def(def) => match &universe.def(*def).kind {
            DefKind::Struct(_) => fits_struct(universe, *def, value),
            DefKind::Typedef(target) => fits(universe, *target, value),
            DefKind::Enum(set) => match value.as_str() {
                Some(text) if set.variants.iter().any(|variant| variant.json == text) => Ok(()),
                Some(text) => Err(format!("{text:?} is not a variant of {}", universe.def(*def).name)),
                None => Err(wants("a string", value)),
            },
            DefKind::Opaque(_) => Ok(()),
        },
        Type::Foreign(_) | Type::Interface | Type::Unsupported(..) => Ok(()),
    }
}

fn fits_struct(universe: &Universe, def: DefId, value: &Value) -> Result<(), String> {
    // A Go type can have a wire form of its own, which its fields do not show.
    if universe.package_of(def).language == Language::Go && value.as_object().is_none() {
        return Ok(());
    }
    let members = value.as_object().ok_or_else(|| wants("an object", value))?;
    members.iter().try_for_each(|(name, item)| match universe.member(def, name) {
        Some(field) => fits(universe, universe.field(field).ty, item),
        None if universe.fields(def).iter().any(|field| field.field.inline) => Ok(()),
        None => Err(format!("{} has no field {name:?}", universe.def(def).name)),
    })
}

fn fits_builtin(builtin: Builtin, value: &Value) -> Result<(), String> {
    let is_it = match builtin {
        Builtin::String => value.as_str().is_some(),
        Builtin::Bool => value.as_bool().is_some(),
        _ => match (builtin.int_bits(), value) {
            (None, _) => value.as_f64().is_some(),
            (Some((bits, signed)), Value::Int(number)) => {
                let number = i128::from(*number);
                let bits = if signed { bits - 1 } else { bits };
                let lowest = if signed { -(1_i128 << bits) } else { 0 };
                (lowest..1_i128 << bits).contains(&number)
            }
            (Some(_), _) => false,
        },
    };
    let wanted = match builtin {
        Builtin::String => "a string".to_owned(),
        Builtin::Bool => "true or false".to_owned(),
        _ if builtin.is_integer() => format!("a number of type {}", builtin.go_name()),
        _ => "a number".to_owned(),
    };
    if is_it { Ok(()) } else { Err(wants(&wanted, value)) }
}

fn wants(wanted: &str, value: &Value) -> String {
    format!("{} is not {wanted}", json::to_string(value))
}

/// Hand-written checks that pass everything: their verdict on a default cannot be known here.
struct PassAll;

impl HookTable for PassAll {
    fn run(&self, _: &HookCall, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        Some(false)
    }
}
