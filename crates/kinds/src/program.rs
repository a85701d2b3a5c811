//! The declared kinds as a program: embedded by `build.rs`, decoded when it is needed first.

use std::sync::{Arc, LazyLock};

use sprag_plan::{NoHooks, Program};
use sprag_rest::{ProgramConfig, ProgramResource};
use sprag_shape::{Shapes, TypeRef};
use sprag_value::Value;

static PROGRAM: LazyLock<Arc<Program>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/program/program.bin"));
    Arc::new(Program::from_bytes(bytes).expect("the build script wrote it"))
});

/// Kinds are the types that upstream generates clients for.
static CONFIG: LazyLock<ProgramConfig> = LazyLock::new(|| {
    ProgramConfig::for_kinds(PROGRAM.clone(), Arc::new(NoHooks), |resource| resource.facts.scope.is_some())
});

/// What the declared types look like.
pub(crate) fn shapes() -> &'static Shapes {
    PROGRAM.shapes()
}

/// Tells if two pointers to values of a declared type (`v1.PodTemplateSpec`) are the same to upstream's
/// `equality.Semantic.DeepEqual`.
pub(crate) fn same_pointer(type_name: &str, a: Option<&Value>, b: Option<&Value>) -> bool {
    let id = shapes().by_name(type_name).expect("the type is declared");
    shapes().same(TypeRef { nullable: true, ..TypeRef::value(id) }, a, b)
}

/// A declared kind, before it is a definition.
///
/// # Panics
///
/// If the kind is not declared.
pub(crate) fn resource(group: &str, version: &str, kind: &str) -> ProgramResource {
    let resource = PROGRAM.find(group, version, kind).expect("the kind is declared");
    CONFIG.resource(group, version, resource)
}
