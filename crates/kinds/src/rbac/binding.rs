//! Bindings: who gets which role.

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, dns_subdomain, path_segment};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, Release, Releases, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::{List, View};

use super::{GROUP, validate_metadata};
use crate::columns::{string, text, wide};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::rbac_v1::{ClusterRoleBinding, RoleBinding, RoleRef, Subject};

/// The definition of `rolebindings`.
pub(crate) fn role_bindings(release: Release) -> Definition {
    let mut definition = define(release, "RoleBinding", &["Role", "ClusterRole"], true, |new, old, at, errors| {
        say_of_role(errors, |errors| binding(new).check_role_ref_update(binding(old), at, errors));
    });
    definition.versions[0].columns =
        columns("Users in the roleBinding", "Groups in the roleBinding", "ServiceAccounts in the roleBinding").into();
    definition
}

/// The definition of `clusterrolebindings`.
pub(crate) fn cluster_role_bindings(release: Release) -> Definition {
    let mut definition = define(release, "ClusterRoleBinding", &["ClusterRole"], false, |new, old, at, errors| {
        let view = |object| -> ClusterRoleBinding<'_> { View::view(Some(object)) };
        say_of_role(errors, |errors| view(new).check_role_ref_update(view(old), at, errors));
    });
    definition.versions[0].columns = columns(
        "Users in the clusterRoleBinding",
        "Groups in the clusterRoleBinding",
        "ServiceAccounts in the clusterRoleBinding",
    )
    .into();
    definition
}

fn define(
    release: Release,
    kind: &str,
    roles: &'static [&'static str],
    namespaced: bool,
    check_update: fn(&Value, &Value, &At<'_>, &mut Errors),
) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_34))
        .metadata_as_new([Releases::ALL, Releases::until(Release::V1_34)])
        .validate(move |_, new, errors| validate(new, roles, namespaced, errors))
        .validate_update(move |cx, new, old, errors| {
            validate(new, roles, namespaced, errors);
            validate_finalizers(new, errors);
            check_update(new, old, &cx.root(), errors);
        })
        .allow_create_on_update(true)
        .without_generation();
    program::resource(release, GROUP, "v1", kind).complete(complete).strategy(strategy).define()
}

/// A binding of either kind: they have the same fields.
fn binding(object: &Value) -> RoleBinding<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateRoleBinding` and `ValidateClusterRoleBinding`.
fn validate(new: &Value, roles: &[&str], namespaced: bool, errors: &mut Errors) {
    validate_metadata(new, errors);
    validate_role_ref(binding(new).role_ref(), roles, errors);
    validate_subjects(binding(new).subjects(), namespaced, errors);
}

/// Fills in the group of users and groups.
fn complete(object: &mut Value) {
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

/// Runs the rule against changes of the role, in the words of the release.
fn say_of_role(errors: &mut Errors, check: impl FnOnce(&mut Errors) -> bool) {
    let mark = errors.len();
    if check(errors) && errors.release().has(Fact::RoleRefCannotChange) {
        errors.since_mut(mark).iter_mut().for_each(|error| error.detail = "cannot change roleRef".into());
    }
}

fn validate_role_ref(role: RoleRef<'_>, kinds: &[&str], errors: &mut Errors) {
    let path = Path::new("roleRef");
    if role.api_group() != GROUP {
        errors.push(Error::not_supported(&path.child("apiGroup"), role.api_group(), &[GROUP]));
    }
    if !kinds.contains(&role.kind()) {
        errors.push(Error::not_supported(&path.child("kind"), role.kind(), kinds));
    }
    let path = path.child("name");
    let name = role.name();
    if name.is_empty() {
        errors.push(Error::required(&path, "").with_covered_by_declarative());
    } else {
        path_segment(name, Usage::Name, &mut |detail| errors.push(Error::invalid(&path, name, detail)));
    }
}

fn validate_subjects(subjects: List<'_, Subject<'_>>, namespaced: bool, errors: &mut Errors) {
    let path = Path::new("subjects");
    for (at, subject) in subjects.iter().enumerate() {
        validate_subject(subject, namespaced, &path.index(at), errors);
    }
}

fn validate_subject(subject: Subject<'_>, namespaced: bool, path: &Path<'_>, errors: &mut Errors) {
    let name_path = path.child("name");
    let name = subject.name();
    let group = subject.api_group();
    if name.is_empty() {
        errors.push(Error::required(&name_path, "").with_covered_by_declarative());
    }
    let expected = match subject.kind() {
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
    if is_account && !namespaced && subject.namespace().is_empty() {
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
