//! `typedef-chain`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::tag_name;
use sprag_tags::Dialect;

pub(super) const RULE: LintRule = LintRule {
    code: "L106",
    name: "typedef-chain",
    summary: "Upstream's validation-gen flattens typedefs: of `type B A`, the tags of A do not hold for B.",
    fix: "Repeat the tags on the type itself, or make it a typedef of the underlying type.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Off,
    fixable: false,
    fires: r"// +k8s:minLength=4
type Name string

// +k8s:maxLength=16
type ShortName Name",
    silent: r"// +k8s:minLength=4
type Name string

// +k8s:minLength=4
// +k8s:maxLength=16
type ShortName Name",
    check: Check::Type(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    // In the dialect `kep` a type has the rules of every type in its chain.
    if !spot.is_go() || spot.dialect() == Dialect::Kep {
        return;
    }
    let universe = spot.universe();
    for target in spot.data.chain.iter().map(|target| universe.def(*target)) {
        let lost = target.tags.iter().filter(|line| {
            let is_rule = tag_name(&line.text).is_some_and(|name| spot.model.registry.find(name).is_some());
            is_rule && !spot.lines.iter().any(|own| own.text == line.text)
        });
        let lost: Vec<String> = lost.map(|line| format!("+{}", line.text)).collect();
        if !lost.is_empty() {
            let message = format!("{} does not inherit {} of {}", spot.data.name, lost.join(", "), target.name);
            report.spot(spot, message);
            return;
        }
    }
}
