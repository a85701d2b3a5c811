//! Lowers the declared types to a program, and generates validators and shapes of those that are compiled.

/// Groups whose kinds are served.
const SERVED: [&str; 6] = ["meta/types", "meta/v1", "core/v1", "events/v1", "coordination/v1", "rbac/v1"];

/// Groups whose types are compiled with the feature `types` only.
const DECLARED: [&str; 7] =
    ["apps/v1", "authentication/v1", "autoscaling/v1", "batch/v1", "discovery/v1", "policy/v1", "scheduling/v1alpha3"];

fn main() -> Result<(), sprag_build::CompileError> {
    config(SERVED.iter().chain(&DECLARED)).compile_program()?;
    let compiled = if std::env::var_os("CARGO_FEATURE_TYPES").is_some() { &DECLARED[..] } else { &[] };
    config(SERVED.iter().chain(compiled)).compile()
}

fn config<'m>(modules: impl Iterator<Item = &'m &'m str>) -> sprag_build::Config {
    let config = modules.fold(sprag_build::Config::new(), |config, module| config.file(format!("src/{module}.rs")));
    config
        .dialect(sprag_build::Dialect::Kubernetes)
        .runtime_path("sprag_validate")
        .value_path("sprag_value")
        .shape_path("sprag_shape")
        .rest_path("sprag_rest")
}
