//! `sprag cel cost`: what the rules of definitions are estimated to cost.

use std::io::{self, Write};

use anyhow::bail;
use clap::Args;
use sprag_analysis::files::{Discovery, IgnorePatterns, Place};
use sprag_analysis::workers;
use sprag_analysis::{BuiltIn, Catalog, Take};
use sprag_cel::known_elsewhere;
use sprag_rest::Release;
use sprag_schema::accept::{RuleCost, TOTAL_COST_LIMIT, rule_costs};
use sprag_schema::crd::{Crd, Version};

use crate::commands::Outcome;
use crate::output::Terminal;
use crate::report::visible::visible;

/// The definitions to look at.
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CostArgs {
    /// Definitions: file, folder, git:REV:PATH, or `-` for standard input; may be repeated
    #[arg(long = "crd", value_name = "PATH", required = true)]
    crds: Vec<Place>,

    /// The release of Kubernetes that estimates
    #[arg(long, value_name = "VERSION", default_value_t = Release::NEWEST, hide_default_value = true)]
    kubernetes_version: Release,
}

const AFTER_HELP: &str = "\
For each rule: the estimate for one object as a share of what the API server allows, how often the rule may run, the part of the
expression that costs the most, and limits of which each alone would make the rule cheap enough. Exits with 1 if a rule or a
version costs too much.

Example:
  sprag cel cost --crd crds/
  sprag cel cost --crd crds/ --kubernetes-version 1.34";

pub(crate) fn run(args: &CostArgs, terminal: &mut Terminal) -> anyhow::Result<Outcome> {
    let ignored = IgnorePatterns::default();
    let mut warnings = Vec::new();
    let files =
        Discovery { recursive: true, ignored: &ignored, allow_empty: false, follow_links: false }.find(&args.crds)?;
    let catalog = Catalog::read(&files, Take::Readable, &BuiltIn::default(), workers::all_cores(), &mut warnings)?;
    for warning in &warnings {
        terminal.warning(warning);
    }
    if catalog.is_empty() {
        let places: Vec<String> = args.crds.iter().map(ToString::to_string).collect();
        bail!("--crd {}: no definitions of custom resources here", places.join(", "));
    }
    let mut outcome = Outcome::Clean;
    for definition in catalog.all() {
        for version in &definition.crd().versions {
            let costs = version.props().map(|props| rule_costs(props, args.kubernetes_version)).unwrap_or_default();
            print(definition.crd(), version, &costs, terminal.out())?;
            if total(&costs) > TOTAL_COST_LIMIT || costs.iter().any(|cost| cost.exceeds() || cost.error.is_some()) {
                outcome = Outcome::Findings;
            }
        }
    }
    Ok(outcome)
}

fn total(costs: &[RuleCost]) -> u64 {
    costs.iter().fold(0, |total, cost| total.saturating_add(cost.cost))
}

fn print(crd: &Crd, version: &Version, costs: &[RuleCost], out: &mut dyn Write) -> io::Result<()> {
    let name = format!("{}.{} {}", crd.names.plural, crd.group, version.name);
    let share = share(total(costs), TOTAL_COST_LIMIT);
    let rules = if costs.len() == 1 { "rule" } else { "rules" };
    writeln!(out, "{}: {} {rules}, {share} budget of a definition", visible(&name), costs.len())?;
    costs.iter().try_for_each(|cost| print_rule(cost, out))
}

fn print_rule(cost: &RuleCost, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  {}: {}", visible(&cost.path), visible(&cost.rule))?;
    if let Some(error) = &cost.error {
        writeln!(out, "    does not compile: {}", visible(error))?;
        let mut elsewhere = known_elsewhere(error).into_iter();
        return elsewhere.try_for_each(|(name, releases)| writeln!(out, "    {name} needs Kubernetes {releases}"));
    }
    let times = match (cost.times, cost.is_bounded) {
        (1, true) => "once".to_owned(),
        (times, true) => format!("{times} times"),
        (times, false) => format!("{times} times, as often as fits a request"),
    };
    let verdict = if cost.exceeds() { ": too expensive" } else { "" };
    let share = share(cost.cost, cost.limit);
    writeln!(out, "    {} in all, {} a run, {times}; {share} budget of a rule{verdict}", cost.cost, cost.per_run)?;
    if let Some(worst) = cost.worst {
        let loops = worst.times.map(|times| format!(", loops up to {times} times")).unwrap_or_default();
        let text = rest_of(&cost.rule, worst.offset);
        writeln!(out, "    most of it ({}{loops}): {}", worst.cost, visible(&text))?;
    }
    for remedy in &cost.remedies {
        writeln!(out, "    would fit with {} {} at {}", remedy.keyword, remedy.limit, visible(&remedy.path))?;
    }
    Ok(())
}

/// The expression from a place on, cut to what shows where it is.
fn rest_of(rule: &str, offset: u32) -> String {
    const SHOWN: usize = 40;
    let rest: String = rule.chars().skip(usize::try_from(offset).unwrap_or(usize::MAX)).take(SHOWN + 1).collect();
    if rest.chars().count() > SHOWN { format!("{}…", rest.chars().take(SHOWN).collect::<String>()) } else { rest }
}

/// A cost as a share of a limit, rounded up to tenths of a percent; far beyond the limit, a multiple of it.
fn share(cost: u64, limit: u64) -> String {
    let cost = u128::from(cost);
    let limit = u128::from(limit.max(1));
    if cost > limit * 10 {
        return format!("{} times the", cost / limit);
    }
    let tenths = (cost * 1000).div_ceil(limit);
    format!("{}.{} % of the", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up() {
        assert_eq!(share(0, 1000), "0.0 % of the");
        assert_eq!(share(1, 10_000), "0.1 % of the");
        assert_eq!(share(1500, 1000), "150.0 % of the");
        assert_eq!(share(u64::MAX, 10_000_000), "1844674407370 times the");
    }
}
