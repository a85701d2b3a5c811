//! Packs the recorded suites that the repository carries: see `recorded/README.md`.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::value::RawValue;
use sprag_value::{Value, json};

use crate::prose;
use crate::recorded::{Document, PACKED, Recorded};
use crate::report::Report;
use crate::wire::packed::{DefinitionFile, Header};

/// A suite that is packed.
struct Pack {
    name: &'static str,
    /// The file or folder of the recording.
    recorded: &'static str,
    content: Content,
}

/// The treatment of a suite's files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// They stay as they are.
    Plain,
    /// Those about definitions of other projects are left out.
    Definitions,
    /// The reference's prose in its answers is blanked.
    Answers,
    /// They stay as they are, with those of folders in the folder, but for some folders.
    Tree {
        /// The folders and files.
        left_out: &'static [&'static str],
    },
}

const PACKS: [Pack; 7] = [
    Pack { name: "cel-k8s", recorded: "cel-k8s.json", content: Content::Plain },
    Pack { name: "crd", recorded: "crd", content: Content::Definitions },
    Pack { name: "crd-ratcheting", recorded: "crd-ratcheting.json", content: Content::Plain },
    Pack { name: "formats", recorded: "formats.json", content: Content::Plain },
    Pack { name: "http", recorded: "http", content: Content::Answers },
    Pack { name: "native", recorded: "native", content: Content::Tree { left_out: &["upstream", "codec-fixtures"] } },
    // Two releases, without the cases that the packed answers of the newest one do not have either.
    Pack {
        name: "versions",
        recorded: "versions",
        content: Content::Tree { left_out: &["1.33", "1.34/upstream", "1.35", "1.36/upstream", "1.37", "crd.json"] },
    },
];

/// Writes one packed file per suite of a folder of recordings. The same recordings yield the same bytes.
pub fn pack(recordings: &Path, into: &Path) -> Result<(), String> {
    std::fs::create_dir_all(into).map_err(|error| format!("{}: {error}", into.display()))?;
    for pack in &PACKS {
        let path = recordings.join(pack.recorded);
        let recorded = match pack.content {
            Content::Tree { left_out } => Recorded::open_tree(&path, left_out)?,
            _ => Recorded::open(&path)?,
        };
        let packed = compress(&pack.text(&recorded)?).map_err(|error| format!("{}: {error}", pack.name))?;
        let path = into.join(format!("{}.{PACKED}", pack.name));
        std::fs::write(&path, &packed).map_err(|error| format!("{}: {error}", path.display()))?;
        Report::note(&format!("{}: {} bytes", path.display(), packed.len()));
    }
    Ok(())
}

/// Compresses a text; neither time nor name goes into the result.
pub(crate) fn compress(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text)?;
    encoder.finish()
}

impl Pack {
    fn text(&self, recorded: &Recorded) -> Result<Vec<u8>, String> {
        let blanked = match self.content {
            Content::Answers => prose::MEMBERS.map(str::to_owned).to_vec(),
            Content::Plain | Content::Definitions | Content::Tree { .. } => Vec::new(),
        };
        let header = Header { suite: self.name.to_owned(), blanked };
        let header = serde_json::to_string(&header).map_err(|error| error.to_string())?;
        let mut text = format!("{header}\n").into_bytes();
        for document in &recorded.documents {
            if self.content == Content::Definitions && is_of_other_project(document)? {
                continue;
            }
            text.extend(format!("{{\"file\":{:?},\"content\":", document.name).bytes());
            match self.content {
                Content::Answers => text.extend(without_prose(document)?.bytes()),
                _ => text.extend(document.text.trim_ascii()),
            }
            text.extend(b"}\n");
        }
        Ok(text)
    }
}

/// Reports whether the cases are about the definition of another project: such a definition is in a file of its own.
fn is_of_other_project(document: &Document) -> Result<bool, String> {
    Ok(document.read_json::<DefinitionFile>()?.crd_file.is_some())
}

/// The tests of a file, one per line. Those that contain no prose stay as they are spelled.
fn without_prose(document: &Document) -> Result<String, String> {
    let tests: Vec<Box<RawValue>> = document.read_json()?;
    let tests: Result<Vec<String>, String> = tests.iter().map(|test| blanked(test.get())).collect();
    Ok(format!("[\n{}\n]", tests?.join(",\n")))
}

fn blanked(text: &str) -> Result<String, String> {
    let recorded = json::parse(text.as_bytes()).map_err(|error| error.to_string())?;
    let mut test = recorded.clone();
    let path = test.lookup(&["request", "path"]).and_then(Value::as_str).unwrap_or_default().to_owned();
    let blank = |answer: &mut Value| {
        if let Some(body) = answer.get_mut("body") {
            prose::blank(&path, body);
        }
    };
    if let Some(answer) = test.get_mut("response") {
        blank(answer);
    }
    if let Some(answers) = test.get_mut("alternatives").and_then(Value::as_array_mut) {
        answers.as_mut_slice().iter_mut().for_each(blank);
    }
    Ok(if test == recorded { text.to_owned() } else { json::to_string_plain(&test) })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn definitions_of_other_projects_are_left_out() {
        let documents = vec![
            Document::of("own-a.json", "{\n \"crd\": {},\n \"cases\": [{\"obj\": 1e400}]\n}\n"),
            Document::of("real-b.json", r#"{"crdFile": "b.yaml", "cases": []}"#),
        ];
        let pack = Pack { name: "crd", recorded: "crd", content: Content::Definitions };
        let text = pack.text(&Recorded { documents, is_blanked: false }).expect("well formed");
        expect![[r#"
            {"suite":"crd"}
            {"file":"own-a.json","content":{
             "crd": {},
             "cases": [{"obj": 1e400}]
            }}
        "#]]
        .assert_eq(&String::from_utf8_lossy(&text));
    }

    #[test]
    fn only_tests_with_prose_are_spelled_anew() {
        let plain = r#"{"request": {"path": "/version"}, "response": {"body": {"description": "kept", "n": 1.0}}}"#;
        assert_eq!(blanked(plain).as_deref(), Ok(plain));
        let table = r#"{"kind":"Table","columnDefinitions":[{"description":"Long."}]}"#;
        let blank = r#"{"columnDefinitions":[{"description":""}],"kind":"Table"}"#;
        let test = |body: &str| {
            format!(
                r#"{{"alternatives":[{{"body":{body}}}],"request":{{"path":"/api/v1/pods"}},"response":{{"body":{body}}}}}"#
            )
        };
        assert_eq!(blanked(&test(table)), Ok(test(blank)));
    }
}
