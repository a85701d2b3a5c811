//! Generates the validators of `src/api.rs`, which uses tags of its own.

use sprag_build::{CompileError, Config, CustomTag, LiteralKind, PayloadSpec, Scope};

fn main() -> Result<(), CompileError> {
    let multiple = CustomTag {
        name: "acme:multiple".into(),
        scopes: vec![Scope::Field],
        summary: "The number has to be a multiple of this one.".into(),
        function: "crate::checks::multiple".into(),
        payload: Some(PayloadSpec { kind: LiteralKind::Int, required: true }),
        ..CustomTag::default()
    };
    // Validators alone need two small crates and not the whole facade, which would take long to build here.
    Config::new()
        .file("src/api.rs")
        .tags_file("tags.yaml")
        .tag(multiple)
        .runtime_path("sprag_checks")
        .value_path("sprag_value")
        .validators_only()
        .compile()
}
