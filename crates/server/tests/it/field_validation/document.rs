//! Objects and patches with faults in them, as JSON and as YAML.

use std::fmt::Write as _;

/// A field that no type declares.
pub(super) const UNKNOWN: &str = "zebra";

/// The faults of a body.
#[expect(clippy::struct_excessive_bools, reason = "faults are there or not, each by itself")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Faults {
    /// An unknown field beside `metadata`.
    pub(super) root: bool,
    /// One inside `metadata`.
    pub(super) metadata: bool,
    /// One beside the field that is repeated.
    pub(super) nested: bool,
    /// A field is there twice.
    pub(super) duplicate: bool,
}

/// A kind to write, with one field that all of these tests change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    pub(super) kind: &'static str,
    pub(super) api_version: &'static str,
    pub(super) collection: &'static str,
    /// The member of the object that holds the field.
    pub(super) part: &'static str,
    pub(super) field: &'static str,
    pub(super) typed: bool,
    /// True if every field is fine anywhere but in the metadata.
    pub(super) open: bool,
}

/// The value of the field before, as it is sent, and as it is sent the second time.
pub(super) const VALUES: [&str; 3] = ["zero", "one", "two"];

/// A tree whose members have an order and may have the same name.
enum Node {
    Text(String),
    Members(Vec<(&'static str, Node)>),
}

impl Subject {
    /// An object with these faults.
    fn node(&self, name: &str, resource_version: &str, faults: Faults) -> Node {
        let text = |text: &str| Node::Text(text.to_owned());
        let unknown = |is_there: bool| is_there.then(|| (UNKNOWN, text("stripes")));
        let version = (!resource_version.is_empty()).then(|| ("resourceVersion", text(resource_version)));
        let metadata = [("name", text(name))].into_iter().chain(version).chain(unknown(faults.metadata));
        let fields = if faults.duplicate { &VALUES[1..] } else { &VALUES[1..2] };
        let part = fields.iter().map(|value| (self.field, text(value))).chain(unknown(faults.nested));
        let members = [("apiVersion", text(self.api_version)), ("kind", text(self.kind))]
            .into_iter()
            .chain(unknown(faults.root))
            .chain([("metadata", Node::Members(metadata.collect())), (self.part, Node::Members(part.collect()))]);
        Node::Members(members.collect())
    }

    pub(super) fn json(&self, name: &str, resource_version: &str, faults: Faults) -> String {
        let mut text = String::new();
        self.node(name, resource_version, faults).write_json(&mut text);
        text
    }

    pub(super) fn yaml(&self, name: &str, resource_version: &str, faults: Faults) -> String {
        let mut text = String::new();
        self.node(name, resource_version, faults).write_yaml(&mut text, 0);
        text
    }

    /// A JSON patch that leads to an object with these faults.
    pub(super) fn operations(&self, faults: Faults) -> String {
        let Subject { part, field, .. } = self;
        let [_, one, two] = VALUES;
        let value = if faults.duplicate {
            format!(r#"{{"{field}":"{one}","{field}":"{two}"}}"#)
        } else {
            format!(r#"{{"{field}":"{one}"}}"#)
        };
        let mut operations = vec![format!(r#"{{"op":"replace","path":"/{part}","value":{value}}}"#)];
        let places =
            [(faults.root, String::new()), (faults.metadata, "/metadata".into()), (faults.nested, format!("/{part}"))];
        for (_, place) in places.iter().filter(|(is_there, _)| *is_there) {
            operations.push(format!(r#"{{"op":"add","path":"{place}/{UNKNOWN}","value":"stripes"}}"#));
        }
        format!("[{}]", operations.join(","))
    }
}

impl Node {
    fn write_json(&self, out: &mut String) {
        match self {
            Node::Text(text) => write!(out, "\"{text}\"").unwrap(),
            Node::Members(members) => {
                for (index, (name, node)) in members.iter().enumerate() {
                    write!(out, "{}\"{name}\":", if index == 0 { '{' } else { ',' }).unwrap();
                    node.write_json(out);
                }
                out.push('}');
            }
        }
    }

    fn write_yaml(&self, out: &mut String, depth: usize) {
        let Node::Members(members) = self else { return };
        for (name, node) in members {
            write!(out, "{:indent$}{name}:", "", indent = depth * 2).unwrap();
            if let Node::Text(text) = node {
                write!(out, " \"{text}\"").unwrap();
            }
            out.push('\n');
            node.write_yaml(out, depth + 1);
        }
    }
}
