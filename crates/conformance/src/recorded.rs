//! Recorded suites as they lie on disk: one file, a folder of files, or one packed file (see `recorded/README.md`).

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::wire::packed::{Entry, Header};

/// The ending of packed files.
pub(crate) const PACKED: &str = "json.gz";

/// The most bytes that a packed file may unpack to.
const MAX_UNPACKED: u64 = 64 << 20;

/// The files of a suite, in the order of their names.
pub(crate) struct Recorded {
    pub(crate) documents: Vec<Document>,
    /// The reference's prose was blanked when the suite was packed, so it cannot be compared.
    pub(crate) is_blanked: bool,
}

/// One file of a suite.
pub(crate) struct Document {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    /// Its place, for error messages.
    place: String,
}

impl Recorded {
    /// Reads a file, all JSON files of a folder, or all files of a packed one.
    pub(crate) fn open(path: &Path) -> Result<Recorded, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        if path.is_dir() {
            let mut documents = Vec::new();
            for entry in std::fs::read_dir(path).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    documents.push(Document::open(&path)?);
                }
            }
            documents.sort_by(|a, b| a.name.cmp(&b.name));
            return Ok(Recorded { documents, is_blanked: false });
        }
        if path.extension().is_some_and(|extension| extension == "gz") {
            return unpack(&std::fs::read(path).map_err(failed)?, &path.display().to_string());
        }
        Ok(Recorded { documents: vec![Document::open(path)?], is_blanked: false })
    }

    /// Reads all JSON files of a folder and of those in it, but for some of these. Names say where a file is: `a/b.json`.
    pub(crate) fn open_tree(root: &Path, left_out: &[&str]) -> Result<Recorded, String> {
        let mut documents = Vec::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for path in crate::wire::files(&folder, |_| true)? {
                let name = path.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
                if left_out.contains(&name.as_str()) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "json") {
                    documents.push(Document { name, ..Document::open(&path)? });
                }
            }
        }
        documents.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Recorded { documents, is_blanked: false })
    }

    /// Writes the files to a folder, as [`Recorded::open_tree`] reads them.
    pub(crate) fn write(&self, root: &Path) -> Result<(), String> {
        for document in &self.documents {
            let path = root.join(&document.name);
            let failed = |error: std::io::Error| format!("{}: {error}", path.display());
            std::fs::create_dir_all(path.parent().unwrap_or(root)).map_err(failed)?;
            std::fs::write(&path, &document.text).map_err(failed)?;
        }
        Ok(())
    }

    /// The file of this name.
    pub(crate) fn document(&self, name: &str) -> Result<&Document, String> {
        self.documents.iter().find(|document| document.name == name).ok_or_else(|| format!("{name} is missing"))
    }

    /// The only file there is.
    pub(crate) fn only(&self) -> Result<&Document, String> {
        match self.documents.as_slice() {
            [document] => Ok(document),
            documents => Err(format!("one file is needed, here are {}", documents.len())),
        }
    }

    /// The files that hold cases: names that start with an underscore are for other uses.
    pub(crate) fn cases(&self) -> impl Iterator<Item = &Document> {
        self.documents.iter().filter(|document| !document.name.starts_with('_'))
    }
}

impl Document {
    pub(crate) fn open(path: &Path) -> Result<Document, String> {
        let place = path.display().to_string();
        let text = std::fs::read(path).map_err(|error| format!("{place}: {error}"))?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        Ok(Document { name, text, place })
    }

    /// The same file with another text.
    pub(crate) fn with_text(self, text: Vec<u8>) -> Document {
        Document { text, ..self }
    }

    #[cfg(test)]
    pub(crate) fn of(name: &str, text: &str) -> Document {
        Document { name: name.to_owned(), text: text.as_bytes().to_owned(), place: name.to_owned() }
    }

    /// The name without its ending.
    pub(crate) fn stem(&self) -> &str {
        self.name.strip_suffix(".json").unwrap_or(&self.name)
    }

    /// Reads its values as the API server does.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        let value = sprag_value::json::parse(&self.text).map_err(|error| format!("{}: {error}", self.place))?;
        sprag_value::from_value(&value).map_err(|error| format!("{}: {error}", self.place))
    }

    /// Reads its values as they are spelled: numbers may need all 64 bits, and texts of values can be kept or borrowed.
    pub(crate) fn read_json<'d, T: Deserialize<'d>>(&'d self) -> Result<T, String> {
        serde_json::from_slice(&self.text).map_err(|error| format!("{}: {error}", self.place))
    }
}

/// Reads a packed file: a header, then one value for each file of the suite.
fn unpack(packed: &[u8], place: &str) -> Result<Recorded, String> {
    let failed = |error: serde_json::Error| format!("{place}: {error}");
    let text = decompress(packed, MAX_UNPACKED).map_err(|error| format!("{place}: {error}"))?;
    let mut values = serde_json::Deserializer::from_slice(&text);
    let header = Header::deserialize(&mut values).map_err(failed)?;
    let mut documents = Vec::new();
    for entry in values.into_iter::<Entry<'_>>() {
        let Entry { file, content } = entry.map_err(failed)?;
        let place = format!("{place}: {file}");
        documents.push(Document { name: file, text: content.get().as_bytes().to_owned(), place });
    }
    Ok(Recorded { documents, is_blanked: !header.blanked.is_empty() })
}

fn decompress(packed: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let read = GzDecoder::new(packed).take(most + 1).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if read as u64 > most { Err(format!("unpacks to more than {most} bytes")) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::compress;

    fn unpacked(text: &str) -> Result<Recorded, String> {
        unpack(&compress(text.as_bytes()).expect("memory can be written"), "x.json.gz")
    }

    #[test]
    fn documents_keep_their_spelling() {
        let recorded =
            unpacked("{\"suite\":\"x\"}\n{\"file\":\"a.json\",\"content\":[1.0,\n1e2]}\n").expect("well formed");
        assert!(!recorded.is_blanked);
        let document = recorded.document("a.json").expect("it is there");
        assert_eq!((document.stem(), document.text.as_slice()), ("a", &b"[1.0,\n1e2]"[..]));
    }

    #[test]
    fn broken_files_are_named() {
        for text in ["", "[]", "{\"suite\":\"x\"} {\"file\":\"a.json\"}", "{\"suite\":\"x\"} {"] {
            let error = unpacked(text).err().expect(text);
            assert!(error.starts_with("x.json.gz: "), "{error}");
        }
        assert!(unpack(b"not packed", "x.json.gz").is_err());
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let packed = compress(b"12345678").expect("memory can be written");
        assert_eq!(decompress(&packed, 8).as_deref(), Ok(&b"12345678"[..]));
        assert_eq!(decompress(&packed, 7), Err("unpacks to more than 7 bytes".to_owned()));
    }
}
