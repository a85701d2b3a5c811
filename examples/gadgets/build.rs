//! Generates the validators of the types in `src/v1.rs`.

fn main() -> Result<(), sprag_build::CompileError> {
    sprag_build::Config::new().file("src/v1.rs").compile()
}
