//! What can be below an object: `/status` and its like, `/scale`, `/binding`, options of streams.

use std::sync::Arc;

use sprag_field::Errors;
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;

use crate::error::Result;
use crate::names::GroupVersionKind;
use crate::scale::ScalePaths;
use crate::strategy::{Cx, Strategy};

/// Something below an object that has an endpoint of its own.
#[derive(Clone)]
pub struct Subresource {
    /// The last part of its path.
    pub name: String,
    /// What it does.
    pub kind: SubresourceKind,
}

/// What a subresource does.
#[derive(Clone)]
pub enum SubresourceKind {
    /// The same object, with other fields writable: get, put and patch.
    Part(Arc<dyn Strategy>),
    /// An `autoscaling/v1` `Scale` over fields of the object: get, put and patch.
    Scale(ScalePaths),
    /// An object of another kind that changes the parent when it is posted.
    Create(Arc<dyn CreateSubresource>),
    /// Options of a connection; checked, never stored.
    Options(Arc<dyn OptionsSubresource>),
}

/// A subresource that is only ever created, as `pods/binding` is.
pub trait CreateSubresource: Send + Sync {
    /// The kind of its body.
    fn gvk(&self) -> GroupVersionKind;

    /// What its body looks like, for bodies in protobuf; none for bodies that cannot be.
    fn shape(&self) -> Option<(&Shapes, TypeId)> {
        None
    }

    /// Checks the body on its own.
    fn validate(&self, cx: &Cx<'_>, body: &Value, errors: &mut Errors);

    /// Changes the parent as the body says. Its rules are checked afterwards, with this subresource in the request.
    fn apply(&self, cx: &Cx<'_>, body: &Value, parent: &mut Value) -> Result<()>;
}

/// The options of a connection, as `pods/exec` has them.
pub trait OptionsSubresource: Send + Sync {
    /// The kind of the options.
    fn gvk(&self) -> GroupVersionKind;

    /// Checks the options.
    fn validate(&self, cx: &Cx<'_>, options: &Value, errors: &mut Errors);
}

impl Subresource {
    /// A part of the object under a name of its own, with a hand-written strategy. `RestConfig::part` makes one with typed hooks.
    pub fn part(name: impl Into<String>, strategy: Arc<dyn Strategy>) -> Subresource {
        Subresource { name: name.into(), kind: SubresourceKind::Part(strategy) }
    }

    /// The subresource that a type names with `+k8s:supportsSubresource`: `/scale`, or a part of the object.
    pub(crate) fn tagged(name: &str, scale: &ScalePaths, part: impl FnOnce() -> Subresource) -> Subresource {
        match name {
            "scale" => Subresource { name: name.to_owned(), kind: SubresourceKind::Scale(scale.clone()) },
            _ => part(),
        }
    }

    /// The verbs it knows, as discovery lists them.
    pub fn verbs(&self) -> &'static [&'static str] {
        match &self.kind {
            SubresourceKind::Part(strategy) if strategy.replace_only() => &["update"],
            SubresourceKind::Part(_) | SubresourceKind::Scale(_) => &["get", "patch", "update"],
            SubresourceKind::Create(_) => &["create"],
            SubresourceKind::Options(_) => &["create", "get"],
        }
    }
}
