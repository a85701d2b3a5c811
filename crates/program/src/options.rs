//! The options and hand-written checks that the rules of a type depend on.

use std::collections::BTreeSet;

use crate::{Check, Cohort, DefId, Plan, Program, Rule};

impl Plan {
    /// The names of the options, feature gates mostly, that the rules of a type and of all below it depend on.
    pub fn options(&self, root: DefId) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.each_rule(root, |rule| names.extend(rule.options()));
        names
    }

    /// The names of the hand-written checks that the rules of a type and of all below it call.
    pub fn hand_written(&self, root: DefId) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.each_rule(root, |rule| {
            if let Rule::Custom(call) = rule {
                names.insert(call.name.as_str());
            }
        });
        names
    }

    /// Visits every rule of a type and of all below it, rules inside of rules included.
    fn each_rule<'p>(&'p self, root: DefId, mut visit: impl FnMut(&'p Rule)) {
        let mut types = vec![root];
        let mut seen = BTreeSet::from([root]);
        while let Some(def) = types.pop() {
            let Some(plan) = self.of(def) else { continue };
            let fields = plan.fields.iter().flat_map(|field| checks(&field.cohorts, &field.descend));
            let mut work: Vec<&Check> = checks(&plan.cohorts, &plan.descend).chain(fields).collect();
            while let Some(Check { rule, .. }) = work.pop() {
                visit(rule);
                work.extend(rule.inner());
                if let Rule::Type(def) = rule
                    && seen.insert(*def)
                {
                    types.push(*def);
                }
            }
        }
    }
}

impl Program {
    /// The names of the options that the rules and the gated fields of a type depend on.
    pub fn options(&self, root: DefId) -> BTreeSet<&str> {
        let mut names = self.plan().options(root);
        let resource = self.resources().iter().find(|resource| resource.def == root);
        names.extend(resource.into_iter().flat_map(|resource| &resource.facts.gated).map(|field| field.gate.as_str()));
        names
    }
}

fn checks<'p>(cohorts: &'p [Cohort], descend: &'p [Check]) -> impl Iterator<Item = &'p Check> {
    cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend)
}
