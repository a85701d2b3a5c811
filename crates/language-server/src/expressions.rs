//! CEL in manifests: rules of definitions, and expressions of admission policies.

use std::fmt::Write as _;
use std::sync::Arc;

use sprag_analysis::{Analysis, Identity};
use sprag_cel::{Completion, Env};
use sprag_decode::locate::Step;
use sprag_kinds::admissionregistration::expression::{NAMESPACE, REQUEST, object_type};
use sprag_schema::accept::{RuleCost, rule_costs};
use sprag_schema::crd::Crd;
use sprag_schema::{PlaceStep, Props, RuleScope};
use sprag_value::Value;

use crate::hover::At;

/// The member of a schema that has rules.
const RULES: &str = "x-kubernetes-validations";

/// The place of a rule in a definition.
struct RulePlace {
    version: usize,
    /// The steps from the resource to the value that the rule is about.
    steps: Vec<PlaceStep>,
    /// The path of the rule, as its costs name it.
    path: String,
}

/// The rule that steps in a definition lead into.
fn rule_place(steps: &[Step]) -> Option<RulePlace> {
    let [
        Step::Member(spec),
        Step::Member(versions),
        Step::Element(version),
        Step::Member(schema),
        Step::Member(root),
        rest @ ..,
    ] = steps
    else {
        return None;
    };
    if spec != "spec" || versions != "versions" || schema != "schema" || root != "openAPIV3Schema" {
        return None;
    }
    let mut found = RulePlace { version: *version, steps: Vec::new(), path: String::new() };
    let join = |path: &mut String, part: &str| {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(part);
    };
    let mut rest = rest.iter();
    loop {
        match rest.next()? {
            Step::Member(name) if name == "properties" => {
                let Some(Step::Member(name)) = rest.next() else { return None };
                found.steps.push(PlaceStep::Member(name.clone()));
                join(&mut found.path, &format!("properties[{name}]"));
            }
            Step::Member(name) if name == "items" => {
                found.steps.push(PlaceStep::Element(0));
                join(&mut found.path, "items");
            }
            Step::Member(name) if name == "additionalProperties" => {
                // Any key leads to the schema of the values.
                found.steps.push(PlaceStep::Member("\0".to_owned()));
                join(&mut found.path, "additionalProperties");
            }
            Step::Member(name) if name == RULES => {
                let Some(Step::Element(index)) = rest.next() else { return None };
                join(&mut found.path, &format!("{RULES}[{index}]"));
                return Some(found);
            }
            _ => return None,
        }
    }
}

/// Type and cost of the expression at a place.
pub(crate) fn hover(at: &At<'_>, analysis: &Analysis) -> Option<String> {
    let Some(Step::Member(name)) = at.cursor.steps.last() else { return None };
    if at.identity.kind != sprag_schema::crd::KIND
        || !matches!(name.as_str(), "rule" | "messageExpression")
        || at.cursor.is_key
    {
        return None;
    }
    let place = rule_place(&at.cursor.steps)?;
    let crd = Crd::read(at.document.value()?).ok()?;
    let props = crd.versions.get(place.version)?.props()?;
    let release = analysis.built_in().offline().gates().release();
    let scope = RuleScope::at(props, &place.steps, release).ok();
    let ty = scope.map(|scope| format!("`self` is `{}`\n", scope.this().ty)).unwrap_or_default();
    let cost = rule_costs(props, release).into_iter().find(|cost| cost.path == place.path);
    let cost = cost.map(|cost| in_words(&cost)).unwrap_or_default();
    Some(format!("**CEL**, `bool`\n\n{ty}\n{cost}"))
}

fn in_words(cost: &RuleCost) -> String {
    if let Some(error) = &cost.error {
        return format!("does not compile:\n```\n{error}\n```\n");
    }
    let bounds = if cost.is_bounded { "" } else { ", as often as fits a request" };
    let mut text = format!(
        "Estimated cost {} of {} allowed: {} a run, {} times{bounds}\n",
        cost.cost, cost.limit, cost.per_run, cost.times
    );
    for remedy in &cost.remedies {
        let _ = writeln!(text, "- would fit with `{}: {}` at `{}`", remedy.keyword, remedy.limit, remedy.path);
    }
    text
}

/// The expression that is typed at the end of a text, with the names that it may use.
pub(crate) fn completion(
    steps: &[Step],
    document: Option<&Value>,
    identity: &Identity,
    analysis: &Analysis,
) -> Option<Completion> {
    let Some(Step::Member(name)) = steps.last() else { return None };
    let release = analysis.built_in().offline().gates().release();
    let env = Env::new_expressions(release);
    if identity.kind == sprag_schema::crd::KIND && matches!(name.as_str(), "rule" | "messageExpression") {
        let place = rule_place(steps)?;
        let props = document.and_then(|document| props_of(document, place.version));
        let scope = props.and_then(|props| RuleScope::at(&props, &place.steps, release).ok());
        let this = scope.map_or_else(|| Arc::new(sprag_cel::DeclType::untyped()), |scope| scope.this().clone());
        return Some(Completion::new(env, vec![("self", this.clone()), ("oldSelf", this)]));
    }
    let is_policy = identity.group() == "admissionregistration.k8s.io";
    if is_policy && matches!(name.as_str(), "expression" | "valueExpression" | "messageExpression") {
        let dynamic = || Arc::new(sprag_cel::DeclType::untyped());
        let known = |name: &str| object_type(name).cloned().unwrap_or_else(dynamic);
        let variables = vec![
            ("object", dynamic()),
            ("oldObject", dynamic()),
            ("params", dynamic()),
            ("authorizer", dynamic()),
            ("variables", dynamic()),
            ("request", known(REQUEST)),
            ("namespaceObject", known(NAMESPACE)),
        ];
        return Some(Completion::new(env, variables));
    }
    None
}

/// The schema of a version in a definition that may not be finished.
fn props_of(document: &Value, version: usize) -> Option<Props> {
    let versions = document.lookup(&["spec", "versions"])?.as_array()?;
    let schema = versions.as_slice().get(version)?.lookup(&["schema", "openAPIV3Schema"])?;
    Props::read(schema).ok()
}
