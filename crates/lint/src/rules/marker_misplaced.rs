//! `marker-misplaced`.

use crate::finding::Report;
use crate::model::Spot;
use crate::rule::{Check, Level, LintRule};
use sprag_idl::model::Builtin;
use sprag_program::TypeId;
use sprag_tags::kubebuilder::{About, Target};
use sprag_tags::types::Kind;

pub(super) const RULE: LintRule = LintRule {
    code: "L202",
    name: "marker-misplaced",
    summary: "controller-gen passes over a marker where it does not belong: one for types on a field, one for texts on a number.",
    fix: "Move the marker to where it belongs, or use the one for the type at hand.",
    kal: "",
    kubernetes: Level::Error,
    crd: Level::Error,
    fixable: false,
    fires: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:MaxLength=3
	Size *int32 `json:"size,omitempty"`
}"#,
    silent: r#"type Spec struct {
	// +optional
	// +kubebuilder:validation:Maximum=3
	Size *int32 `json:"size,omitempty"`
}"#,
    check: Check::Spot(check),
};

fn check(spot: &Spot<'_>, report: &mut Report<'_>) {
    let target = if spot.field.is_some() { Target::Field } else { Target::Type };
    for marker in &spot.markers {
        let spec = marker.spec;
        if !spec.targets.contains(&target) {
            let places: Vec<&str> = spec.targets.iter().map(|target| target.name()).collect();
            let message = format!("+{} stands on {}, not on {}", spec.name, places.join(" or "), target.name());
            report.at(spot, marker.line.span, message);
            continue;
        }
        let about = if marker.items { element(spot) } else { Some(spot.ty) }.map(|ty| kind(spot, ty));
        match about {
            None => {
                report.at(spot, marker.line.span, "only lists have elements that `items:` can be about");
            }
            Some(Some(kind)) if spec.about != About::Any && spec.about != kind => {
                let message =
                    format!("+{} is about {}, and the value is one of {}", spec.name, spec.about.name(), kind.name());
                report.at(spot, marker.line.span, message);
            }
            Some(_) => {}
        }
    }
}

fn element(spot: &Spot<'_>) -> Option<TypeId> {
    let universe = spot.universe();
    (universe.pointee_kind(spot.ty) == Kind::Slice).then(|| universe.elem(spot.ty)).flatten()
}

/// Returns the kind of a type's values; `None` if unknown.
fn kind(spot: &Spot<'_>, ty: TypeId) -> Option<About> {
    let universe = spot.universe();
    // A type may be written as another one, such as metav1.Duration, which is a text.
    let written = [spot.marker("kubebuilder:validation:Type"), spot.marker("kubebuilder:validation:XIntOrString")];
    let of_type = spot.named_type().and_then(|def| spot.model.type_spot(def));
    let redefined = of_type
        .is_some_and(|ty| ty.has("kubebuilder:validation:Type") || ty.has("kubebuilder:validation:XIntOrString"));
    if redefined || written.iter().any(Option::is_some) {
        return None;
    }
    match universe.pointee_kind(ty) {
        Kind::Builtin => match universe.builtin(ty)? {
            Builtin::String => Some(About::Texts),
            Builtin::Bool | Builtin::Complex | Builtin::Uintptr => None,
            _ => Some(About::Numbers),
        },
        // Bytes are a text on the wire.
        Kind::Slice if universe.elem(ty).and_then(|elem| universe.builtin(elem)) == Some(Builtin::Uint8) => None,
        Kind::Slice => Some(About::Lists),
        Kind::Map => Some(About::Objects),
        Kind::Struct => {
            let def = universe.struct_of(ty)?;
            // Structs of other packages may have a wire form of their own.
            (spot.model.is_given)(&universe.package_of(def).path).then_some(About::Objects)
        }
        _ => None,
    }
}
