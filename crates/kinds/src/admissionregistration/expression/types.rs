//! The types of `request` and `namespaceObject`, as upstream's `cel.BuildRequestType` and `cel.BuildNamespaceType`, and of
//! operations of JSON patches.

use std::sync::{Arc, LazyLock};

use sprag_cel::{DeclField, DeclType, Encoding, ListKind, Type};

/// The name of the type of `request`.
pub const REQUEST: &str = "kubernetes.AdmissionRequest";
/// The name of the type of `namespaceObject`.
pub const NAMESPACE: &str = "kubernetes.Namespace";

/// The type of this name that `request`, `namespaceObject` or a field of theirs has.
pub fn object_type(name: &str) -> Option<&'static Arc<DeclType>> {
    static TYPES: LazyLock<Vec<(&'static str, Arc<DeclType>)>> =
        LazyLock::new(|| [request_types(), namespace_types()].concat());
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty)
}

/// An operation of a JSON patch, as upstream's `mutation.JSONPatchType`.
pub(super) fn patch() -> &'static DeclType {
    static TYPE: LazyLock<DeclType> = LazyLock::new(|| {
        let any = Arc::new(DeclType::untyped());
        let fields = [("op", text()), ("path", text()), ("from", text()), ("value", any)];
        DeclType::object(super::PATCH.into(), fields.map(field).into(), u64::MAX)
    });
    &TYPE
}

fn request_types() -> Vec<(&'static str, Arc<DeclType>)> {
    const KIND: &str = "kubernetes.GroupVersionKind";
    const RESOURCE: &str = "kubernetes.GroupVersionResource";
    const USER: &str = "kubernetes.UserInfo";
    let kind = object(KIND, [("group", text()), ("version", text()), ("kind", text())]);
    let resource = object(RESOURCE, [("group", text()), ("version", text()), ("resource", text())]);
    let extra = DeclType::map(text(), list(text()), u64::MAX);
    let user =
        object(USER, [("username", text()), ("uid", text()), ("groups", list(text())), ("extra", Arc::new(extra))]);
    let request = object(
        REQUEST,
        [
            ("kind", kind.clone()),
            ("resource", resource.clone()),
            ("subResource", text()),
            ("requestKind", kind.clone()),
            ("requestResource", resource.clone()),
            ("requestSubResource", text()),
            ("name", text()),
            ("namespace", text()),
            ("operation", text()),
            ("userInfo", user.clone()),
            ("dryRun", scalar(Type::Bool)),
            ("options", Arc::new(DeclType::untyped())),
        ],
    );
    vec![(KIND, kind), (RESOURCE, resource), (USER, user), (REQUEST, request)]
}

fn namespace_types() -> Vec<(&'static str, Arc<DeclType>)> {
    const SPEC: &str = "kubernetes.NamespaceSpec";
    const CONDITION: &str = "kubernetes.NamespaceCondition";
    const STATUS: &str = "kubernetes.NamespaceStatus";
    const METADATA: &str = "kubernetes.NamespaceMetadata";
    let spec = object(SPEC, [("finalizers", list(text()))]);
    let condition = object(
        CONDITION,
        [("status", text()), ("type", text()), ("lastTransitionTime", time()), ("message", text()), ("reason", text())],
    );
    let status = object(STATUS, [("conditions", list(condition.clone())), ("phase", text())]);
    let texts = || Arc::new(DeclType::map(text(), text(), u64::MAX));
    let metadata = object(
        METADATA,
        [
            ("name", text()),
            ("generateName", text()),
            ("namespace", text()),
            ("labels", texts()),
            ("annotations", texts()),
            ("UID", text()),
            ("creationTimestamp", time()),
            ("deletionGracePeriodSeconds", scalar(Type::Int)),
            ("deletionTimestamp", time()),
            ("generation", scalar(Type::Int)),
            ("resourceVersion", text()),
            ("finalizers", list(text())),
        ],
    );
    let parts = [("metadata", metadata.clone()), ("spec", spec.clone()), ("status", status.clone())];
    let namespace = object(NAMESPACE, parts);
    vec![(SPEC, spec), (CONDITION, condition), (STATUS, status), (METADATA, metadata), (NAMESPACE, namespace)]
}

fn object<const N: usize>(name: &'static str, fields: [(&str, Arc<DeclType>); N]) -> Arc<DeclType> {
    Arc::new(DeclType::object(name.into(), fields.map(field).into(), u64::MAX))
}

fn field((name, ty): (&str, Arc<DeclType>)) -> DeclField {
    DeclField { name: name.to_owned(), key: name.to_owned(), ty }
}

fn list(element: Arc<DeclType>) -> Arc<DeclType> {
    Arc::new(DeclType::list(element, u64::MAX, ListKind::Atomic))
}

fn text() -> Arc<DeclType> {
    scalar(Type::String)
}

fn time() -> Arc<DeclType> {
    Arc::new(DeclType::encoded(Type::Timestamp, Encoding::Unread, u64::MAX))
}

fn scalar(ty: Type) -> Arc<DeclType> {
    Arc::new(DeclType::scalar(ty, u64::MAX))
}
