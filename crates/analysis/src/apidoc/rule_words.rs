//! Rules as tags.

use sprag_program::{Demand, HookArg, Identity, Literal, Program, Rule};

/// The tag that a rule comes from, without the tags inside it and without `+`.
pub(super) fn tag(program: &Program, rule: &Rule) -> String {
    match rule {
        Rule::Custom(call) => call.tag.clone(),
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

/// The values that a rule lists, if it does.
pub(super) fn values(rule: &Rule) -> Option<Vec<String>> {
    match rule {
        Rule::Enum(rule) => Some(rule.values.clone()),
        Rule::Custom(call) => {
            let name = call.tag.split('=').next()?;
            let list = call.args.iter().find_map(|arg| match arg {
                HookArg::Required(Literal::String(list)) | HookArg::Optional(Some(Literal::String(list))) => {
                    (name == "kinds:oneOf").then_some(list)
                }
                _ => None,
            });
            Some(list?.split(',').map(|value| value.trim().to_owned()).collect())
        }
        _ => None,
    }
}
