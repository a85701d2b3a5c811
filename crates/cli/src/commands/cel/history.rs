//! The history file of the REPL.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The lines that are kept.
pub(super) const MAX_LINES: usize = 1000;

/// Files larger than this are not ours.
const MAX_BYTES: u64 = 16 << 20;

/// The file in the user's state directory, if that can be had.
pub(super) fn file() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(set("HOME")?.join(".local/state")))?;
    usable(state.join("sprag/cel_history"))
}

/// The same file, if its folder exists or can be made and it is not something else.
fn usable(file: PathBuf) -> Option<PathBuf> {
    fs::create_dir_all(file.parent()?).ok()?;
    let is_ours = |file: &Path| fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
    (!file.exists() || is_ours(&file)).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_cannot_hold_a_file_are_not_used() {
        assert_eq!(usable("/dev/null/x/history".into()), None);
        assert_eq!(usable("/dev/null".into()), None);
        let file = env::temp_dir().join(format!("sprag-{}/deep/history", std::process::id()));
        assert_eq!(usable(file.clone()), Some(file));
    }
}
