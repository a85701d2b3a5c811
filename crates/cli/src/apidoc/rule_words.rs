//! Rules of a plan as tags and in plain words.

use sprag_checks::update::Constraint;
use sprag_program::{BoundSide, Demand, HookArg, HookCall, Identity, Literal, Program, Rule};

/// The tag that a rule comes from, without the tags inside it and without `+`.
pub(super) fn tag(program: &Program, rule: &Rule) -> String {
    let plain = || format!("k8s:{}", program.describe(rule));
    match rule {
        Rule::Custom(call) => match declared_tag(call) {
            Some(name) => format!("kinds:{name}{}", shown_args(call)),
            None => "k8s:customValidation".to_owned(),
        },
        Rule::Unique(Identity::Value) => "k8s:listType=set".to_owned(),
        Rule::Unique(Identity::Keys(keys)) => {
            let keys: Vec<String> =
                keys.iter().map(|key| format!("k8s:listMapKey={}", program.field_name(*key))).collect();
            keys.join(" +")
        }
        Rule::Dependent(rule) => {
            let what = if rule.required { "dependentRequired" } else { "dependentForbidden" };
            format!("k8s:{what}({:?})", program.field_name(rule.dependent))
        }
        Rule::Union(rule) => match rule.demand {
            Demand::Discriminated { .. } => "k8s:unionDiscriminator".to_owned(),
            Demand::ExactlyOne => "k8s:unionMember".to_owned(),
            Demand::AtMostOne => "k8s:zeroOrOneOfMember".to_owned(),
        },
        Rule::Update(rule) => {
            let names: Vec<String> = rule.constraints.iter().map(|constraint| format!("{constraint:?}")).collect();
            format!("k8s:update={}", names.join(","))
        }
        _ => plain(),
    }
}

/// A rule in plain words.
pub(super) fn words(program: &Program, rule: &Rule) -> String {
    match rule {
        Rule::Required => "must be set".to_owned(),
        Rule::Optional => "may be left out".to_owned(),
        Rule::Forbidden => "must not be set".to_owned(),
        Rule::MinLength(limit) => format!("at least {limit} characters"),
        Rule::MaxLength(limit) => format!("at most {limit} characters"),
        Rule::MaxBytes(limit) => format!("at most {limit} bytes"),
        Rule::MinItems(limit) => format!("at least {limit} elements"),
        Rule::MaxItems(limit) => format!("at most {limit} elements"),
        Rule::MinProperties(limit) => format!("at least {limit} entries"),
        Rule::MaxProperties(limit) => format!("at most {limit} entries"),
        Rule::IntegerBound(side, bound) => format!("{} {bound}", side_words(*side)),
        Rule::IntegerBoundByField(rule) => {
            let bound: Vec<&str> = rule.bound.iter().map(|field| program.field_name(*field)).collect();
            format!("{} {} {}", program.target(rule), side_words(rule.side), bound.join("."))
        }
        Rule::IntegerBoundOfOwner(side) => format!("{} another field", side_words(*side)),
        Rule::NotEqual(literal) => format!("is not {}", literal.show()),
        Rule::Format(format) => format!("has the form {}", format.name()),
        Rule::Pattern(id) => format!("matches {}", program.plan().pattern(*id).as_str()),
        Rule::Enum(rule) => format!("one of {}", rule.values.join(", ")),
        Rule::Immutable => "cannot be changed".to_owned(),
        Rule::Monotonic => "cannot decrease".to_owned(),
        Rule::Update(rule) => {
            let words: Vec<&str> = rule.constraints.iter().map(|constraint| constraint_words(*constraint)).collect();
            words.join(", ")
        }
        Rule::Unique(Identity::Value) => "no element twice".to_owned(),
        Rule::Unique(Identity::Keys(keys)) => {
            let keys: Vec<&str> = keys.iter().map(|key| program.field_name(*key)).collect();
            format!("no two elements with the same {}", keys.join(", "))
        }
        Rule::Custom(call) => custom_words(call),
        Rule::Union(rule) => {
            let members = rule.labels.join(", ");
            match &rule.demand {
                Demand::ExactlyOne => format!("exactly one of {members}"),
                Demand::AtMostOne => format!("at most one of {members}"),
                Demand::Discriminated { name, .. } => format!("the one of {members} that {name} names, and no other"),
            }
        }
        Rule::Dependent(rule) => {
            let what = if rule.required { "must be set" } else { "must not be set" };
            let (dependent, trigger) = (program.field_name(rule.dependent), program.field_name(rule.trigger));
            format!("{dependent} {what} where {trigger} is")
        }
        Rule::FeatureGate(gate) => format!("belongs to the feature {gate}"),
        Rule::Fixed { message, .. } => format!("is refused: {message}"),
        Rule::ItemKept(_) => format!("{} cannot be removed", program.describe(rule)),
        other => program.describe(other),
    }
}

