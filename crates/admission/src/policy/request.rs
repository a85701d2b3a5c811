//! CEL variables of a request: `request`, and the values that all expressions share.

use sprag_cel::Val;
use sprag_cel::value::{
    Authorizer, AuthorizerAnswer, AuthorizerCheck, AuthorizerSubject, AuthorizerTarget, ResourceTarget,
};
use sprag_registry::{Attributes, Operation};
use sprag_rest::{DeleteOptions, GroupVersionKind, User, WriteOptions};
use sprag_value::{Object, Value};

use super::activation::Activation;
use crate::matching::{GroupVersionResource, Matched};

/// The value of `params`.
#[derive(Clone, Copy)]
pub(crate) enum Params<'a> {
    /// The policy has no kind of parameters, and no such variable.
    Undeclared,
    /// The parameters; null where there are none.
    Declared(Option<&'a Value>),
}

impl<'a> Params<'a> {
    pub(crate) fn new(has_params: bool, params: Option<&'a Value>) -> Params<'a> {
        if has_params { Params::Declared(params) } else { Params::Undeclared }
    }
}

/// A request with its objects in the version that a policy matches.
pub(crate) struct Subject<'a> {
    pub(crate) attributes: &'a Attributes<'a>,
    pub(crate) object: Option<&'a Value>,
    pub(crate) old: Option<&'a Value>,
    pub(crate) authorizer: &'a (dyn Authorizer + Sync),
}

impl<'a> Subject<'a> {
    pub(crate) fn new(attributes: &'a Attributes<'a>, authorizer: &'a (dyn Authorizer + Sync)) -> Subject<'a> {
        Subject { attributes, object: attributes.object, old: attributes.old, authorizer }
    }

    /// Returns the variables of expressions, without `request` and `namespaceObject`.
    pub(crate) fn activation<'v>(&'v self, params: Params<'v>) -> Activation<'v> {
        let value = |value: Option<&'v Value>| value.map_or(Val::Null, Val::from);
        let request = self.attributes.request;
        Activation {
            object: value(self.object),
            old_object: value(self.old),
            namespace_object: Val::Null,
            request: Val::Null,
            params: match params {
                Params::Undeclared => None,
                Params::Declared(params) => Some(value(params)),
            },
            authorizer: Some(self.authorizer),
            target: ResourceTarget {
                group: self.attributes.definition.group(),
                resource: &self.attributes.definition.resource.resource,
                subresource: request.subresource,
                namespace: self.attributes.namespace(),
                name: self.attributes.name(),
                ..ResourceTarget::default()
            },
        }
    }
}

/// `request`, as the request that a policy matches.
pub(crate) fn value(attributes: &Attributes<'_>, matched: &Matched) -> Value {
    value_of(attributes, &matched.resource(attributes), &matched.kind(attributes))
}

/// `request`, as one to a resource with objects of a kind.
// As upstream's cel.CreateAdmissionRequest.
pub(crate) fn value_of(attributes: &Attributes<'_>, resource: &GroupVersionResource, kind: &GroupVersionKind) -> Value {
    let request = attributes.request;
    let own_resource = GroupVersionResource {
        group: attributes.definition.group().to_owned(),
        version: request.version.to_owned(),
        resource: attributes.definition.resource.resource.clone(),
    };
    let mut value = Object::from([
        ("kind", kind_value(kind)),
        ("resource", resource_value(resource)),
        ("requestKind", kind_value(&attributes.kind())),
        ("requestResource", resource_value(&own_resource)),
        ("operation", Value::from(attributes.operation.name())),
        ("userInfo", user_info(request.user)),
        ("dryRun", Value::Bool(attributes.operation.is_dry_run())),
        ("options", options(&attributes.operation)),
        // Upstream leaves the identity of the request out of expressions, and has it in the object.
        ("uid", Value::from("")),
    ]);
    for (member, text) in [
        ("subResource", request.subresource),
        ("requestSubResource", request.subresource),
        ("name", attributes.name()),
        ("namespace", attributes.namespace()),
    ] {
        if !text.is_empty() {
            value.insert(member, text);
        }
    }
    Value::Object(value)
}

fn kind_value(kind: &GroupVersionKind) -> Value {
    Value::Object(Object::from([
        ("group", Value::from(kind.group.as_str())),
        ("version", Value::from(kind.version.as_str())),
        ("kind", Value::from(kind.kind.as_str())),
    ]))
}

fn resource_value(resource: &GroupVersionResource) -> Value {
    Value::Object(Object::from([
        ("group", Value::from(resource.group.as_str())),
        ("version", Value::from(resource.version.as_str())),
        ("resource", Value::from(resource.resource.as_str())),
    ]))
}

// As upstream's authentication.UserInfo, whose members are left out when they are empty.
fn user_info(user: &User) -> Value {
    let mut value = Object::new();
    for (member, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            value.insert(member, text.as_str());
        }
    }
    if !user.groups.is_empty() {
        value.insert("groups", texts(&user.groups));
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.as_str(), texts(values)));
        let mut map = Object::new();
        for (key, values) in extra {
            map.insert(key, values);
        }
        value.insert("extra", Value::Object(map));
    }
    Value::Object(value)
}

