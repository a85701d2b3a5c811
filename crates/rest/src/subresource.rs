//! Subresources: `/status` and its like, `/scale`, `/binding`, connections.

use std::pin::Pin;
use std::sync::Arc;

use sprag_shape::{Shapes, TypeId};
use sprag_value::{Time, Value};

use crate::error::{ApiError, Result};
use crate::names::{GroupResource, GroupVersionKind};
use crate::options::{DeleteOptions, WriteOptions};
use crate::request::Request;
use crate::scale::ScalePaths;
use crate::strategy::{Cx, Strategy};

/// Something below an object that has an endpoint of its own.
#[derive(Clone)]
pub struct Subresource {
    /// The last part of its path.
    pub name: String,
    /// Its kind.
    pub kind: SubresourceKind,
}

/// The kind of a subresource.
#[derive(Clone)]
pub enum SubresourceKind {
    /// The same object, with other fields writable: get, put and patch.
    Part(Arc<dyn Strategy>),
    /// An `autoscaling/v1` `Scale` over fields of the object: get, put and patch.
    Scale(ScalePaths),
    /// An object of another kind that changes the parent when it is posted.
    Create(Arc<dyn CreateSubresource>),
    /// A connection with something that is not stored.
    Connect(Arc<dyn ConnectSubresource>),
}

/// A subresource that is only ever created, as `pods/binding` is.
pub trait CreateSubresource: Send + Sync {
    /// The kind of its body.
    fn gvk(&self) -> GroupVersionKind;

    /// True if it takes bodies of another kind, too, as `pods/eviction` takes an older version.
    // As upstream's rest.GroupVersionAcceptor.
    fn takes(&self, kind: &GroupVersionKind) -> bool {
        let _ = kind;
        false
    }

    /// The shape of its body; `None` for bodies of any form, which cannot be protobuf.
    fn shape(&self) -> Option<(&Shapes, TypeId)> {
        None
    }

    /// Checks the body on its own.
    fn check(&self, cx: &Cx<'_>, body: &Value) -> Result<()> {
        let _ = (cx, body);
        Ok(())
    }

    /// Changes the parent as the body says. Its rules are checked afterwards, with this subresource in the request.
    fn apply(&self, cx: &Cx<'_>, body: &Value, parent: &mut Value) -> Result<()> {
        let _ = (cx, body, parent);
        Ok(())
    }

    /// The handler of a subresource that answers with an object and changes nothing.
    fn answers(&self) -> Option<&dyn AnswerSubresource> {
        None
    }

    /// The resource in the namespace of the parent whose objects have a say before the parent is changed, as pod disruption
    /// budgets have in evictions.
    fn guards(&self) -> Option<GroupResource> {
        None
    }

    /// Asks the guards. What one of them is to be afterwards is written to its `/status` before the parent is changed.
    fn ask_guards(&self, cx: &Cx<'_>, parent: &Value, guards: Vec<Value>) -> Result<Option<Value>> {
        let _ = (cx, parent, guards);
        Ok(None)
    }

    /// True if the changed parent is stored without validation and without managed fields.
    fn bypasses_strategy(&self) -> bool {
        false
    }

    /// The options with which the parent is deleted once it was changed; nothing when it stays.
    fn deletes_parent(&self, cx: &Cx<'_>, body: &Value, options: &WriteOptions) -> Result<Option<DeleteOptions>> {
        let _ = (cx, body, options);
        Ok(None)
    }
}

/// A subresource that answers with an object that is never stored, as `serviceaccounts/token` does.
pub trait AnswerSubresource: Send + Sync {
    /// Sets what the body leaves out and checks it.
    fn complete(&self, cx: &Cx<'_>, body: &mut Value, parent: &Value) -> Result<()>;

    /// The next object that the answer depends on, after those that were found or may be missing.
    fn reference(&self, cx: &Cx<'_>, body: &Value, found: &[Option<Value>]) -> Result<Option<Referenced>> {
        let _ = (cx, body, found);
        Ok(None)
    }

    /// The answer, and warnings beside it.
    fn answer(&self, cx: &Cx<'_>, body: Value, parent: &Value, found: &[Option<Value>])
    -> Result<(Value, Vec<String>)>;
}

/// The answer to an object that is never stored.
pub type Answered<'a> = Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>>;

/// Answers objects that are created and never stored, as upstream's `rest.Creater` of reviews does.
pub trait AnswerCreate: Send + Sync {
    /// Checks an object, before admission plug-ins see it.
    fn check(&self, request: &Request<'_>, object: &Value) -> Result<()> {
        let _ = (request, object);
        Ok(())
    }

    /// The answer.
    fn answer<'a>(&'a self, request: &'a Request<'a>, now: Time, object: Value) -> Answered<'a>;
}

/// Observes objects that are never stored, as upstream's `rest.Lister` of component statuses does.
pub trait Observe: Send + Sync {
    /// Returns all objects, or only the one of this name; an empty list if there is no such object.
    fn observe<'a>(&'a self, name: Option<&'a str>) -> Pin<Box<dyn Future<Output = Vec<Value>> + Send + 'a>>;
}

/// An object of the core group that an answer depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Referenced {
    /// Its resource.
    pub resource: &'static str,
    /// Its namespace, empty for none.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// True if the answer can do without it.
    pub may_be_missing: bool,
}

/// Issues tokens of service accounts.
pub trait TokenIssuer: Send + Sync {
    /// The audiences of tokens that are for this server.
    fn audiences(&self) -> &[String];

    /// Signs claims, to which it adds who issues them and an id.
    fn issue(&self, claims: Value) -> Result<String>;
}

/// A subresource that connects clients with something that is not stored, as `pods/exec` does.
pub trait ConnectSubresource: Send + Sync {
    /// The kind that discovery names.
    fn gvk(&self) -> GroupVersionKind;

    /// The verbs it knows, as discovery lists them.
    fn verbs(&self) -> &'static [&'static str] {
        &["create", "get"]
    }

    /// The name of the parent in the name of the path, which may say more.
    fn parent<'n>(&self, name: &'n str) -> Result<&'n str> {
        Ok(name)
    }

    /// The answer where there is no parent of a path with this name; nothing for the usual one, that it is not found.
    fn missing_parent(&self, name: &str) -> Option<ApiError> {
        let _ = name;
        None
    }

    /// The backend for a request with these parameters.
    fn connect(&self, cx: &Cx<'_>, parent: &Value, parameters: &[(&str, &str)]) -> Result<Backend>;
}

/// The backend of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// To nothing yet: there is nothing to show.
    Nothing,
    /// To the node of this name.
    Node(String),
    /// To a network address in the cluster.
    Address(String),
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
            SubresourceKind::Connect(connect) => connect.verbs(),
        }
    }
}
