//! Generates validators, shapes and resources of the types in `src/v1.rs` and `src/bare.rs`.

fn main() -> Result<(), sprag_build::CompileError> {
    sprag_build::Config::new().file("src/v1.rs").file("src/bare.rs").compile()
}
