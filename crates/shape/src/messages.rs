//! The kinds of `meta/v1` and discovery that a server answers with beside objects: statuses, metadata, lists of resources.
//!
//! Go names, JSON names and protobuf numbers are those of `k8s.io/apimachinery/pkg/apis/meta/v1` and
//! `k8s.io/api/apidiscovery/v2`.

use std::sync::LazyLock;

use crate::meta::{self, LIST_META, OBJECT_META};
use crate::{Field, Kind, ListType, Message, Shapes, TypeId, TypeRef, TypeShape};

/// The table of these types.
pub fn shapes() -> &'static Shapes {
    static SHAPES: LazyLock<Shapes> = LazyLock::new(build);
    &SHAPES
}

/// The type of a kind that is answered beside objects.
///
/// ```
/// use sprag_shape::messages;
///
/// let status = messages::of_kind("Status").unwrap();
/// assert_eq!(messages::shapes().field(status, "code").unwrap().protobuf, 6);
/// assert!(messages::of_kind("Pod").is_none());
/// ```
pub fn of_kind(kind: &str) -> Option<TypeId> {
    let name = KINDS.iter().find(|(known, _)| *known == kind)?.1;
    shapes().by_name(name)
}

/// The type of lists of metadata in version `v1beta1`, where the numbers are others.
pub fn partial_object_metadata_list_v1beta1() -> Option<TypeId> {
    shapes().by_name("v1beta1.PartialObjectMetadataList")
}

/// The kinds, and the Go names of their types.
const KINDS: [(&str, &str); 8] = [
    ("APIGroup", "v1.APIGroup"),
    ("APIGroupDiscoveryList", "v2.APIGroupDiscoveryList"),
    ("APIGroupList", "v1.APIGroupList"),
    ("APIResourceList", "v1.APIResourceList"),
    ("APIVersions", "v1.APIVersions"),
    ("PartialObjectMetadata", "v1.PartialObjectMetadata"),
    ("PartialObjectMetadataList", "v1.PartialObjectMetadataList"),
    ("Status", "v1.Status"),
];

/// Collects types and hands out their ids.
struct Builder {
    types: Vec<TypeShape>,
    text: TypeId,
    texts: TypeId,
    int: TypeId,
    flag: TypeId,
}

fn field(json: &'static str, name: &'static str, id: TypeId, number: u32) -> Field {
    Field::new(json, name, TypeRef::value(id)).protobuf(number)
}

fn optional(json: &'static str, name: &'static str, id: TypeId, number: u32) -> Field {
    field(json, name, id, number).omit_empty()
}

fn pointer(json: &'static str, name: &'static str, id: TypeId, number: u32) -> Field {
    Field::new(json, name, TypeRef::pointer(id)).omit_empty().protobuf(number)
}

impl Builder {
    fn new() -> Builder {
        let mut types = meta::shapes().types().to_vec();
        let mut add = |kind| {
            types.push(TypeShape::new("", kind));
            crate::shapes::type_id(types.len() - 1)
        };
        let text = add(Kind::String);
        let int = add(Kind::Int { bits: 32, signed: true });
        let texts = add(Kind::List { elem: TypeRef::value(text), list: ListType::Unset });
        let flag = add(Kind::Bool);
        Builder { types, text, texts, int, flag }
    }

    fn add(&mut self, shape: TypeShape) -> TypeId {
        self.types.push(shape);
        crate::shapes::type_id(self.types.len() - 1)
    }

    fn structure(&mut self, name: &'static str, fields: Vec<Field>) -> TypeId {
        self.add(TypeShape::new(name, Kind::of_fields(fields.into())))
    }

    fn list(&mut self, elem: TypeId) -> TypeId {
        self.add(TypeShape::new("", Kind::List { elem: TypeRef::value(elem), list: ListType::Unset }))
    }

    /// A type with `apiVersion` and `kind`, which are not part of the message.
    fn root(&mut self, name: &'static str, fields: impl IntoIterator<Item = Field>) -> TypeId {
        let type_meta = Field::embedded("TypeMeta", TypeRef::value(meta::TYPE_META));
        self.structure(name, [type_meta].into_iter().chain(fields).collect())
    }

    fn status(&mut self) {
        let text = self.text;
        let int = self.int;
        let cause = self.structure(
            "v1.StatusCause",
            vec![
                optional("reason", "Type", text, 1),
                optional("message", "Message", text, 2),
                optional("field", "Field", text, 3),
            ],
        );
        let causes = self.list(cause);
        let details = self.structure(
            "v1.StatusDetails",
            vec![
                optional("name", "Name", text, 1),
                optional("group", "Group", text, 2),
                optional("kind", "Kind", text, 3),
                optional("uid", "UID", text, 6),
                optional("causes", "Causes", causes, 4),
                optional("retryAfterSeconds", "RetryAfterSeconds", int, 5),
            ],
        );
        let fields = [
            optional("metadata", "ListMeta", LIST_META, 1),
            optional("status", "Status", text, 2),
            optional("message", "Message", text, 3),
            optional("reason", "Reason", text, 4),
            pointer("details", "Details", details, 5),
            optional("code", "Code", int, 6),
        ];
        self.root("v1.Status", fields);
    }

