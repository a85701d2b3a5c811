//! Generates validators of the types, and the rules of each form as a program for tests.

use std::path::PathBuf;

/// The forms of the API, and the files of each.
const FORMS: [(&str, &[&str]); 4] = [
    ("shadow", &["src/parts.rs", "src/shadow.rs", "src/v1beta1.rs"]),
    ("gated", &["src/parts.rs", "src/gated.rs"]),
    ("graduating", &["src/graduating.rs"]),
    ("enforced", &["src/parts.rs", "src/enforced.rs"]),
];

fn main() -> Result<(), sprag_build::CompileError> {
    let all =
        ["parts", "shadow", "v1beta1", "gated", "graduating", "enforced"].map(|module| format!("src/{module}.rs"));
    config(all).compile()?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for (form, files) in FORMS {
        config(files.iter().copied()).compile_program_to(&out.join(form))?;
    }
    Ok(())
}

fn config(files: impl IntoIterator<Item = impl Into<PathBuf>>) -> sprag_build::Config {
    files.into_iter().fold(sprag_build::Config::new(), sprag_build::Config::file)
}
