//! Lowers the declared types to a program; with the feature `types` it also generates validators and shapes of the structs.

/// The declared groups, one module per version.
const DECLARED: [&str; 25] = [
    "admissionregistration/v1",
    "apiregistration/v1",
    "apps/v1",
    "authentication/v1",
    "authorization/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "certificates/v1",
    "coordination/v1",
    "core/v1",
    "discovery/v1",
    "events/v1",
    "flowcontrol/v1",
    "meta/types",
    "meta/v1",
    "networking/v1",
    "node/v1",
    "policy/v1",
    "rbac/v1",
    "resource/v1",
    "scheduling/v1",
    "scheduling/v1alpha3",
    "storage/v1",
    "storagemigration/v1",
];

fn main() -> Result<(), sprag_build::CompileError> {
    config().compile_program()?;
    if std::env::var_os("CARGO_FEATURE_TYPES").is_some() {
        config().compile()?;
    }
    Ok(())
}

fn config() -> sprag_build::Config {
    let declared = sprag_build::Config::new();
    DECLARED
        .iter()
        .fold(declared, |config, module| config.file(format!("src/{module}.rs")))
        .dialect(sprag_build::Dialect::Kubernetes)
        .tags_file("src/tags.yaml")
        .runtime_path("sprag_checks")
        .value_path("sprag_value")
        .shape_path("sprag_shape")
        .rest_path("sprag_rest")
}
