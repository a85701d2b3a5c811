//! The variables of admission policies, with the types that upstream declares for them.

use std::sync::{Arc, LazyLock};

use sprag_cel::{DeclField, DeclType, ListKind, Name, Type, TypeProvider};
use sprag_value::{Object, Value};

use crate::report::Identity;

/// The values of the variables; what is absent is null, as upstream has it.
#[derive(Clone, Default)]
pub(super) struct PolicyValues {
    pub(super) object: Option<Value>,
    pub(super) old_object: Option<Value>,
    pub(super) request: Option<Value>,
    pub(super) params: Option<Value>,
}

impl PolicyValues {
    /// The request, or one that fits the objects.
    pub(super) fn request(&self) -> Value {
        self.request.clone().unwrap_or_else(|| self.usual_request())
    }

    fn usual_request(&self) -> Value {
        let operation = match (&self.object, &self.old_object) {
            (_, None) => "CREATE",
            (Some(_), Some(_)) => "UPDATE",
            (None, Some(_)) => "DELETE",
        };
        let object = self.object.as_ref().or(self.old_object.as_ref());
        let identity = object.map(Identity::of).unwrap_or_default();
        let kind = Object::from([
            ("group", Value::from(identity.group())),
            ("version", Value::from(identity.version())),
            ("kind", Value::from(identity.kind.as_str())),
        ]);
        Value::Object(Object::from([
            ("kind", Value::Object(kind.clone())),
            ("requestKind", Value::Object(kind)),
            ("name", Value::from(identity.name.as_str())),
            ("namespace", Value::from(identity.namespace.as_str())),
            ("operation", Value::from(operation)),
            ("userInfo", Value::object()),
            ("dryRun", Value::from(false)),
        ]))
    }
}

/// Types of the request.
// As upstream's cel.BuildRequestType in apiserver/pkg/admission/plugin/cel; `object`, `oldObject` and `params` are dyn there.
pub(super) struct PolicyTypes {
    objects: Vec<Arc<DeclType>>,
}

pub(super) static TYPES: LazyLock<PolicyTypes> = LazyLock::new(|| {
    let string = || Arc::new(DeclType::scalar(Type::String, 0));
    let strings = || Arc::new(DeclType::list(string(), 0, ListKind::Atomic));
    let texts = |names: &[&'static str]| names.iter().map(|name| (*name, string())).collect::<Vec<_>>();
    let kind = object("kubernetes.GroupVersionKind", texts(&["group", "version", "kind"]));
    let resource = object("kubernetes.GroupVersionResource", texts(&["group", "version", "resource"]));
    let extra = Arc::new(DeclType::map(string(), strings(), 0));
    let mut user = texts(&["username", "uid"]);
    user.extend([("groups", strings()), ("extra", extra)]);
    let user = object("kubernetes.UserInfo", user);
    let mut request = texts(&["subResource", "requestSubResource", "name", "namespace", "operation"]);
    request.extend([
        ("kind", kind.clone()),
        ("resource", resource.clone()),
        ("requestKind", kind.clone()),
        ("requestResource", resource.clone()),
        ("userInfo", user.clone()),
        ("dryRun", Arc::new(DeclType::scalar(Type::Bool, 0))),
        ("options", Arc::new(DeclType::untyped())),
    ]);
    PolicyTypes { objects: vec![object("kubernetes.AdmissionRequest", request), kind, resource, user] }
});

fn object(name: &'static str, fields: Vec<(&'static str, Arc<DeclType>)>) -> Arc<DeclType> {
    let field = |(name, ty): (&str, _)| DeclField { name: name.to_owned(), key: name.to_owned(), ty };
    Arc::new(DeclType::object(Name::Static(name), fields.into_iter().map(field).collect(), 0))
}

impl PolicyTypes {
    /// The type of `request`.
    pub(super) fn request(&self) -> &Arc<DeclType> {
        &self.objects[0]
    }
}

impl TypeProvider for PolicyTypes {
    fn object(&self, name: &str) -> Option<&DeclType> {
        self.objects.iter().find(|ty| ty.ty.name() == name).map(|ty| &**ty)
    }

    fn sizes(&self) -> Option<&DeclType> {
        None
    }
}