    fn metadata(&mut self) {
        let object = self.root("v1.PartialObjectMetadata", [optional("metadata", "ObjectMeta", OBJECT_META, 1)]);
        let items = self.list(object);
        let fields = [optional("metadata", "ListMeta", LIST_META, 1), field("items", "Items", items, 2)];
        self.root("v1.PartialObjectMetadataList", fields);
        let fields = [optional("metadata", "ListMeta", LIST_META, 2), field("items", "Items", items, 1)];
        self.root("v1beta1.PartialObjectMetadataList", fields);
    }

    fn groups(&mut self) {
        let text = self.text;
        let texts = self.texts;
        let address = self.structure(
            "v1.ServerAddressByClientCIDR",
            vec![field("clientCIDR", "ClientCIDR", text, 1), field("serverAddress", "ServerAddress", text, 2)],
        );
        let addresses = self.list(address);
        let version = self.structure(
            "v1.GroupVersionForDiscovery",
            vec![field("groupVersion", "GroupVersion", text, 1), field("version", "Version", text, 2)],
        );
        let versions = self.list(version);
        let group = self.root(
            "v1.APIGroup",
            [
                field("name", "Name", text, 1),
                field("versions", "Versions", versions, 2),
                optional("preferredVersion", "PreferredVersion", version, 3),
                optional("serverAddressByClientCIDRs", "ServerAddressByClientCIDRs", addresses, 4),
            ],
        );
        let groups = self.list(group);
        self.root("v1.APIGroupList", [field("groups", "Groups", groups, 1)]);
        let addresses = field("serverAddressByClientCIDRs", "ServerAddressByClientCIDRs", addresses, 2);
        self.root("v1.APIVersions", [field("versions", "Versions", texts, 1), addresses]);
    }

    fn resources(&mut self) {
        let text = self.text;
        let texts = self.texts;
        let flag = self.flag;
        let verbs = Kind::List { elem: TypeRef::value(text), list: ListType::Unset };
        let verbs = self.add(TypeShape::new("v1.Verbs", verbs).message(Message::Items));
        let resource = self.structure(
            "v1.APIResource",
            vec![
                field("name", "Name", text, 1),
                field("singularName", "SingularName", text, 6),
                field("namespaced", "Namespaced", flag, 2),
                optional("group", "Group", text, 8),
                optional("version", "Version", text, 9),
                field("kind", "Kind", text, 3),
                field("verbs", "Verbs", verbs, 4),
                optional("shortNames", "ShortNames", texts, 5),
                optional("categories", "Categories", texts, 7),
                optional("storageVersionHash", "StorageVersionHash", text, 10),
            ],
        );
        let resources = self.list(resource);
        let fields = [field("groupVersion", "GroupVersion", text, 1), field("resources", "APIResources", resources, 2)];
        self.root("v1.APIResourceList", fields);
    }

    /// The resources of aggregated discovery.
    fn discovered_resource(&mut self) -> TypeId {
        let text = self.text;
        let texts = self.texts;
        let kind = self.structure(
            "v1.GroupVersionKind",
            vec![
                field("group", "Group", text, 1),
                field("version", "Version", text, 2),
                field("kind", "Kind", text, 3),
            ],
        );
        let kinds = self.list(kind);
        let subresource = self.structure(
            "v2.APISubresourceDiscovery",
            vec![
                field("subresource", "Subresource", text, 1),
                pointer("responseKind", "ResponseKind", kind, 2),
                optional("acceptedTypes", "AcceptedTypes", kinds, 3),
                field("verbs", "Verbs", texts, 4),
            ],
        );
        let subresources = self.list(subresource);
        self.structure(
            "v2.APIResourceDiscovery",
            vec![
                field("resource", "Resource", text, 1),
                pointer("responseKind", "ResponseKind", kind, 2),
                field("scope", "Scope", text, 3),
                field("singularResource", "SingularResource", text, 4),
                field("verbs", "Verbs", texts, 5),
                optional("shortNames", "ShortNames", texts, 6),
                optional("categories", "Categories", texts, 7),
                optional("subresources", "Subresources", subresources, 8),
            ],
        )
    }

    fn aggregated(&mut self) {
        let text = self.text;
        let resource = self.discovered_resource();
        let resources = self.list(resource);
        let version = self.structure(
            "v2.APIVersionDiscovery",
            vec![
                field("version", "Version", text, 1),
                optional("resources", "Resources", resources, 2),
                optional("freshness", "Freshness", text, 3),
            ],
        );
        let versions = self.list(version);
        let group = self.root(
            "v2.APIGroupDiscovery",
            [optional("metadata", "ObjectMeta", OBJECT_META, 1), optional("versions", "Versions", versions, 2)],
        );
        let items = self.list(group);
        let fields = [optional("metadata", "ListMeta", LIST_META, 1), field("items", "Items", items, 2)];
        self.root("v2.APIGroupDiscoveryList", fields);
    }
}

fn build() -> Shapes {
    let mut builder = Builder::new();
    builder.status();
    builder.metadata();
    builder.groups();
    builder.resources();
    builder.aggregated();
    Shapes::new(builder.types)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_coherent_type() {
        assert_eq!(shapes().check(), []);
        for (kind, name) in KINDS {
            assert_eq!(of_kind(kind).map(|id| shapes().get(id).name.as_ref()), Some(name));
        }
    }
}
