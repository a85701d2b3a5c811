//! `tag-error`.

use crate::rule::{Check, Level, LintRule};

pub(super) const RULE: LintRule = LintRule {
    code: "L100",
    name: "tag-error",
    summary: "The source or a tag cannot be used as it is: unknown or misspelt tags, tags in the wrong place, bad arguments.",
    fix: "Do what the message says; `sprag docs tags` lists all tags.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:minimun=0
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:minimum=0
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Reader,
};
