//! The attributes of a request that authorization decides on.

use sprag_field::quote;
use sprag_rest::{ApiError, GroupResource, User};

/// A request as authorization sees it, as upstream's `authorizer.Attributes`.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// The user who makes it.
    pub user: &'a User,
    /// The verb.
    pub verb: &'a str,
    /// To what.
    pub target: Target<'a>,
}

/// The target of a request.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A resource, or what is in it.
    Resource(ResourceTarget<'a>),
    /// A path that is not one of a resource.
    Path(&'a str),
}

/// A resource, or what is in it. Empty texts stand for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceTarget<'a> {
    /// The group.
    pub group: &'a str,
    /// The plural.
    pub resource: &'a str,
    /// The subresource.
    pub subresource: &'a str,
    /// The namespace.
    pub namespace: &'a str,
    /// The name of the object.
    pub name: &'a str,
}

impl<'a> Attributes<'a> {
    /// The namespace whose bindings count; empty for none.
    pub(crate) fn namespace(&self) -> &'a str {
        match self.target {
            Target::Resource(resource) => resource.namespace,
            Target::Path(_) => "",
        }
    }

    /// The refusal of a request, with what the authorizer says about it.
    // As upstream's responsewriters.ForbiddenStatusError.
    pub fn refusal(&self, reason: &str) -> ApiError {
        let colon = if reason.is_empty() { "" } else { ": " };
        let why = format!("{}{colon}{reason}", self.forbidden());
        let (resource, name) = match self.target {
            Target::Resource(target) => (GroupResource::new(target.group, target.resource), target.name),
            Target::Path(_) => (GroupResource::new("", ""), ""),
        };
        ApiError::forbidden(&resource, name, &why)
    }

    /// Returns the message of a refusal, as upstream's `responsewriters.forbiddenMessage`. It does not look like HTML.
    pub fn forbidden(&self) -> String {
        self.plain_forbidden().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    }

    fn plain_forbidden(&self) -> String {
        let user = quote::go(&self.user.name);
        let verb = self.verb;
        let resource = match self.target {
            Target::Path(path) => return format!("User {user} cannot {verb} path {}", quote::go(path)),
            Target::Resource(resource) => resource,
        };
        let part = if resource.subresource.is_empty() { "" } else { "/" };
        let named = format!("{}{part}{}", resource.resource, resource.subresource);
        let place = match resource.namespace {
            "" => "at the cluster scope".to_owned(),
            namespace => format!("in the namespace {}", quote::go(namespace)),
        };
        let named = quote::go(&named);
        let group = quote::go(resource.group);
        format!("User {user} cannot {verb} resource {named} in API group {group} {place}")
    }
}
