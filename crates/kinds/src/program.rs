//! The declared kinds as a program: embedded by `build.rs`, decoded when it is needed first.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use sprag_program::{Program, ProgramParts, Ranged, RangedItem, Resource};
use sprag_rest::{Fact, ProgramConfig, ProgramResource, Release, Releases};
use sprag_shape::{Shapes, TypeId, TypeRef};
use sprag_value::Value;

use crate::details;
use crate::hooks::Hooks;
use crate::meta;

/// The program of each release, made when it is needed first.
static CONFIGS: [OnceLock<ProgramConfig>; Release::ALL.len()] = [const { OnceLock::new() }; Release::ALL.len()];

/// All declarations, of whatever release.
fn declared_parts() -> ProgramParts {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/program/program.bin"));
    ProgramParts::embedded(bytes).expect("the build script wrote it")
}

/// Kinds are the types that upstream generates clients for.
fn config(release: Release) -> ProgramConfig {
    let parts = declared_parts();
    let is_kind = |resource: &Resource| resource.facts.scope.is_some();
    ProgramConfig::for_kinds(release, parts.of_release(release), Arc::new(Hooks), is_kind)
}

fn config_of(release: Release) -> &'static ProgramConfig {
    CONFIGS[release as usize].get_or_init(|| config(release))
}

/// The program of the newest release, whose types have all fields.
pub(crate) static PROGRAM: LazyLock<Arc<Program>> = LazyLock::new(|| config_of(Release::NEWEST).program().clone());

/// The program of a release.
pub(crate) fn of_release(release: Release) -> &'static Arc<Program> {
    config_of(release).program()
}

/// The fields that only some releases have, by the shape of their struct and their name.
pub(crate) fn ranges() -> BTreeMap<(TypeId, String), Releases> {
    let ranges = declared_parts().ranges;
    let of = |ranged: Ranged| match ranged.item {
        RangedItem::Field { shape, json, .. } => Some(((shape, json), ranged.releases)),
        RangedItem::EnumValue { .. } | RangedItem::Marked { .. } => None,
    };
    ranges.into_iter().filter_map(of).collect()
}

/// Returns the shapes of the declared types.
pub(crate) fn shapes() -> &'static Shapes {
    PROGRAM.shapes()
}

/// Tells if two pointers to values of a declared type (`v1.PodTemplateSpec`) are the same to upstream's
/// `equality.Semantic.DeepEqual`.
pub(crate) fn same_pointer(type_name: &str, a: Option<&Value>, b: Option<&Value>) -> bool {
    shapes().same(TypeRef { nullable: true, ..TypeRef::value(declared(type_name)) }, a, b)
}

/// Tells if a field of two values of a declared type is the same to upstream's `equality.Semantic.DeepEqual`.
pub(crate) fn same_field(ty: TypeId, field: &str, a: &Value, b: &Value) -> bool {
    let ty = shapes().field(ty, field).expect("the field is declared").ty;
    shapes().same(ty, a.get(field), b.get(field))
}

/// A declared type, `v1.JobSpec`, of a name that only one group has.
pub(crate) fn declared(type_name: &str) -> TypeId {
    let named = || shapes().types().iter().filter(|known| known.name == type_name);
    debug_assert_eq!(named().count(), 1, "types called {type_name}");
    shapes().by_name(type_name).expect("the type is declared")
}

/// The type of a declared kind.
pub(crate) fn kind(group: &str, version: &str, kind: &str) -> TypeId {
    PROGRAM.find(group, version, kind).expect("the kind is declared").shape
}

/// A declared kind as a release has it, before it is a definition.
///
/// # Panics
///
/// If the kind is not declared.
pub(crate) fn resource(release: Release, group: &str, version: &str, kind: &str) -> ProgramResource {
    let config = config_of(release);
    let resource = config.program().find(group, version, kind).expect("the kind is declared");
    let resource = config.resource(group, version, resource).metadata_rules(&meta::Declared);
    if release.has(Fact::PrintsValuesAsJson) { resource } else { resource.show_values(details::restore) }
}

#[cfg(test)]
mod tests {
    use sprag_checks::{At, Errors, Request};
    use sprag_program::{HookCall, HookTable};
    use sprag_rest::Offline;
    use sprag_value::json;

    use super::*;

    #[test]
    fn a_valid_object_passes_rules_that_are_not_enforced_yet() {
        let text = br#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":
            {"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"a","image":"i"}]}}}}"#;
        let offline = Offline::default();
        let deployments = crate::definitions().into_iter().find(|definition| definition.kind == "Deployment").unwrap();
        let resource = offline.resource(deployments);
        let outcome = offline.judge(&resource, "v1", json::parse(text).unwrap(), None).unwrap();
        let def = PROGRAM.find("apps", "v1", "Deployment").unwrap().def;
        let mut errors = Errors::new();
        PROGRAM.validate_object(&Hooks, &Request::create(), def, &outcome.judged.object, None, &mut errors);
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn every_hand_written_check_of_the_declarations_is_there() {
        let request = Request::create();
        let plan = PROGRAM.plan().without_called();
        let names: Vec<_> = PROGRAM.resources().iter().flat_map(|resource| plan.hand_written(resource.def)).collect();
        assert!(!names.is_empty());
        for name in names {
            let call = HookCall { name: name.to_owned(), tag: String::new(), words: String::new(), args: Vec::new() };
            let found = Hooks.run(&call, &At::root(&request), None, None, &mut Errors::new());
            assert!(found.is_some(), "{name}");
        }
    }
}
