//! Lowers the declared types to a program, and generates validators and shapes of those that are compiled.

fn main() -> Result<(), sprag_build::CompileError> {
    let config = sprag_build::Config::new()
        .file("src/meta/v1.rs")
        .file("src/core/v1.rs")
        .file("src/events/v1.rs")
        .file("src/coordination/v1.rs")
        .file("src/rbac/v1.rs")
        .dialect(sprag_build::Dialect::Kubernetes)
        .runtime_path("sprag_validate")
        .value_path("sprag_value")
        .shape_path("sprag_shape")
        .rest_path("sprag_rest");
    config.clone().compile_program()?;
    config.compile()
}
