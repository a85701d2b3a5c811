//! `+sprag:since` and `+sprag:until`: what a program has in a release.

use sprag_idl::{GoPackageInput, Sources, read_go};
use sprag_program::{Program, ProgramParts};
use sprag_release::Release;
use sprag_shape::{Field, ListType, TypeShape};
use sprag_tags::types::Universe;
use sprag_tags::{Dialect, LowerOptions, Registry, Untagged, lower, program_parts};

const WIDGET: &str = "package v1\n\n// +genclient\ntype Widget struct {\n\
    \tMetadata M `json:\"metadata\"`\n\
    \t// +optional\n\t// +sprag:since(\"1.37\")=+required\n\tSpec M `json:\"spec,omitempty\"`\n\
    \t// +sprag:until(\"1.35\")=+required\n\tRevision int64 `json:\"revision,omitempty\"`\n\
    \t// +sprag:until(\"1.36\")=+listType=atomic\n\t// +sprag:since(\"1.37\")=+listType=map\n\t// +listMapKey=name\n\
    \tParts []Part `json:\"parts,omitempty\"`\n\
    \t// +sprag:since(\"1.35\")\n\t// +sprag:until(\"1.36\")\n\tOnce string `json:\"once,omitempty\"`\n\
    \tMode Mode `json:\"mode,omitempty\"`\n}\n\
    type Part struct {\n\tName string `json:\"name\"`\n}\n\
    // +sprag:since(\"1.36\")=+enum\ntype Mode string\n\n\
    const (\n\tFast Mode = \"Fast\"\n\t// +sprag:since(\"1.37\")\n\tSlow Mode = \"Slow\"\n)\n\ntype M struct{}\n";

fn parts() -> ProgramParts {
    let mut sources = Sources::default();
    let file = sources.add("types.go", WIDGET);
    let (package, findings) = read_go(GoPackageInput { path: "acme.dev/api/v1", files: &[file] }, &sources);
    assert!(findings.is_empty(), "{findings:#?}");
    let universe = Universe::new([package].into(), |_| true);
    let options = LowerOptions { dialect: Some(Dialect::Kep), untagged: Untagged::AllTypes, ..LowerOptions::default() };
    let lowering = lower(&universe, &Registry::standard(), options);
    assert!(lowering.findings.is_empty(), "{:#?}", lowering.findings);
    program_parts(&universe, &lowering)
}

fn ty<'p>(program: &'p Program, name: &str) -> &'p TypeShape {
    let id = program.shapes().by_name(name).expect("it is declared");
    program.shapes().get(id)
}

fn field<'p>(program: &'p Program, json: &str) -> Option<&'p Field> {
    ty(program, "v1.Widget").fields().iter().find(|field| field.json == json)
}

/// What a release has of the widget: its required members, whether its parts have keys, whether it is there once, and its modes.
fn seen(release: Release) -> String {
    let bytes = parts().to_bytes();
    let program = Program::of_release(ProgramParts::from_bytes(&bytes).expect("it was written"), release);
    let members =
        ["spec", "revision"].into_iter().filter(|json| field(&program, json).is_some_and(|found| found.required));
    let required: Vec<&str> = members.collect();
    let has_keys = matches!(field(&program, "parts").map(|parts| &parts.list), Some(ListType::Map(_)));
    let is_there = field(&program, "once").is_some();
    let modes: Vec<&str> = ty(&program, "v1.Mode").enum_values.iter().map(AsRef::as_ref).collect();
    format!("{} {has_keys} {is_there} {}", required.join(","), modes.join(","))
}

#[test]
fn markers_fields_and_values_hold_in_their_releases() {
    assert_eq!(seen(Release::V1_34), "revision false false ");
    assert_eq!(seen(Release::V1_35), "revision false true ");
    assert_eq!(seen(Release::V1_36), " false true Fast");
    assert_eq!(seen(Release::V1_37), "spec true false Fast,Slow");
}
