//! Custom resource definitions in files.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::thread;

use sprag_decode::stream;
use sprag_value::Value;

use crate::error::Error;

/// Files of folders that are looked at.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];
/// Folders deeper than this are not looked into.
const MAX_DEPTH: usize = 32;
/// The largest file that is read. Decoded, its text takes several times as much memory.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The definitions in a file or in all files of a folder, each with where it comes from. Other objects are passed over.
pub(super) fn read(path: &Path) -> Result<Vec<(String, Value)>, Error> {
    let mut files = Vec::new();
    collect(path, 0, &mut files)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = files.len().div_ceil(threads).max(1);
    let parts: Vec<Result<_, Error>> = thread::scope(|scope| {
        let readers: Vec<_> = files.chunks(share).map(|part| scope.spawn(move || read_files(part))).collect();
        let panicked = || Err(Error::Task("a definition could not be read".to_owned()));
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(|_| panicked())).collect()
    });
    let mut definitions = Vec::new();
    for part in parts {
        definitions.append(&mut part?);
    }
    if definitions.is_empty() {
        let message = "no CustomResourceDefinition found".to_owned();
        return Err(Error::Definition { origin: path.display().to_string(), message });
    }
    Ok(definitions)
}

fn read_files(files: &[PathBuf]) -> Result<Vec<(String, Value)>, Error> {
    let mut definitions = Vec::new();
    for file in files {
        let text = read_file(file, MAX_FILE_BYTES).map_err(|error| Error::file("read", file, error))?;
        for document in stream::documents(&text) {
            let origin = |line: Option<usize>| match line {
                Some(line) => format!("{}:{line}", file.display()),
                None => file.display().to_string(),
            };
            let document = document.map_err(|error| Error::Definition {
                origin: origin(error.position.map(|position| position.line)),
                message: error.to_string(),
            })?;
            take(document.value, &origin(Some(document.start.line)), &mut definitions);
        }
    }
    Ok(definitions)
}

fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    fs::File::open(path)?.take(limit + 1).read_to_end(&mut text)?;
    if text.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20)));
    }
    Ok(text)
}

fn take(object: Value, origin: &str, definitions: &mut Vec<(String, Value)>) {
    match object.get("kind").and_then(Value::as_str) {
        Some("CustomResourceDefinition") => definitions.push((origin.to_owned(), object)),
        Some("List" | "CustomResourceDefinitionList") => {
            let items = object.get("items").and_then(Value::as_array).into_iter().flatten();
            for item in items.filter(|item| item.get("kind").and_then(Value::as_str) != Some("List")) {
                take(item.clone(), origin, definitions);
            }
        }
        _ => {}
    }
}

/// The files to read, in the order of their names. Links to folders are not followed: two that lead back would make each file one of
/// billions. Pipes and devices are not files.
fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if depth == MAX_DEPTH {
        return Ok(());
    }
    let failed = |error| Error::file("list", path, error);
    let entries = fs::read_dir(path).map_err(failed)?;
    let mut entries =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    entries.sort();
    let wanted = |path: &PathBuf| {
        let has_extension =
            || path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known));
        if path.is_dir() { !path.is_symlink() } else { has_extension() && path.is_file() }
    };
    for entry in entries.iter().filter(|path| wanted(path)) {
        collect(entry, depth + 1, files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_limit() {
        let folder = sprag_storage::testing::Scratch::new("crds").unwrap();
        let path = folder.path().join("crd.yaml");
        fs::write(&path, "1234").unwrap();
        assert_eq!(read_file(&path, 4).unwrap(), b"1234");
        assert_eq!(read_file(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
