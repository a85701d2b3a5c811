//! Random edits: the text stays the client's, and the last diagnostics are those of a text that is read anew.

use serde_json::{Value, json};

use crate::client::{Client, Folder};
use crate::diagnostics::{DEFINITION, widget};

/// Edits of one run.
const EDITS: usize = 2_000;

/// A generator of numbers, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

const PARTS: [&str; 24] = [
    "\n",
    "  ",
    "- ",
    "---\n",
    "a: 1",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\u{1F600}",
    "\u{6F22}",
    "\r\n",
    "\t",
    "size: 3",
    "spec:\n",
    "kind: Pod\n",
    "apiVersion: v1\n",
    "|\n",
    "&a ",
    "*a",
    "#",
];

/// The text as a client keeps it: in characters of UTF-16.
fn position(text: &[u16], offset: usize) -> Value {
    let before = String::from_utf16_lossy(&text[..offset]);
    let line = before.matches('\n').count();
    let last = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    json!({"line": line, "character": last})
}

/// True if a position may be here: neither in a pair of surrogates nor in a line end.
fn is_place(text: &[u16], offset: usize) -> bool {
    let is_low = |unit: u16| (0xDC00..0xE000).contains(&unit);
    let at = text.get(offset).copied().unwrap_or_default();
    let before = offset.checked_sub(1).and_then(|before| text.get(before)).copied().unwrap_or_default();
    !(is_low(at) || before == 13 && at == 10)
}

#[test]
fn random_edits_neither_crash_nor_desynchronise() {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\nspec:\n  containers:\n  - name: \u{1F600}\n    image: b\n";
    let start = format!("{}---\n{pod}---\n{DEFINITION}", widget("{size: 11}"));
    client.open(&uri, &start);
    let mut text: Vec<u16> = start.encode_utf16().collect();
    let mut random = Random(46);
    for count in 0..EDITS {
        let mut from = random.below(text.len() + 1);
        while !is_place(&text, from) {
            from -= 1;
        }
        let mut to = (from + random.below(12).saturating_sub(6)).min(text.len());
        while !is_place(&text, to) {
            to += 1;
        }
        let part = PARTS[random.below(PARTS.len())];
        let range = json!({"start": position(&text, from), "end": position(&text, to)});
        client.edit(&uri, json!([{"range": range, "text": part}]));
        text.splice(from..to, part.encode_utf16());
        match count % 50 {
            7 => _ = client.at("textDocument/hover", &uri, 3, 4),
            17 => _ = client.at("textDocument/completion", &uri, 5, 2),
            27 => _ = client.diagnostics(&uri),
            37 => _ = client.at("textDocument/definition", &uri, 4, 8),
            _ => {}
        }
        // Now and then the text is put right, so that most edits are of objects.
        if count % 100 == 99 && count + 1 < EDITS {
            text = start.encode_utf16().collect();
            client.replace(&uri, &start);
        }
    }
    let text = String::from_utf16(&text).unwrap();
    let last = client.shown(&uri);
    let mut other = Client::start(&folder);
    other.open(&uri, &text);
    assert_eq!(last, other.shown(&uri));
    client.stop();
}

#[test]
fn many_changes_in_one_message_are_made_in_order() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, "");
    let at = |line: u32, character: u32| json!({"line": line, "character": character});
    client.edit(
        &uri,
        json!([
            {"text": "kind: Pod\nmetadata: {name: X}\n"},
            {"range": {"start": at(0, 0), "end": at(0, 0)}, "text": "apiVersion: v1\n"},
            {"range": {"start": at(2, 17), "end": at(2, 18)}, "text": "\u{1F600}"},
        ]),
    );
    let found = client.shown(&uri);
    assert!(found.iter().any(|line| line.starts_with("2:17-2:19 error metadata.name")), "{found:?}");
}
