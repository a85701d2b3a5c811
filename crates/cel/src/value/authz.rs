//! Values of the authorization library: who is asked about, and what was answered.

use std::fmt;

/// Answers authorization checks of expressions.
pub trait Authorizer {
    /// Decides a check.
    fn decide(&self, check: &AuthorizerCheck<'_>) -> AuthorizerAnswer;
}

/// The check that an expression asks for.
#[derive(Clone, Copy, Debug)]
pub struct AuthorizerCheck<'a> {
    /// The subject of the check.
    pub subject: AuthorizerSubject<'a>,
    /// The verb.
    pub verb: &'a str,
    /// To what.
    pub target: AuthorizerTarget<'a>,
}

/// The subject an expression asks about.
#[derive(Clone, Copy, Debug)]
pub enum AuthorizerSubject<'a> {
    /// The user of the request.
    Requester,
    /// A service account.
    ServiceAccount {
        /// Its namespace.
        namespace: &'a str,
        /// Its name.
        name: &'a str,
    },
}

/// The target an expression asks about.
#[derive(Clone, Copy, Debug)]
pub enum AuthorizerTarget<'a> {
    /// A path that is not one of a resource.
    Path(&'a str),
    /// A resource, or what is in it.
    Resource(ResourceTarget<'a>),
}

/// A resource, or what is in it. Empty texts stand for none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResourceTarget<'a> {
    /// The group.
    pub group: &'a str,
    /// The plural name.
    pub resource: &'a str,
    /// The subresource.
    pub subresource: &'a str,
    /// The namespace.
    pub namespace: &'a str,
    /// The name of the object.
    pub name: &'a str,
    /// The field selector.
    pub field_selector: &'a str,
    /// The label selector.
    pub label_selector: &'a str,
}

/// The answer of an authorizer.
#[derive(Clone, Debug, Default)]
pub struct AuthorizerAnswer {
    /// True if it may be done.
    pub allowed: bool,
    /// The reason.
    pub reason: String,
    /// The error of the decision; empty without one.
    pub error: String,
}

/// A value of the authorization library.
#[derive(Clone, Copy)]
pub enum Authz<'a> {
    /// `authorizer`.
    Authorizer(Asker<'a>),
    /// `authorizer.group('apps')`.
    Group(Asker<'a>, &'a str),
    /// `authorizer.path('/healthz')`.
    Path(Asker<'a>, &'a str),
    /// `authorizer.group('apps').resource('deployments')`.
    Resource(Asker<'a>, ResourceTarget<'a>),
    /// The answer.
    Decision {
        /// True if it may be done.
        allowed: bool,
        /// The reason.
        reason: &'a str,
        /// The error of the decision; empty without one.
        error: &'a str,
    },
}

/// The authorizer and the subject of a check.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// The authorizer that answers.
    pub authorizer: &'a dyn Authorizer,
    /// The subject.
    pub subject: AuthorizerSubject<'a>,
}

impl Authz<'_> {
    /// The run-time name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Authorizer(_) => "kubernetes.authorization.Authorizer",
            Self::Group(..) => "kubernetes.authorization.GroupCheck",
            Self::Path(..) => "kubernetes.authorization.PathCheck",
            Self::Resource(..) => "kubernetes.authorization.ResourceCheck",
            Self::Decision { .. } => "kubernetes.authorization.Decision",
        }
    }

    /// The Go type behind it.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Authorizer(_) => "library.authorizerVal",
            Self::Group(..) => "library.groupCheckVal",
            Self::Path(..) => "library.pathCheckVal",
            Self::Resource(..) => "library.resourceCheckVal",
            Self::Decision { .. } => "library.decisionVal",
        }
    }
}

impl fmt::Debug for Authz<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())
    }
}
