//! Files replaced as a whole.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes beside the file, then renames: a reader sees the old text or the new one. A link of its name is replaced, not followed.
pub(crate) fn replace(place: &Path, text: &[u8]) -> io::Result<()> {
    let dir = place.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let beside = dir.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = write_new(&beside, place, text).and_then(|()| fs::rename(&beside, place));
    if written.is_err() {
        // Nothing is left behind; the first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Writes a file that is not there yet, with the permissions of the one whose place it takes.
fn write_new(path: &Path, place: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text)?;
    match fs::symlink_metadata(place) {
        Ok(old) if old.is_file() => file.set_permissions(old.permissions()),
        _ => Ok(()),
    }
}
