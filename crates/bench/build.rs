//! Generates the validators of the types in `src/api.rs`.

fn main() -> Result<(), sprag_build::CompileError> {
    sprag_build::Config::new()
        .file("src/api.rs")
        .runtime_path("sprag_checks")
        .value_path("sprag_value")
        .validators_only()
        .compile()
}