fn texts(texts: &[String]) -> Value {
    Value::Array(texts.iter().map(|text| Value::from(text.as_str())).collect())
}

/// The options of a request; null for a connection.
// As upstream's admission.Attributes.GetOperationOptions.
pub(crate) fn options(operation: &Operation<'_>) -> Value {
    match operation {
        Operation::Create(options) => write_options("CreateOptions", options),
        Operation::Update(options) => write_options("UpdateOptions", options),
        Operation::Delete(options) => delete_options(options),
        Operation::Connect => Value::Null,
    }
}

fn of_kind(kind: &str) -> Object {
    Object::from([("kind", Value::from(kind)), ("apiVersion", Value::from("meta.k8s.io/v1"))])
}

fn write_options(kind: &str, options: &WriteOptions) -> Value {
    let mut value = of_kind(kind);
    if !options.dry_run.is_empty() {
        value.insert("dryRun", texts(&options.dry_run));
    }
    let manager = if options.default_manager { "" } else { options.field_manager.as_str() };
    for (member, text) in [("fieldManager", manager), ("fieldValidation", options.field_validation.as_str())] {
        if !text.is_empty() {
            value.insert(member, text);
        }
    }
    Value::Object(value)
}

fn delete_options(options: &DeleteOptions) -> Value {
    let mut value = of_kind("DeleteOptions");
    if !options.dry_run.is_empty() {
        value.insert("dryRun", texts(&options.dry_run));
    }
    if let Some(seconds) = options.grace_period_seconds {
        value.insert("gracePeriodSeconds", Value::Int(seconds));
    }
    let mut preconditions = Object::new();
    for (member, text) in [("uid", &options.uid), ("resourceVersion", &options.resource_version)] {
        if let Some(text) = text {
            preconditions.insert(member, text.as_str());
        }
    }
    if !preconditions.is_empty() {
        value.insert("preconditions", Value::Object(preconditions));
    }
    if let Some(orphan) = options.orphan_dependents {
        value.insert("orphanDependents", Value::Bool(orphan));
    }
    if let Some(policy) = &options.propagation_policy {
        value.insert("propagationPolicy", policy.as_str());
    }
    if let Some(ignore) = options.ignore_store_read_error {
        value.insert("ignoreStoreReadErrorWithClusterBreakingPotential", Value::Bool(ignore));
    }
    Value::Object(value)
}

/// Asks the authorizer of the server for expressions.
pub struct AskAccess<'a> {
    /// The authorizer of the server.
    pub access: &'a dyn sprag_authorization::Authorizer,
    /// The user who makes the request.
    pub user: &'a User,
}

impl Authorizer for AskAccess<'_> {
    fn decide(&self, check: &AuthorizerCheck<'_>) -> AuthorizerAnswer {
        let account = match check.subject {
            AuthorizerSubject::Requester => None,
            AuthorizerSubject::ServiceAccount { namespace, name } => Some(service_account(namespace, name)),
        };
        let target = match check.target {
            AuthorizerTarget::Path(path) => sprag_authorization::Target::Path(path),
            // Roles know nothing of selectors, and upstream's authorizer by roles passes over those it cannot read, too.
            AuthorizerTarget::Resource(target) => {
                sprag_authorization::Target::Resource(sprag_authorization::ResourceTarget {
                    group: target.group,
                    resource: target.resource,
                    subresource: target.subresource,
                    namespace: target.namespace,
                    name: target.name,
                })
            }
        };
        let user = account.as_ref().unwrap_or(self.user);
        let decision = self.access.authorize(&sprag_authorization::Attributes { user, verb: check.verb, target });
        let (allowed, reason) = match decision {
            sprag_authorization::Decision::Allow(reason) => (true, reason),
            sprag_authorization::Decision::Deny(reason) | sprag_authorization::Decision::NoOpinion(reason) => {
                (false, reason)
            }
        };
        AuthorizerAnswer { allowed, reason, error: String::new() }
    }
}

// As upstream's serviceaccount.ServiceAccountInfo.UserInfo.
fn service_account(namespace: &str, name: &str) -> User {
    User {
        name: format!("system:serviceaccount:{namespace}:{name}"),
        groups: vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")],
        ..User::default()
    }
}
