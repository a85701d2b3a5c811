//! The variables of admission policies, with the types that upstream declares for them.

use sprag_analysis::Identity;
use sprag_cel::{DeclType, TypeProvider};
use sprag_kinds::admissionregistration::expression::object_type;
use sprag_value::{Object, Value};

/// The values of the variables; what is absent is null, as upstream has it.
#[derive(Clone, Default)]
pub(super) struct PolicyValues {
    pub(super) object: Option<Value>,
    pub(super) old_object: Option<Value>,
    pub(super) request: Option<Value>,
    pub(super) params: Option<Value>,
    pub(super) namespace_object: Option<Value>,
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

/// Types of the request and of the namespace; the other variables may be anything.
pub(super) struct PolicyTypes;

impl TypeProvider for PolicyTypes {
    fn object(&self, name: &str) -> Option<&DeclType> {
        object_type(name).map(|ty| &**ty)
    }

    fn sizes(&self) -> Option<&DeclType> {
        None
    }
}
