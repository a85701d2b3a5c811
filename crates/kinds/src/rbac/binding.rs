//! Bindings: who gets which role.

use std::sync::Arc;

use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, RestConfig, StrategyConfig};
use sprag_validate::object_meta::{Usage, dns_subdomain, path_segment};
use sprag_value::{Value, go_json};

use super::v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};
use super::{GROUP, check_metadata};
use crate::columns::{string, text, wide};
use crate::meta::check_finalizers;

/// The definition of `rolebindings`.
pub(crate) fn role_bindings() -> Definition {
    let check = |new: &RoleBinding, errors: &mut Errors| {
        check_metadata(&new.metadata, errors);
        validate(&new.role_ref, &["Role", "ClusterRole"], errors);
        validate_subjects(&new.subjects, true, errors);
    };
    let strategy = StrategyConfig::<RoleBinding>::new()
        .validate(move |_, new, errors| check(new, errors))
        .validate_update(move |_, new, old, errors| {
            check(new, errors);
            check_finalizers(&new.metadata, errors);
            validate_change(&new.role_ref, &old.role_ref, errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    RestConfig::new(GROUP, "v1", "rolebindings")
        .name_rule(Arc::new(path_segment))
        .columns(columns("Users in the roleBinding", "Groups in the roleBinding", "ServiceAccounts in the roleBinding"))
        .complete(complete)
        .strategy(strategy)
        .define()
}

/// The definition of `clusterrolebindings`.
pub(crate) fn cluster_role_bindings() -> Definition {
    let check = |new: &ClusterRoleBinding, errors: &mut Errors| {
        check_metadata(&new.metadata, errors);
        validate(&new.role_ref, &["ClusterRole"], errors);
        validate_subjects(&new.subjects, false, errors);
    };
    let strategy = StrategyConfig::<ClusterRoleBinding>::new()
        .validate(move |_, new, errors| check(new, errors))
        .validate_update(move |_, new, old, errors| {
            check(new, errors);
            check_finalizers(&new.metadata, errors);
            validate_change(&new.role_ref, &old.role_ref, errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    RestConfig::new(GROUP, "v1", "clusterrolebindings")
        .cluster_scoped()
        .name_rule(Arc::new(path_segment))
        .columns(columns(
            "Users in the clusterRoleBinding",
            "Groups in the clusterRoleBinding",
            "ServiceAccounts in the clusterRoleBinding",
        ))
        .complete(complete)
        .strategy(strategy)
        .define()
}

/// Fills in the group of roles, users and groups.
fn complete(object: &mut Value) {
    if let Some(role) = object.get_mut("roleRef")
        && string(role, &["apiGroup"]).is_empty()
    {
        role.insert("apiGroup", GROUP);
    }
    let lacks_group = |subject: &Value| {
        matches!(string(subject, &["kind"]), "User" | "Group") && string(subject, &["apiGroup"]).is_empty()
    };
    let subjects = object.get("subjects").and_then(Value::as_array);
    if !subjects.is_some_and(|subjects| subjects.iter().any(lacks_group)) {
        return;
    }
    if let Some(Value::Array(subjects)) = object.get_mut("subjects") {
        for subject in subjects.as_mut_slice().iter_mut().filter(|subject| lacks_group(subject)) {
            subject.insert("apiGroup", GROUP);
        }
    }
}

fn validate(role: &RoleRef, kinds: &[&str], errors: &mut Errors) {
    let path = Path::new("roleRef");
    if role.api_group != GROUP {
        errors.push(Error::not_supported(&path.child("apiGroup"), role.api_group.as_str(), &[GROUP]));
    }
    if !kinds.contains(&role.kind.as_str()) {
        errors.push(Error::not_supported(&path.child("kind"), role.kind.as_str(), kinds));
    }
    let (path, name) = (path.child("name"), role.name.as_str());
    if name.is_empty() {
        errors.push(Error::required(&path, "").with_covered_by_declarative());
    } else {
        path_segment(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&path, name, detail)));
    }
}

fn validate_change(new: &RoleRef, old: &RoleRef, errors: &mut Errors) {
    if new == old {
        return;
    }
    let [group, kind, name] = [&new.api_group, &new.kind, &new.name].map(go_json);
    let value = BadValue::Json(format!(r#"{{"APIGroup":{group},"Kind":{kind},"Name":{name}}}"#));
    let error = Error::invalid(&Path::new("roleRef"), value, "field is immutable");
    errors.push(error.with_origin("immutable").with_covered_by_declarative());
}

fn validate_subjects(subjects: &[Subject], namespaced: bool, errors: &mut Errors) {
    let path = Path::new("subjects");
    for (at, subject) in subjects.iter().enumerate() {
        validate_subject(subject, namespaced, &path.index(at), errors);
    }
}

fn validate_subject(subject: &Subject, namespaced: bool, path: &Path<'_>, errors: &mut Errors) {
    let (name_path, name, group) = (path.child("name"), subject.name.as_str(), subject.api_group.as_str());
    if name.is_empty() {
        errors.push(Error::required(&name_path, "").with_covered_by_declarative());
    }
    let expected = match subject.kind.as_str() {
        "ServiceAccount" => "",
        "User" | "Group" => GROUP,
        kind => {
            errors.push(Error::not_supported(&path.child("kind"), kind, &["ServiceAccount", "User", "Group"]));
            return;
        }
    };
    let is_account = expected.is_empty();
    if is_account && !name.is_empty() {
        dns_subdomain(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&name_path, name, detail)));
    }
    if group != expected {
        errors.push(Error::not_supported(&path.child("apiGroup"), group, &[expected]));
    }
    if is_account && !namespaced && subject.namespace.is_empty() {
        errors.push(Error::required(&path.child("namespace"), ""));
    }
}

fn columns(users: &'static str, groups: &'static str, accounts: &'static str) -> [Column; 5] {
    [
        text("Role", "The role that is given.", |object| {
            format!("{}/{}", string(object, &["roleRef", "kind"]), string(object, &["roleRef", "name"])).into()
        }),
        Column::age(),
        wide(text("Users", users, |object| subjects(object, "User").into())),
        wide(text("Groups", groups, |object| subjects(object, "Group").into())),
        wide(text("ServiceAccounts", accounts, |object| subjects(object, "ServiceAccount").into())),
    ]
}

/// The names of all subjects of a kind.
fn subjects(object: &Value, kind: &str) -> String {
    let subjects = object.get("subjects").and_then(Value::as_array).into_iter().flat_map(|subjects| subjects.iter());
    let name = |subject: &Value| match kind {
        "ServiceAccount" => format!("{}/{}", string(subject, &["namespace"]), string(subject, &["name"])),
        _ => string(subject, &["name"]).to_owned(),
    };
    let names: Vec<String> = subjects.filter(|subject| string(subject, &["kind"]) == kind).map(name).collect();
    names.join(", ")
}
