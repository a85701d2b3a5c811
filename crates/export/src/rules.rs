//! Rules of a plan as keywords of schemas and as CEL rules.

mod structs;
mod transitions;

use sprag_checks::{At, Options, Request};
use sprag_field::{Errors, Stage};
use sprag_program::{
    BoundSide, Check, DefId, EnumRule, FieldPlan, FieldRef, Form, HookCall, HookTable, Identity, Literal, Program,
    ProgramParts, Rule, TypeId,
};
use sprag_shape::{Kind, ListType};
use sprag_value::Value;

use crate::cel::Cel;
use crate::formats::{self, Form as TextForm};
use crate::schema::{Below, Schema};

/// The largest integer that is exact in a schema, whose numbers are floating-point ones.
const EXACT: i128 = 1 << 53;

/// A rule that a definition cannot have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Left {
    pub(crate) path: String,
    pub(crate) rule: String,
    pub(crate) why: String,
}

/// Adds the rules of a program to schemas.
pub(crate) struct Rules<'p> {
    pub(crate) parts: &'p ProgramParts,
    pub(crate) program: &'p Program,
    pub(crate) options: &'p Options,
    /// Leaves rules of other structs to the schemas of those, and takes all features for on.
    pub(crate) by_type: bool,
    pub(crate) left: Vec<Left>,
}

/// The place of a value in objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spot {
    /// Its path, for reports.
    path: String,
    /// No old value can be found for it on update, because a list around it has no keys.
    uncorrelated: bool,
    /// The zero value passes whatever the rules say: it counts as unset, and the field is optional.
    zero_passes: bool,
}

impl Spot {
    fn below(&self, step: &str) -> Spot {
        let path = match (self.path.as_str(), step) {
            ("", step) => step.to_owned(),
            (path, step) if step.starts_with('[') => format!("{path}{step}"),
            (path, step) => format!("{path}.{step}"),
        };
        Spot { path, uncorrelated: self.uncorrelated, zero_passes: false }
    }
}

