//! The rules of a schema by their places: only the parts of the schema that have any.

use std::sync::Arc;

use sprag_cel::DeclType;
use sprag_release::Release;
use sprag_value::Text;

use super::compile::{LazyRule, Scope};
use super::{declare, escape};
use crate::props::Props;

/// The rules at a schema and below it.
#[derive(Default)]
pub(crate) struct RuleTree {
    /// `type` of the schema.
    pub(crate) ty: Text,
    pub(crate) rules: Vec<LazyRule>,
    /// True if there are rules for values that expressions cannot see.
    pub(crate) is_hidden: bool,
    /// The type of values for expressions; present if there are rules.
    pub(crate) this: Option<Arc<DeclType>>,
    pub(crate) items: Option<Box<RuleTree>>,
    pub(crate) additional: Option<Box<RuleTree>>,
    /// Sorted by name.
    pub(crate) properties: Vec<(Text, RuleTree)>,
    /// Rules of the schemas in `allOf`, for the same value.
    pub(crate) all_of: Vec<RuleTree>,
}

impl RuleTree {
    /// The rules of a whole resource; nothing when it has none.
    pub(crate) fn new(props: &Props, release: Release) -> Option<Self> {
        Self::of(props, true, release)
    }

    /// The rules of a schema, of a resource or of a part of one.
    pub(crate) fn of(props: &Props, is_resource: bool, release: Release) -> Option<Self> {
        if !has_rules(props) {
            return None;
        }
        let this = declare(props, is_resource, release).map(|declared| declared.ty);
        tree(props, props, &Place { release, types: this.clone(), this })
    }

    fn is_empty(&self) -> bool {
        self.rules.is_empty()
            && !self.is_hidden
            && self.items.is_none()
            && self.additional.is_none()
            && self.properties.is_empty()
            && self.all_of.is_empty()
    }
}

/// True if there are rules outside of combined schemas; those inside alone are never looked for.
fn has_rules(props: &Props) -> bool {
    !props.validations.is_empty()
        || props.item_schema().is_some_and(has_rules)
        || props.additional_schema().is_some_and(has_rules)
        || props.properties.values().any(has_rules)
}

/// The declaration of a place, and the scope of its types.
#[derive(Clone)]
struct Place {
    release: Release,
    types: Option<Arc<DeclType>>,
    this: Option<Arc<DeclType>>,
}

impl Place {
    fn element(&self) -> Place {
        let this = self.this.as_ref().and_then(|this| this.element.clone());
        Place { types: self.types.clone(), this, ..*self }
    }

    /// Returns the declaration of a property; `None` if it is hidden together with all below it.
    fn property(&self, name: &str, props: &Props) -> Option<Place> {
        let Some(name) = escape(name) else {
            // A name that expressions cannot spell hides the member, not what is inside of it.
            let this = declare(props, props.embedded_resource, self.release)?.ty;
            return Some(Place { types: Some(this.clone()), this: Some(this), ..*self });
        };
        let field = self.this.as_ref()?.field(&name)?;
        Some(Place { types: self.types.clone(), this: Some(field.ty.clone()), ..*self })
    }
}

/// Rules of `rules` for values of `props`; these are two only below `allOf`.
fn tree(rules: &Props, props: &Props, place: &Place) -> Option<RuleTree> {
    let mut tree = RuleTree { ty: props.ty.clone(), this: place.this.clone(), ..RuleTree::default() };
    match (&place.types, &place.this) {
        (Some(types), Some(this)) => {
            let scope = Scope { release: place.release, types: types.clone(), this: this.clone() };
            tree.rules = rules.validations.iter().filter_map(|rule| LazyRule::new(rule, props, &scope)).collect();
        }
        _ => tree.is_hidden = !rules.validations.is_empty(),
    }
    let part =
        |rules: Option<&Props>, props: Option<&Props>, place: &Place| self::tree(rules?, props?, place).map(Box::new);
    tree.items = part(rules.item_schema(), props.item_schema(), &place.element());
    tree.additional = part(rules.additional_schema(), props.additional_schema(), &place.element());
    for (name, rules) in &rules.properties {
        let Some(props) = props.properties.get(name) else { continue };
        let Some(place) = place.property(name, props) else { continue };
        tree.properties.extend(self::tree(rules, props, &place).map(|tree| (name.clone(), tree)));
    }
    tree.all_of = rules.all_of.iter().filter_map(|rules| self::tree(rules, props, place)).collect();
    (!tree.is_empty()).then_some(tree)
}
