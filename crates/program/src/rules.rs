//! The rules of a type one by one, for tests: which there are, and the program without one of them.

use std::collections::BTreeSet;

use sprag_field::Stage;

use crate::{
    Check, Cohort, DefId, FieldRef, IntegerBoundByField, Plan, Program, Rule, TargetStep, Term, TypePlan, Words,
};

/// One rule of a type or of a type below it.
#[derive(Clone, Debug)]
pub struct DeclaredRule<'p> {
    /// The type that declares it.
    pub def: DefId,
    /// The field that declares it; `None` where the type itself does.
    pub field: Option<FieldRef>,
    /// The check, as [`Program::validate_traced`] reports it.
    pub check: &'p Check,
    /// The checks around it, outermost first.
    pub around: Vec<&'p Check>,
    /// Its name: the type, the field and the rule, `v1.WidgetSpec.size: minimum=1`. Unique in a program.
    pub name: String,
}

impl Program {
    /// The rules that can find something in an object of a root type, in the order of types and fields.
    ///
    /// Tags that only control other rules are left out: `+k8s:optional`, and conditions, whose inner rules are listed. So is
    /// `+k8s:featureGate`: a server drops fields of features that are off before rules run. A field with a default is never missing.
    pub fn rules(&self, root: DefId) -> Vec<DeclaredRule<'_>> {
        let reached = self.reached(root);
        let mut rules = Vec::new();
        let mut names = BTreeSet::new();
        for def in reached {
            let Some(plan) = self.walked(def) else { continue };
            each_leaf(plan, &mut |field, around: &[&_], check| {
                if matches!(check.rule, Rule::Required) && field.is_some_and(|field| self.has_default(field)) {
                    return;
                }
                let mut name = self.rule_name(def, field, around, check);
                while !names.insert(name.clone()) {
                    name.push_str(" (again)");
                }
                rules.push(DeclaredRule { def, field, check, around: around.to_vec(), name });
            });
        }
        rules
    }

    /// The same program without one rule of those that [`Program::rules`] lists for a root type.
    #[must_use]
    pub fn without_rule(&self, root: DefId, name: &str) -> Program {
        let rules = self.rules(root);
        let Some(rule) = rules.iter().find(|rule| rule.name == name) else { return self.clone() };
        let mut at = 0;
        if let Some(plan) = self.walked(rule.def) {
            let mut count = 0;
            each_leaf(plan, &mut |_, _: &[&_], check| {
                if std::ptr::eq(check, rule.check) {
                    at = count;
                }
                count += 1;
            });
        }
        self.with_walked(rule.def, |plan| remove_leaf(plan, at))
    }

    fn has_default(&self, field: FieldRef) -> bool {
        let shape = self.shapes().field(self.shape_of(field.def), self.field_name(field));
        shape.is_some_and(|shape| !shape.default.is_empty())
    }

    /// A root type and all types that are reached from it.
    fn reached(&self, root: DefId) -> BTreeSet<DefId> {
        let mut work = vec![root];
        let mut seen = BTreeSet::from([root]);
        while let Some(def) = work.pop() {
            let Some(plan) = self.walked(def) else { continue };
            let mut checks: Vec<&Check> = all_checks(plan).collect();
            while let Some(check) = checks.pop() {
                checks.extend(check.rule.inner());
                if let Rule::Type(def) = check.rule
                    && seen.insert(def)
                {
                    work.push(def);
                }
            }
        }
        seen
    }

    fn rule_name(&self, def: DefId, field: Option<FieldRef>, around: &[&Check], check: &Check) -> String {
        let mut name = self.type_name(def).to_owned();
        if let Some(field) = field {
            name.push('.');
            name.push_str(self.field_name(field));
        }
        name.push_str(": ");
        for check in around.iter().chain(&[check]) {
            match check.stage {
                Stage::Stable => {}
                stage => name.extend([stage.name(), " "]),
            }
            if check.warning.is_some() {
                name.push_str("warn ");
            }
            name.push_str(&self.words(&check.rule).name);
            name.push(' ');
        }
        name.truncate(name.trim_end().len());
        name
    }

    /// The name of a declared type: `v1.Pod`.
    pub fn type_name(&self, def: DefId) -> &str {
        &self.shapes().get(self.shape_of(def)).name
    }

    /// A rule in words.
    pub fn words(&self, rule: &Rule) -> Words {
        rule.words(self)
    }

    /// The place that a bound by field is about, seen from the struct that has both: `backends[*].weight`.
    pub fn target(&self, rule: &IntegerBoundByField) -> String {
        let mut path = String::new();
        for step in rule.target() {
            match step {
                TargetStep::Field(field) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(self.field_name(field));
                }
                TargetStep::Each => path.push_str("[*]"),
                TargetStep::Item(terms) => path.extend(["[", &self.terms(terms), "]"]),
            }
        }
        path
    }

    pub(crate) fn terms(&self, terms: &[Term]) -> String {
        let terms = terms.iter().map(|term| format!("{}: {}", self.field_name(term.field), term.value.show()));
        terms.collect::<Vec<_>>().join(", ")
    }
}