impl Rules<'_> {
    /// Adds the rules of a declared type to the schema of its values.
    pub(crate) fn add_type(&mut self, schema: &mut Schema, def: DefId, spot: &Spot) {
        let parts = self.parts;
        let Some(plan) = parts.plan.of(def) else { return };
        let ty = parts.defs[def.index()].ty;
        let checks = plan.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&plan.descend);
        for check in checks {
            self.add_check(schema, ty, check, spot);
        }
        for field in &plan.fields {
            self.add_field(schema, field, spot);
        }
    }

    fn add_field(&mut self, parent: &mut Schema, plan: &FieldPlan, spot: &Spot) {
        let checks: Vec<&Check> = plan.cohorts.iter().flat_map(|cohort| &cohort.checks).chain(&plan.descend).collect();
        let member = &self.parts.defs[plan.field.def.index()].members[plan.field.index];
        let Some(name) = &member.json else {
            // The members of an embedded struct are those of the struct around it.
            return checks.into_iter().for_each(|check| self.add_check(parent, plan.ty, check, spot));
        };
        if self.is_off(&checks) {
            return remove_property(parent, name);
        }
        let is_metadata = is_metadata(spot, name);
        let has_default = parent.get("properties").and_then(|all| all.lookup(&[name, "default"])).is_some();
        if !has_default && !is_metadata && self.rejects(plan.field, &Value::object()) {
            parent.require(name);
        }
        let optional = checks.iter().any(|check| matches!(check.rule, Rule::Optional) && check.stage != Stage::Alpha);
        let mut below = spot.below(name);
        below.zero_passes = optional && !self.parts.types[plan.ty.index()].pointer;
        // The server judges metadata by its own rules; a definition can only add to them.
        for check in checks.into_iter().filter(|check| !(is_metadata && matches!(check.rule, Rule::Type(_)))) {
            self.add_member_check(parent, plan.field, check, &below);
        }
    }

    /// Adds a rule about a member of a struct: to the schema of the struct if it is about presence or change, otherwise to that
    /// of the member.
    fn add_member_check(&mut self, parent: &mut Schema, field: FieldRef, check: &Check, spot: &Spot) {
        let Some(check) = self.resolved(check, spot) else { return };
        let member = &self.parts.defs[field.def.index()].members[field.index];
        let (Some(name), ty) = (member.json.clone(), member.ty) else {
            return self.leave(spot, &check.rule, "the members of an embedded struct have no schema of their own");
        };
        match &check.rule {
            // The schema says so, or the missing value is refused by what else there is.
            Rule::Optional | Rule::FeatureGate(_) => {}
            Rule::Required => {
                let below = Below::Property(&name);
                parent.edit(&below, |schema| self.refuse_zero(schema, ty, spot));
            }
            Rule::Forbidden => self.add_member_rule(parent, field, check, spot, "may not be set"),
            Rule::Immutable | Rule::Update(_) | Rule::Monotonic => self.add_transition(parent, field, check, spot),
            _ => {
                let found = parent.edit(&Below::Property(&name), |schema| self.add_check(schema, ty, check, spot));
                if !found {
                    self.leave(spot, &check.rule, "the schema ends above this field");
                }
            }
        }
    }

    /// Adds a rule about a member as CEL to the schema of the struct.
    fn add_member_rule(&mut self, parent: &mut Schema, field: FieldRef, check: &Check, spot: &Spot, message: &str) {
        let cel = Cel::new(self.parts);
        match cel.member_holds(check, "self", field) {
            Some(rule) => {
                let name = self.parts.defs[field.def.index()].members[field.index].json.as_deref().unwrap_or_default();
                parent.rule(&rule, &format!("{name} {message}"));
            }
            None => self.leave(spot, &check.rule, NO_EXPRESSION),
        }
    }

    /// Adds a rule about a value to its schema.
    fn add_check(&mut self, schema: &mut Schema, ty: TypeId, check: &Check, spot: &Spot) {
        let Some(check) = self.resolved(check, spot) else { return };
        let form = self.parts.types[ty.index()].form;
        match &check.rule {
            // Said by the schema already, or resolved above.
            Rule::Optional
            | Rule::FeatureGate(_)
            | Rule::NoNilElements
            | Rule::Fixed { passes: true, .. }
            | Rule::IfOption { .. }
            | Rule::IfFeature { .. }
            | Rule::IfSubresource { .. } => {}
            Rule::Required => self.refuse_zero(schema, ty, spot),
            Rule::Type(def) if self.by_type && self.is_struct(*def) => {}
            Rule::Type(def) => self.add_type(schema, *def, spot),
            Rule::Subfield(field, inner) => {
                let name = self.parts.defs[field.def.index()].members[field.index].json.clone().unwrap_or_default();
                self.add_subfield(schema, *field, inner, &spot.below(&name));
            }
            Rule::IfSet(inner) => {
                let zero_passes = !self.parts.types[ty.index()].pointer;
                self.add_check(schema, ty, inner, &Spot { zero_passes, ..spot.clone() });
            }
            Rule::EachVal(identity, inner) => {
                let (Form::List(elem) | Form::Map(_, elem)) = form else { return };
                let mut below = spot.below("[*]");
                below.uncorrelated |= matches!(form, Form::List(_)) && !is_keyed(identity.as_ref());
                schema.edit(&Below::Elements, |schema| self.add_check(schema, elem, inner, &below));
            }
            Rule::EachKey(inner) => {
                let holds = Cel::new(self.parts).holds(inner, "key");
                self.add_expression(schema, spot, &check.rule, holds.map(|holds| format!("self.all(key, {holds})")));
            }
            Rule::Item(terms, inner) => {
                let cel = Cel::new(self.parts);
                let rule = cel.selects("item", terms).zip(cel.holds(inner, "item"));
                let rule = rule.map(|(selects, holds)| format!("self.all(item, !({selects}) || ({holds}))"));
                self.add_expression(schema, spot, &check.rule, rule);
            }
            Rule::Unique(identity) => self.add_unique(schema, ty, identity, spot),
            Rule::ItemKept(terms) => self.add_item_kept(schema, terms, check, spot),
            Rule::Union(_) | Rule::Mode(_) | Rule::Dependent(_) | Rule::IntegerBoundByField(_) => {
                self.add_struct_rule(schema, check, spot);
            }
            Rule::Custom(call) => self.leave(spot, &check.rule, &format!("{} is hand-written", call.name)),
            Rule::Immutable | Rule::Update(_) | Rule::Monotonic | Rule::Forbidden | Rule::Fixed { .. } => {
                self.leave(spot, &check.rule, "schemas have it for fields only");
            }
            _ => self.add_value_rule(schema, ty, check, spot),
        }
    }

    fn add_subfield(&mut self, schema: &mut Schema, field: FieldRef, check: &Check, spot: &Spot) {
        let is_metadata = spot.path.starts_with("metadata.");
        if is_metadata && schema.get("properties").is_none() {
            let name = spot.path.trim_start_matches("metadata.");
            if !matches!(name, "name" | "generateName") {
                return self.leave(spot, &check.rule, "of metadata, definitions restrict name and generateName only");
            }
            schema.property(name, Schema::of("string"));
        }
        self.add_member_check(schema, field, check, spot);
    }

    /// Adds a rule about a scalar, or about the size of a list or map.
    fn add_value_rule(&mut self, schema: &mut Schema, ty: TypeId, check: &Check, spot: &Spot) {
        let mut wanted = Schema(Value::object());
        if let Err(why) = self.keywords(&mut wanted, ty, check) {
            let holds = Cel::new(self.parts).holds(check, "self");
            let zero = self.zero(ty).filter(|_| spot.zero_passes);
            let rule = match (holds, zero) {
                (None, _) => return self.leave(spot, &check.rule, why),
                (Some(holds), Some(zero)) => format!("self == {zero} || ({holds})"),
                (Some(holds), None) => holds,
            };
            if let Rule::Format(format) = &check.rule
                && let Some(TextForm::Expression { max_length, .. }) = formats::form(*format)
            {
                // Without it, the rule may cost too much.
                wanted.set("maxLength", i64::try_from(max_length).unwrap_or(i64::MAX));
                merge(schema, wanted, None);
            }
            return schema.rule(&rule, &self.program.words(&check.rule).demand);
        }
        let accepts_zero = spot.zero_passes.then(|| self.zero_schema(ty)).flatten();
        merge(schema, wanted, accepts_zero);
    }

    /// The keywords that say the same as a rule; why there are none.
    fn keywords(&self, schema: &mut Schema, ty: TypeId, check: &Check) -> Result<(), &'static str> {
        let layout = self.parts.types[ty.index()];
        let is_bytes = layout.form == Form::Bytes;
        let size = |schema: &mut Schema, keyword: &str, size: u64| {
            if is_bytes {
                return Err(NO_EXPRESSION);
            }
            schema.set(keyword, i64::try_from(size).unwrap_or(i64::MAX));
            Ok(())
        };
        match &check.rule {
            Rule::MinLength(least) => size(schema, "minLength", *least),
            Rule::MaxLength(most) => size(schema, "maxLength", *most),
            Rule::MinItems(least) => size(schema, "minItems", *least),
            Rule::MaxItems(most) => size(schema, "maxItems", *most),
            Rule::MinProperties(least) => size(schema, "minProperties", *least),
            Rule::MaxProperties(most) => size(schema, "maxProperties", *most),
            Rule::IntegerBound(side, bound) => bounds(schema, *side, *bound),
            Rule::NotEqual(unwanted) => {
                let unwanted: Value = [literal(unwanted)].into_iter().collect();
                let mut excluded = Schema(Value::object());
                excluded.set("enum", unwanted);
                schema.set("not", excluded.0);
                Ok(())
            }
            Rule::Pattern(pattern) => {
                schema.set("pattern", self.parts.plan.pattern(*pattern).as_str());
                Ok(())
            }
            Rule::Format(format) => match formats::form(*format) {
                Some(TextForm::Pattern { pattern, max_length }) => {
                    schema.set("pattern", pattern);
                    max_length.map_or(Ok(()), |most| size(schema, "maxLength", most))
                }
                _ => Err("no pattern and no expression of Kubernetes says the same as this format"),
            },
            Rule::Enum(rule) => {
                let values: Value = self.values(rule)?.into_iter().map(Value::from).collect();
                schema.set("enum", values);
                Ok(())
            }
            _ => Err(NO_EXPRESSION),
        }
    }

    /// The values of an enum with the options in force.
    fn values<'r>(&self, rule: &'r EnumRule) -> Result<Vec<&'r str>, &'static str> {
        let mut values: Vec<&str> = rule.values.iter().map(String::as_str).collect();
        for exclusion in &rule.exclusions {
            match self.options.get(&exclusion.option) {
                Some(on) if on == exclusion.when => values.retain(|value| *value != exclusion.value),
                Some(_) => {}
                None => return Err("it depends on an option that is not set"),
            }
        }
        Ok(values)
    }

    fn add_unique(&mut self, schema: &mut Schema, ty: TypeId, identity: &Identity, spot: &Spot) {
        let shape = self.parts.shapes.get(self.parts.types[ty.index()].shape);
        let declared = schema.get("x-kubernetes-list-type").and_then(Value::as_str);
        if matches!(declared, Some("set" | "map"))
            || matches!(&shape.kind, Kind::List { list: ListType::Set | ListType::Map(_), .. })
        {
            return;
        }
        let cel = Cel::new(self.parts);
        let same = match identity {
            Identity::Value => Some("one == other".to_owned()),
            Identity::Keys(keys) => cel.same_keys(keys, ["one", "other"]),
        };
        let rule = same.map(|same| format!("self.all(one, self.exists_one(other, {same}))"));
        self.add_expression(schema, spot, &Rule::Unique(identity.clone()), rule);
    }

    fn add_expression(&mut self, schema: &mut Schema, spot: &Spot, rule: &Rule, expression: Option<String>) {
        match expression {
            Some(expression) => schema.rule(&expression, &self.program.words(rule).demand),
            None => self.leave(spot, rule, NO_EXPRESSION),
        }
    }

    /// Refuses the zero value of what is held by value: it counts as unset.
    fn refuse_zero(&mut self, schema: &mut Schema, ty: TypeId, spot: &Spot) {
        let layout = self.parts.types[ty.index()];
        if layout.pointer {
            return;
        }
        let mut wanted = Schema(Value::object());
        match layout.form {
            Form::Text | Form::NamedText | Form::Bytes => wanted.set("minLength", 1),
            Form::List(_) => wanted.set("minItems", 1),
            Form::Map(..) => wanted.set("minProperties", 1),
            Form::Int | Form::Float | Form::Bool => {
                let zero = if layout.form == Form::Bool { Value::from(false) } else { Value::from(0) };
                let mut excluded = Schema(Value::object());
                excluded.set("enum", [zero].into_iter().collect::<Value>());
                wanted.set("not", excluded.0);
            }
            Form::Struct(_) => return,
            Form::Any => return self.leave(spot, &Rule::Required, "its zero value is not known"),
        }
        merge(schema, wanted, None);
    }

    /// The zero value of a type as CEL spells it.
    fn zero(&self, ty: TypeId) -> Option<&'static str> {
        match self.parts.types[ty.index()].form {
            Form::Text | Form::NamedText => Some("\"\""),
            Form::Int => Some("0"),
            Form::List(_) => Some("[]"),
            Form::Map(..) => Some("{}"),
            _ => None,
        }
    }

    /// A schema that only the zero value of a type passes.
    fn zero_schema(&self, ty: TypeId) -> Option<Schema> {
        let mut schema = Schema(Value::object());
        match self.parts.types[ty.index()].form {
            Form::Text | Form::NamedText => schema.set("maxLength", 0),
            Form::Int | Form::Float => schema.set("enum", [Value::from(0)].into_iter().collect::<Value>()),
            Form::List(_) => schema.set("maxItems", 0),
            Form::Map(..) => schema.set("maxProperties", 0),
            _ => return None,
        }
        Some(schema)
    }

    /// The check that is enforced with the options in force; what is not enforced is left out with a reason.
    fn resolved<'c>(&mut self, mut check: &'c Check, spot: &Spot) -> Option<&'c Check> {
        loop {
            if check.non_error {
                // It finds nothing: it only ends the checks of its field.
                return None;
            }
            if check.stage == Stage::Alpha {
                self.leave(spot, &check.rule, "it is alpha, so it is observed and not enforced");
                return None;
            }
            if check.warning.is_some() {
                self.leave(spot, &check.rule, "it warns, which definitions cannot");
                return None;
            }
            check = match &check.rule {
                Rule::IfOption { option, enabled, check: inner } => match self.options.get(option) {
                    Some(on) if on == *enabled => inner,
                    Some(_) => return None,
                    None => {
                        self.leave(spot, &inner.rule, &format!("it depends on the option {option}, which is not set"));
                        return None;
                    }
                },
                Rule::IfFeature { gate, check: inner } => {
                    if self.options.get(gate) != Some(true) {
                        return None;
                    }
                    inner
                }
                Rule::IfSubresource { path, check: inner, .. } => {
                    self.leave(spot, &inner.rule, &format!("it depends on whether the request is for {path}"));
                    return None;
                }
                _ => return Some(check),
            };
        }
    }

    fn is_struct(&self, def: DefId) -> bool {
        let ty = self.parts.defs[def.index()].ty;
        matches!(self.parts.types[ty.index()].form, Form::Struct(_))
    }

    /// True if a field belongs to a feature that is off.
    fn is_off(&self, checks: &[&Check]) -> bool {
        !self.by_type
            && checks.iter().any(|check| match &check.rule {
                Rule::FeatureGate(gate) => self.options.get(gate) != Some(true),
                _ => false,
            })
    }

    /// True if the rules of a field refuse it in a new object.
    fn rejects(&self, field: FieldRef, parent: &Value) -> bool {
        let request = Request::create().with_options(self.options);
        let mut errors = Errors::new();
        self.program.validate_field(&PassAll, &request, field, parent, &mut errors);
        errors.iter().any(|error| error.stage != Stage::Alpha)
    }

    fn leave(&mut self, spot: &Spot, rule: &Rule, why: &str) {
        let left = Left { path: spot.path.clone(), rule: self.program.words(rule).demand, why: why.to_owned() };
        if !self.left.contains(&left) {
            self.left.push(left);
        }
    }
}

