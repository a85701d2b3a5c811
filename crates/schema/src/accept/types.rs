//! The types of expressions at each place of a schema, computed on demand.

use std::cell::OnceCell;
use std::sync::Arc;

use sprag_cel::DeclType;
use sprag_release::Release;

use crate::props::Props;
use crate::rules;

/// The place of a schema among those that expressions can look into.
pub(super) struct TypeContext<'a> {
    pub(super) release: Release,
    parent: Option<(&'a TypeContext<'a>, Step<'a>)>,
    props: &'a Props,
    /// True if there are expressions here or above.
    in_scope: bool,
    /// Maximum number of times the schema applies within one object; `None` without a bound.
    pub(super) cardinality: Option<u64>,
    types: OnceCell<Result<Types, NoTypes>>,
}

/// The step from a schema to one below it.
#[derive(Clone, Copy)]
enum Step<'a> {
    Property(&'a str),
    Items,
    Additional,
}

/// The type of a place.
#[derive(Clone)]
pub(super) struct Types {
    /// The type that those below are named from.
    pub(super) root: Arc<DeclType>,
    /// The type of the place itself; upstream loses it where a schema says what its type does not have.
    pub(super) scope: Option<Arc<DeclType>>,
}

/// Expressions cannot see the values of a place.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("unable to convert structural schema to CEL declarations")]
pub(super) struct NoTypes;

impl<'a> TypeContext<'a> {
    /// The whole schema.
    pub(super) fn root(props: &'a Props, release: Release) -> Self {
        let in_scope = !props.validations.is_empty();
        TypeContext { release, parent: None, props, in_scope, cardinality: Some(1), types: OnceCell::new() }
    }

    /// A property.
    pub(super) fn property<'c>(&'c self, name: &'c str, props: &'c Props) -> TypeContext<'c> {
        self.child(Step::Property(name), props)
    }

    /// The elements of a list.
    pub(super) fn items<'c>(&'c self, props: &'c Props) -> TypeContext<'c> {
        self.child(Step::Items, props)
    }

    /// The values of a map.
    pub(super) fn additional<'c>(&'c self, props: &'c Props) -> TypeContext<'c> {
        self.child(Step::Additional, props)
    }

    fn child<'c>(&'c self, step: Step<'c>, props: &'c Props) -> TypeContext<'c> {
        TypeContext {
            release: self.release,
            parent: Some((self, step)),
            props,
            in_scope: self.in_scope || !props.validations.is_empty(),
            cardinality: self
                .cardinality
                .zip(max_elements(self.props))
                .map(|(outer, inner)| outer.saturating_mul(inner)),
            types: OnceCell::new(),
        }
    }

    /// Returns the types of expressions here. A schema within one that has expressions takes part in its types.
    pub(super) fn types(&self) -> &Result<Types, NoTypes> {
        self.types.get_or_init(|| {
            if let Some((parent, step)) = self.parent.filter(|(parent, _)| parent.in_scope) {
                let above = parent.types().as_ref().map_err(|error| *error)?;
                if let Some(types) = above.below(step) {
                    return Ok(types);
                }
            }
            let root = rules::declare(self.props, self.is_resource(), self.release).ok_or(NoTypes)?.ty;
            Ok(Types { scope: Some(root.clone()), root })
        })
    }

    /// Returns maximum number of times the schema applies within one object; without a bound, as often as it fits a
    /// request.
    pub(super) fn times(&self) -> u64 {
        self.cardinality.unwrap_or_else(|| rules::most_in_request(self.props, self.is_resource()))
    }

    fn is_resource(&self) -> bool {
        self.parent.is_none() || self.props.embedded_resource
    }
}

impl Types {
    fn below(&self, step: Step<'_>) -> Option<Types> {
        let scope = self.scope.as_ref()?;
        let scope = match step {
            Step::Property(name) => Some(scope.field(&rules::escape(name)?)?.ty.clone()),
            Step::Items | Step::Additional => scope.element.clone(),
        };
        Some(Types { root: self.root.clone(), scope })
    }
}

/// Returns maximum number of values of this schema's parts for one of its own.
fn max_elements(props: &Props) -> Option<u64> {
    let bound = |max: Option<i64>| max.map(|max| max.max(0).cast_unsigned());
    match props.ty.as_str() {
        "object" if props.additional_properties.is_some() => bound(props.max_properties),
        "array" => bound(props.max_items),
        _ => Some(1),
    }
}
