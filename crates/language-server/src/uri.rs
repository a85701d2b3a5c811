//! Addresses of files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gen_lsp_types::Uri;

const FILE: &str = "file://";

/// The path of a file; none for what is not in the file system, such as a text that was never saved.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.0.strip_prefix(FILE)?;
    // A host may stand between the slashes; only this machine's files are read.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = decoded(path.split(['?', '#']).next()?)?;
    if !decoded.starts_with('/') || decoded.contains('\0') {
        return None;
    }
    let is_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &decoded[1..] } else { &decoded }))
}

/// The address of a file.
pub(crate) fn of_path(path: &Path) -> Uri {
    let mut uri = FILE.to_owned();
    let shown = path.to_string_lossy();
    let shown = if cfg!(windows) { format!("/{}", shown.replace('\\', "/")) } else { shown.into_owned() };
    for byte in shown.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:@!$&'()*+,;=".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    Uri(uri)
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' { digit(rest.next()?)? * 16 + digit(rest.next()?)? } else { byte });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn paths_are_written_in_percent_encoding() {
        let path = Path::new("/a b/ü%#?.yaml");
        let uri = of_path(path);
        assert_eq!(uri.0, "file:///a%20b/%C3%BC%25%23%3F.yaml");
        assert_eq!(to_path(&uri).as_deref(), Some(path));
    }

    #[test]
    fn what_is_no_file_has_no_path() {
        for text in ["untitled:Untitled-1", "file://host/a", "file:///a%0", "file:///a%ff", "file:///%00"] {
            assert_eq!(to_path(&Uri(text.to_owned())), None, "{text}");
        }
    }
}