/// Reports whether a member is the metadata of the object.
fn is_metadata(spot: &Spot, name: &str) -> bool {
    spot.path.is_empty() && name == "metadata"
}

const NO_EXPRESSION: &str = "neither a keyword nor a CEL expression says the same";

/// Hand-written checks that pass everything.
struct PassAll;

impl HookTable for PassAll {
    fn run(&self, _: &HookCall, _: &At<'_>, _: Option<&Value>, _: Option<&Value>, _: &mut Errors) -> Option<bool> {
        Some(false)
    }
}

fn is_keyed(identity: Option<&Identity>) -> bool {
    matches!(identity, Some(Identity::Keys(_)))
}

fn remove_property(parent: &mut Schema, name: &str) {
    if let Some(properties) = parent.0.get_mut("properties") {
        properties.remove(name);
    }
    let required = parent.0.get_mut("required").and_then(Value::as_array_mut);
    if let Some(required) = required {
        *required = required.iter().filter(|known| known.as_str() != Some(name)).cloned().collect();
        if required.is_empty() {
            parent.0.remove("required");
        }
    }
}

fn bounds(schema: &mut Schema, side: BoundSide, bound: i128) -> Result<(), &'static str> {
    if bound.abs() > EXACT {
        return Err("numbers of schemas are not exact beyond 2^53");
    }
    let number = i64::try_from(bound).unwrap_or_default();
    match side {
        BoundSide::Minimum => schema.set("minimum", number),
        BoundSide::Maximum => schema.set("maximum", number),
        BoundSide::ExclusiveMinimum => {
            schema.set("minimum", number);
            schema.set("exclusiveMinimum", true);
        }
        BoundSide::ExclusiveMaximum => {
            schema.set("maximum", number);
            schema.set("exclusiveMaximum", true);
        }
    }
    Ok(())
}

fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::String(text) => Value::from(text.as_str()),
        Literal::Int(number) => Value::from(i64::try_from(*number).unwrap_or_default()),
        Literal::Bool(value) => Value::from(*value),
    }
}

/// Adds keywords to a schema. What one keyword cannot say twice, and what the zero value passes beside, goes into `allOf`.
fn merge(schema: &mut Schema, wanted: Schema, accepts_zero: Option<Schema>) {
    if let Some(zero) = accepts_zero.filter(|_| !passes_zero(&wanted)) {
        let alternatives: Value = [zero.0, wanted.0].into_iter().collect();
        let mut either = Schema(Value::object());
        either.set("anyOf", alternatives);
        return also(schema, either.0);
    }
    let Value::Object(keywords) = wanted.0 else { return };
    if keywords.keys().any(|keyword| schema.get(keyword).is_some()) {
        return also(schema, Value::Object(keywords));
    }
    for (keyword, value) in &keywords {
        schema.set(keyword, value.clone());
    }
}

/// True if the zero value passes keywords that a rule was translated to.
fn passes_zero(wanted: &Schema) -> bool {
    let Value::Object(keywords) = &wanted.0 else { return false };
    let is_exclusive = |keyword: &str| wanted.get(keyword).is_some();
    keywords.iter().all(|(keyword, value)| match keyword.as_str() {
        "maxLength" | "maxItems" | "maxProperties" | "exclusiveMinimum" | "exclusiveMaximum" => true,
        "minimum" => value.as_i64().is_some_and(|least| least < 0 || least == 0 && !is_exclusive("exclusiveMinimum")),
        "maximum" => value.as_i64().is_some_and(|most| most > 0 || most == 0 && !is_exclusive("exclusiveMaximum")),
        _ => false,
    })
}

fn also(schema: &mut Schema, condition: Value) {
    match schema.0.get_mut("allOf") {
        Some(all) => {
            all.push(condition);
        }
        None => schema.set("allOf", [condition].into_iter().collect::<Value>()),
    }
}
