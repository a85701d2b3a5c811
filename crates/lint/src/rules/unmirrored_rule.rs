//! `unmirrored-rule`.

use sprag_tags::Stability;

use crate::finding::Report;
use crate::model::Spot;
use crate::model::mentions;
use crate::reference::chain;
use crate::rule::{Check, Level, LintRule};
use crate::stability::of_version;

pub(super) const RULE: LintRule = LintRule {
    code: "L104",
    name: "unmirrored-rule",
    summary: "On a stable API, a rule that is alpha or beta, or made of a tag that is, may change or be switched off; hand-written code has to say the same. Packages below `k8s.io/api/` are taken as mirrored by Kubernetes' own validation.",
    fix: "Mirror the rule with `+k8s:customValidation` on the field or its type, or use a stable tag.",
    kal: "",
    kubernetes: Level::Warning,
    crd: Level::Off,
    fixable: false,
    fires: r#"type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:minimum=1
	// +k8s:customValidation
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Field(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let version = spot.package().path.rsplit(['/', ':']).next().unwrap_or_default();
    if of_version(version) != Stability::Stable || spot.package().path.starts_with("k8s.io/api/") {
        return;
    }
    let registry = spot.model.registry.known_to(spot.dialect());
    let unstable = spot.tags.iter().find_map(|tag| {
        let is_staged = matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta");
        let known = chain(tag).filter_map(|tag| Some((tag, registry.find(&tag.name)?.stability)));
        let least = known.filter(|(tag, _)| !is_staged || !matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta"));
        let least = least.min_by_key(|(_, stability)| *stability)?;
        (is_staged || least.1 < Stability::Stable).then_some((tag, least))
    });
    let Some((tag, (least, stability))) = unstable else { return };
    let mirrors = |tags: &[sprag_idl::Tag]| tags.iter().any(|tag| mentions(tag, "k8s:customValidation"));
    let on_type = spot.model.type_spot(spot.def).is_some_and(|ty| mirrors(&ty.tags));
    let on_root = spot.model.roots.iter().filter_map(|root| spot.model.type_spot(*root));
    if mirrors(&spot.tags)
        || on_type
        || on_root.filter(|root| root.data.package == spot.data.package).any(|root| mirrors(&root.tags))
    {
        return;
    }
    let what = match tag.name.as_str() {
        "k8s:alpha" => "is alpha and not enforced".to_owned(),
        "k8s:beta" => "is beta and may be switched off".to_owned(),
        _ => format!("is as stable as +{}, which is {stability}", least.name),
    };
    report.at(spot, tag.span, format!("a rule of a stable API {what}, and no hand-written check mirrors it"));
}