impl Plan {
    /// Tells if a check can find something by itself: it neither only decides about others nor only leads to them.
    fn is_leaf(check: &Check) -> bool {
        !check.rule.leads() && !check.non_error
    }
}

fn all_checks(plan: &TypePlan) -> impl Iterator<Item = &Check> {
    let fields = plan.fields.iter().flat_map(|field| lists(&field.cohorts, &field.descend));
    lists(&plan.cohorts, &plan.descend).into_iter().chain(fields).flatten()
}

fn lists<'p>(cohorts: &'p [Cohort], descend: &'p [Check]) -> Vec<&'p [Check]> {
    cohorts.iter().map(|cohort| cohort.checks.as_slice()).chain([descend]).collect()
}

/// Visits the rules of a type with the checks around them.
fn each_leaf<'p>(plan: &'p TypePlan, visit: &mut impl FnMut(Option<FieldRef>, &[&'p Check], &'p Check)) {
    fn below<'p>(
        field: Option<FieldRef>,
        around: &mut Vec<&'p Check>,
        check: &'p Check,
        visit: &mut impl FnMut(Option<FieldRef>, &[&'p Check], &'p Check),
    ) {
        if Plan::is_leaf(check) {
            visit(field, around, check);
        }
        around.push(check);
        for inner in check.rule.inner() {
            below(field, around, inner, visit);
        }
        around.pop();
    }
    for check in lists(&plan.cohorts, &plan.descend).into_iter().flatten() {
        below(None, &mut Vec::new(), check, visit);
    }
    for field in &plan.fields {
        for check in lists(&field.cohorts, &field.descend).into_iter().flatten() {
            below(Some(field.field), &mut Vec::new(), check, visit);
        }
    }
}

/// Removes the rule at a position, with what is around it and leads nowhere else.
fn remove_leaf(plan: &mut TypePlan, at: usize) {
    let mut count = 0;
    let mut remove = |cohorts: &mut Vec<Cohort>, descend: &mut Vec<Check>| {
        for cohort in cohorts {
            let mut position = 0;
            let mut stops = cohort.stops;
            cohort.checks.retain_mut(|check| {
                let keep = keeps(check, at, &mut count);
                if !keep && position < cohort.stops {
                    stops -= 1;
                }
                position += 1;
                keep
            });
            cohort.stops = stops;
        }
        descend.retain_mut(|check| keeps(check, at, &mut count));
    };
    remove(&mut plan.cohorts, &mut plan.descend);
    for field in &mut plan.fields {
        remove(&mut field.cohorts, &mut field.descend);
    }
}

/// Removes the rule at a position from below a check; false if the check itself has to go.
fn keeps(check: &mut Check, at: usize, count: &mut usize) -> bool {
    let mut keep = true;
    if Plan::is_leaf(check) {
        keep = *count != at;
        *count += 1;
    }
    match &mut check.rule {
        Rule::EachKey(inner)
        | Rule::EachVal(_, inner)
        | Rule::Item(_, inner)
        | Rule::Subfield(_, inner)
        | Rule::IfSet(inner)
        | Rule::IfSubresource { check: inner, .. }
        | Rule::IfOption { check: inner, .. }
        | Rule::IfFeature { check: inner, .. } => keep &= keeps(inner, at, count),
        Rule::Mode(rule) => {
            for mode in &mut rule.modes {
                mode.checks.retain_mut(|check| keeps(check, at, count));
            }
        }
        _ => {}
    }
    keep
}