fn side_words(side: BoundSide) -> &'static str {
    match side {
        BoundSide::Minimum => "at least",
        BoundSide::Maximum => "at most",
        BoundSide::ExclusiveMinimum => "more than",
        BoundSide::ExclusiveMaximum => "less than",
    }
}

fn constraint_words(constraint: Constraint) -> &'static str {
    match constraint {
        Constraint::NoSet => "cannot be set later",
        Constraint::NoUnset => "cannot be unset",
        Constraint::NoModify => "cannot be changed once set",
        Constraint::NoAddItem => "nothing can be added",
        Constraint::NoRemoveItem => "nothing can be removed",
    }
}

/// The tag of the built-in kinds' own that calls a function, in camel case.
fn declared_tag(call: &HookCall) -> Option<String> {
    let mut parts = call.name.strip_prefix("crate::tags::")?.split('_');
    Some(parts.next().unwrap_or_default().to_owned() + &parts.map(capitalized).collect::<String>())
}

fn custom_words(call: &HookCall) -> String {
    let args: Vec<String> = args(call).map(|(_, arg)| shown(arg)).collect();
    let first = args.first().map_or("", String::as_str);
    match declared_tag(call).as_deref() {
        Some("format") => format!("has the form {first}"),
        Some("oneOf") => format!("one of {}", first.split(',').map(str::trim).collect::<Vec<_>>().join(", ")),
        Some("range") => format!("from {}", args.join(" to ")),
        Some("immutable") => "cannot be changed".to_owned(),
        Some("fileMode") => "permissions of a file, from 0 to 0777 (octal)".to_owned(),
        Some("map") => format!("keys and values have the form of {first}"),
        Some("intOrString") if first == "port" => "number or name of a port".to_owned(),
        Some("intOrString") => "a number that is not negative, or a percentage".to_owned(),
        Some(other) => other.to_owned(),
        None => format!("passes upstream's function {}", upstream_name(&call.name)),
    }
}

/// The name that upstream's function of a custom validation has: fields are in Go's spelling there.
fn upstream_name(name: &str) -> String {
    let mut parts = name.split('_');
    let head: Vec<&str> = parts.by_ref().take(2).collect();
    let field: String = parts.map(capitalized).collect();
    if field.is_empty() { head.join("_") } else { format!("{}_{field}", head.join("_")) }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn args(call: &HookCall) -> impl Iterator<Item = (usize, &Literal)> {
    call.args.iter().enumerate().filter_map(|(at, arg)| match arg {
        HookArg::Required(literal) | HookArg::Optional(Some(literal)) => Some((at, literal)),
        HookArg::Optional(None) => None,
    })
}

fn shown_args(call: &HookCall) -> String {
    let args: Vec<String> = args(call).map(|(_, arg)| shown(arg)).collect();
    match declared_tag(call).as_deref() {
        Some("range") => format!("({})", args.join(", ")),
        _ if args.is_empty() => String::new(),
        _ => format!("={}", args.join(", ")),
    }
}

fn shown(literal: &Literal) -> String {
    match literal {
        Literal::String(text) => text.clone(),
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
    }
}
