//! `definition-refused`.

use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L400",
    name: "definition-refused",
    summary: "The API server refuses the definition, or warns about it, when it is created.",
    fix: "Do what the message says.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: "size: {type: text}",
    silent: "size: {type: string}",
    check: Check::Own,
};
