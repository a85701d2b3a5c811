//! Programs of Go source.

use sprag_idl::{GoPackageInput, Sources, read_go};
use sprag_program::ProgramParts;
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, Foreign, Hooks, LowerOptions, Mistakes, Registry, Untagged, lower, program_parts};

/// The program of a package `example.com/api/v1` with these declarations.
pub(crate) fn parts(declarations: &str) -> ProgramParts {
    read(declarations, None).0
}

/// The same with the types.
pub(crate) fn marked_parts(declarations: &str) -> (ProgramParts, Universe) {
    read(declarations, None)
}

fn read(declarations: &str, dialect: Option<Dialect>) -> (ProgramParts, Universe) {
    let mut sources = Sources::default();
    let head = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n";
    let file = sources.add("types.go", format!("{head}{declarations}"));
    let (package, findings) = read_go(GoPackageInput { path: "example.com/api/v1", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:?}");
    let universe = Universe::new(vec![package], |_| true);
    let options = LowerOptions {
        dialect,
        untagged: Untagged::AllTypes,
        foreign: Foreign::Opaque,
        hooks: Hooks::Assume,
        mistakes: Mistakes::Refuse,
    };
    let lowering = lower(&universe, &Registry::standard(), options);
    let errors: Vec<_> =
        lowering.findings.iter().filter(|finding| finding.severity == sprag_idl::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut parts = program_parts(&universe, &lowering);
    // Of the declared types, those with metadata are kinds.
    parts.resources.retain(|resource| resource.facts.has_spec);
    (parts, universe)
}

/// A kind with this spec.
pub(crate) fn widget(spec: &str) -> ProgramParts {
    parts(&with_spec(spec))
}

/// The same with the tags of the KEP.
pub(crate) fn kep_widget(spec: &str) -> ProgramParts {
    read(&with_spec(spec), Some(Dialect::Kep)).0
}

fn with_spec(spec: &str) -> String {
    format!(
        "type Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec\"`\n}}\n\n{spec}"
    )
}
