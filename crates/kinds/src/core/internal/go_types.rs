//! The types that Kubernetes 1.33 prints as Go source, named and laid out as its internal packages declare them.
//!
//! Declarations have the fields of the versions, [`layout`] their order; here is where internal types differ otherwise.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use sprag_rest::Release;
use sprag_shape::{Field, Kind, Shapes, TypeId, TypeShape};

use super::layout;
use crate::program;

/// Types of apimachinery, which errors name after version v1 of its package.
const MACHINERY: [&str; 23] = [
    "v1.Condition",
    "v1.DeleteOptions",
    "v1.DeletionPropagation",
    "v1.Duration",
    "v1.FieldSelectorOperator",
    "v1.FieldSelectorRequirement",
    "v1.FieldsV1",
    "v1.GroupResource",
    "v1.GroupVersionKind",
    "v1.LabelSelector",
    "v1.LabelSelectorOperator",
    "v1.LabelSelectorRequirement",
    "v1.ListMeta",
    "v1.ManagedFieldsEntry",
    "v1.ManagedFieldsOperationType",
    "v1.MicroTime",
    "v1.ObjectMeta",
    "v1.OwnerReference",
    "v1.Preconditions",
    "v1.ShardInfo",
    "v1.StatusReason",
    "v1.Time",
    "v1.TypeMeta",
];

/// Fields that are pointers in versions and values inside.
const VALUES: [(&str, &str); 11] = [
    ("v1.DeploymentSpec", "replicas"),
    ("v1.LimitedPriorityLevelConfiguration", "nominalConcurrencyShares"),
    ("v1.ReplicaSetSpec", "replicas"),
    ("v1.RollingUpdateDaemonSet", "maxSurge"),
    ("v1.RollingUpdateDaemonSet", "maxUnavailable"),
    ("v1.RollingUpdateDeployment", "maxSurge"),
    ("v1.RollingUpdateDeployment", "maxUnavailable"),
    ("v1.RollingUpdateStatefulSetStrategy", "partition"),
    ("v1.ServiceAccountTokenProjection", "expirationSeconds"),
    ("v1.StatefulSetSpec", "replicas"),
    ("v1.TokenRequestSpec", "expirationSeconds"),
];

/// Fields of versions that internal types do not have.
const LEFT_OUT: [(&str, &str); 3] =
    [("v1.NodeSpec", "podCIDR"), ("v1.PodStatus", "podIP"), ("v1.Secret", "stringData")];

/// The types by the ids that they have in the program of the release; names are those that Go prints.
static TYPES: LazyLock<Shapes> = LazyLock::new(build);

pub(super) fn types() -> &'static Shapes {
    &TYPES
}

fn build() -> Shapes {
    let declared = layout::shapes_of(Release::V1_33);
    let packages = packages(declared);
    let mut types = declared.types().to_vec();
    let type_meta = declared.by_name("v1.TypeMeta");
    for ty in &mut types {
        let name = ty.name.to_string();
        let Kind::Struct { fields, .. } = &mut ty.kind else { continue };
        let fields = Cow::to_mut(fields);
        fields.retain(|field| !LEFT_OUT.contains(&(&name, &field.json)));
        for field in fields.iter_mut() {
            field.ty.nullable &= !VALUES.contains(&(&name, &field.json));
            field.name = go_name(declared, &name, field).into();
        }
        if let Some(type_meta) = type_meta.filter(|_| name != "v1.TypeMeta") {
            embed_type_meta(fields, type_meta);
        }
    }
    for (ty, package) in types.iter_mut().zip(packages) {
        rename(ty, package);
    }
    Shapes::new(types)
}

/// The name of a field in Go; that of an embedded struct is the name of its type.
fn go_name(shapes: &Shapes, owner: &str, field: &Field) -> String {
    if field.inline || field.json == "metadata" {
        let ty = &shapes.get(field.ty.id).name;
        return ty.rsplit('.').next().unwrap_or(ty).to_owned();
    }
    super::go_name(owner, field)
}

/// Puts the type of a kind into a struct of its own, which is the first field.
fn embed_type_meta(fields: &mut Vec<Field>, type_meta: TypeId) {
    let is_type = |field: &Field| matches!(&*field.json, "kind" | "apiVersion");
    let is_kind = fields.iter().any(|field| field.json == "metadata") && fields.iter().any(is_type);
    if is_kind {
        fields.retain(|field| !is_type(field));
        fields.insert(0, Field::embedded("TypeMeta", sprag_shape::TypeRef::value(type_meta)));
    }
}

fn rename(ty: &mut TypeShape, package: Option<&str>) {
    if MACHINERY.contains(&&*ty.name) {
        return;
    }
    if let (Some(package), Some((version, name))) = (package, ty.name.split_once('.'))
        && version.starts_with('v')
    {
        ty.name = format!("{package}.{name}").into();
    }
}

/// The package of each type: that of the group whose kinds have it. Types of the core are parts of kinds of other groups.
fn packages(shapes: &Shapes) -> Vec<Option<&'static str>> {
    let mut packages = vec![None; shapes.types().len()];
    let mut roots: Vec<(&'static str, TypeId)> = program::of_release(Release::V1_33)
        .resources()
        .iter()
        .filter_map(|resource| Some((package(resource.group.as_deref()?), resource.shape)))
        .collect();
    roots.sort_by_key(|(package, _)| *package != "core");
    for (package, root) in roots {
        let mut met = BTreeSet::new();
        let mut left = vec![root];
        while let Some(id) = left.pop().filter(|_| met.len() <= packages.len()) {
            let Some(known) = packages.get_mut(id.0 as usize) else { continue };
            if met.insert(id) {
                known.get_or_insert(package);
                left.extend(parts(shapes.get(id)));
            }
        }
    }
    packages
}

fn parts(ty: &TypeShape) -> Vec<TypeId> {
    match &ty.kind {
        Kind::Struct { fields, .. } => fields.iter().map(|field| field.ty.id).collect(),
        Kind::List { elem, .. } => vec![elem.id],
        Kind::Map { key, value } => vec![key.id, value.id],
        _ => Vec::new(),
    }
}

/// The internal package of a group; events are of the core inside.
fn package(group: &'static str) -> &'static str {
    match group.split('.').next() {
        None | Some("" | "events") => "core",
        Some(package) => package,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_the_package_of_its_group() {
        let names: BTreeSet<&str> = types().types().iter().map(|ty| &*ty.name).collect();
        for name in
            ["core.PodSpec", "apps.DeploymentSpec", "rbac.RoleRef", "core.Toleration", "v1.LabelSelector", "types.UID"]
        {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn every_difference_is_of_a_declared_field() {
        let shapes = program::of_release(Release::V1_33).shapes();
        for (ty, field) in VALUES.into_iter().chain(LEFT_OUT) {
            assert!(
                shapes
                    .types()
                    .iter()
                    .any(|known| known.name == ty && known.fields().iter().any(|declared| declared.json == field)),
                "{ty}.{field}"
            );
        }
    }
}
