//! The public API against recorded material and the specification's own spellings.

mod bad_tags;
mod fuzz;
mod kep_spellings;

/// A file beside the repository, or `None` (with a note) when it is not there.
#[expect(clippy::disallowed_methods, clippy::print_stderr, reason = "tests read their material from disk")]
fn shared(path: &str) -> Option<String> {
    let full = format!("{}/../../../shared/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(full).ok();
    if text.is_none() {
        eprintln!("skipped: shared/{path} is missing");
    }
    text
}
