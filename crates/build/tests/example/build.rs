//! Generates the validators of `src/api.rs`, which uses a tag of its own.

use sprag_build::{CompileError, Config, CustomTag, Scope};

fn main() -> Result<(), CompileError> {
    let colour = CustomTag {
        name: "acme:colour".into(),
        scopes: vec![Scope::Field, Scope::Type, Scope::ListVal],
        summary: "The string has to be a colour in hexadecimal.".into(),
        function: "crate::checks::colour".into(),
    };
    // Validators alone need two small crates and not the whole facade, which would take long to build here.
    Config::new()
        .file("src/api.rs")
        .tag(colour)
        .runtime_path("sprag_validate")
        .value_path("sprag_value")
        .validators_only()
        .compile()
}
