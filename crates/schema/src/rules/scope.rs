//! The variables of expressions at one place of a schema, for tools that run them one by one.

use std::sync::Arc;

use sprag_cel::{DeclType, TypeProvider};
use sprag_release::Release;

use super::{declare, escape};
use crate::props::{Props, Rule};

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceStep {
    /// A member of an object, or an entry of a map.
    Member(String),
    /// An element of a list.
    Element(usize),
}

/// The types that a schema declares to expressions at one place, and the rules that stand there.
///
/// ```
/// use sprag_release::Release;
/// use sprag_schema::{PlaceStep, Props, RuleScope};
/// use sprag_value::json;
///
/// let schema = br#"{"type": "object", "properties": {"spec": {"type": "object",
///     "properties": {"size": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": "self.size > 0"}]}}}"#;
/// let props = Props::read(&json::parse(schema)?)?;
/// let scope = RuleScope::at(&props, &[PlaceStep::Member("spec".to_owned())], Release::NEWEST)?;
/// assert_eq!(scope.rules()[0].rule.as_str(), "self.size > 0");
/// assert_eq!(scope.this().field("size").unwrap().ty.ty, sprag_cel::Type::Int);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RuleScope {
    /// The scope of object types.
    types: Arc<DeclType>,
    this: Arc<DeclType>,
    rules: Vec<Rule>,
}

/// The reasons why there are no variables at a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The schema has no such member.
    #[error("the schema has no member {name:?} there; it has {}", if known.is_empty() { "none".to_owned() } else { known.join(", ") })]
    NoMember {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The schema does not describe a list.
    #[error("the schema does not describe a list there")]
    NoList,
    /// The values have no type in the language, as those of `x-kubernetes-preserve-unknown-fields` have none.
    #[error("expressions cannot see the values there: the schema does not say their type")]
    Hidden,
}

impl RuleScope {
    /// The place that steps from a whole resource lead to, as a release declares it.
    pub fn at(resource: &Props, steps: &[PlaceStep], release: Release) -> Result<RuleScope, ScopeError> {
        let root = declare(resource, true, release).ok_or(ScopeError::Hidden)?.ty;
        let mut types = root.clone();
        let mut this = root;
        let mut props = resource;
        for step in steps {
            match step {
                PlaceStep::Element(_) => {
                    props = props.item_schema().ok_or(ScopeError::NoList)?;
                    this = this.element.clone().ok_or(ScopeError::Hidden)?;
                }
                PlaceStep::Member(name) => {
                    let Some(property) = props.properties.get(name.as_str()) else {
                        props = props.additional_schema().ok_or_else(|| no_member(name, props))?;
                        this = this.element.clone().ok_or(ScopeError::Hidden)?;
                        continue;
                    };
                    props = property;
                    let field = escape(name).and_then(|name| this.field(&name).map(|field| field.ty.clone()));
                    // A name that expressions cannot spell hides the member, not what is inside of it.
                    this = if let Some(field) = field {
                        field
                    } else {
                        types = declare(props, props.embedded_resource, release).ok_or(ScopeError::Hidden)?.ty;
                        types.clone()
                    };
                }
            }
        }
        Ok(RuleScope { types, this, rules: props.validations.clone() })
    }

    /// The type of the values there.
    pub fn this(&self) -> &Arc<DeclType> {
        &self.this
    }

    /// The rules that stand there.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

impl TypeProvider for RuleScope {
    fn object(&self, name: &str) -> Option<&DeclType> {
        super::decl::object_below(&self.types, name)
    }

    fn sizes(&self) -> Option<&DeclType> {
        Some(&self.this)
    }
}

fn no_member(name: &str, props: &Props) -> ScopeError {
    ScopeError::NoMember { name: name.to_owned(), known: props.properties.keys().map(ToString::to_string).collect() }
}
