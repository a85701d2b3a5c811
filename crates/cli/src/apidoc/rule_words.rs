//! Rules as tags, and the words of the built-in kinds' own tags; those of all others are beside the rules.

use sprag_program::{Demand, HookArg, HookCall, Identity, Literal, Program, Rule};

/// The tag that a rule comes from, without the tags inside it and without `+`.
pub(super) fn tag(program: &Program, rule: &Rule) -> String {
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
        _ => format!("k8s:{}", program.words(rule).name),
    }
}

/// A rule in plain words.
pub(super) fn words(program: &Program, rule: &Rule) -> String {
    if let Rule::Custom(call) = rule { custom_words(call) } else { program.words(rule).phrase }
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
