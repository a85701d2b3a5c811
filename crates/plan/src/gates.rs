//! The feature gates that rules depend on.

use std::collections::BTreeSet;

use crate::{Check, Cohort, DefId, Plan, Rule};

impl Plan {
    /// The feature gates that the rules of a type, and of all types below it, depend on.
    pub fn gates(&self, def: DefId) -> BTreeSet<&str> {
        let mut walk = Walk { plan: self, seen: BTreeSet::new(), open: vec![def], gates: BTreeSet::new() };
        while let Some(def) = walk.open.pop() {
            if walk.seen.insert(def) {
                walk.def(def);
            }
        }
        walk.gates
    }
}

struct Walk<'p> {
    plan: &'p Plan,
    seen: BTreeSet<DefId>,
    /// Types that are still to be looked at.
    open: Vec<DefId>,
    gates: BTreeSet<&'p str>,
}

impl<'p> Walk<'p> {
    fn def(&mut self, def: DefId) {
        let Some(plan) = self.plan.of(def) else { return };
        self.checks(&plan.cohorts, &plan.descend);
        for field in &plan.fields {
            self.checks(&field.cohorts, &field.descend);
        }
    }

    fn checks(&mut self, cohorts: &'p [Cohort], descend: &'p [Check]) {
        for check in cohorts.iter().flat_map(|cohort| &cohort.checks).chain(descend) {
            self.check(check);
        }
    }

    // Checks are nested as deeply as tags are, which have a limit.
    fn check(&mut self, check: &'p Check) {
        match &check.rule {
            Rule::FeatureGate(gate) => drop(self.gates.insert(gate)),
            Rule::IfFeature { gate: option, check } | Rule::IfOption { option, check, .. } => {
                self.gates.insert(option);
                self.check(check);
            }
            Rule::Enum(rule) => self.gates.extend(rule.exclusions.iter().map(|exclusion| exclusion.option.as_str())),
            Rule::Type(def) => self.open.push(*def),
            Rule::EachKey(check)
            | Rule::EachVal(_, check)
            | Rule::Item(_, check)
            | Rule::Subfield(_, check)
            | Rule::IfSubresource { check, .. } => self.check(check),
            Rule::Mode(rule) => rule.modes.iter().flat_map(|mode| &mode.checks).for_each(|check| self.check(check)),
            _ => {}
        }
    }
}
