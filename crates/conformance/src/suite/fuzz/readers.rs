//! Readers of texts, one target each: whatever comes, there is an answer, and what was read prints to something that reads
//! back the same.

#![expect(clippy::unnecessary_wraps, reason = "targets have one signature")]

use std::fmt::Write as _;
use std::sync::LazyLock;

use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch as CelScratch, Type, Val, Variable};
use sprag_decode::yaml;
use sprag_idl::{GoPackageInput, RustModuleInput, Sources, read_go, read_rust};
use sprag_regexp::Regexp;
use sprag_rest::selector::{FieldSelector, LabelSelector, Operator};
use sprag_rest::Definition;
use sprag_storage::testing::Scratch;
use sprag_storage::{Embedded, Key, Store as _, Write};
use sprag_value::{Duration, Quantity, Time, json};

use super::grammar;
use super::source::Source;

/// True if the text was accepted, or the error of the reader.
pub(super) type Outcome = Result<bool, String>;

/// The text, damaged in one of five cases.
fn maybe_damaged(source: &mut Source, text: String) -> Vec<u8> {
    if source.chance(20) { source.damage(text.as_bytes()) } else { text.into_bytes() }
}

pub(super) fn json_text(source: &mut Source) -> Outcome {
    let text = json::to_string(&grammar::value(source, 5));
    let text = maybe_damaged(source, text);
    json::fuzz::scan(&text);
    json::fuzz::read_and_print(&text);
    Ok(json::parse(&text).is_ok())
}

pub(super) fn yaml_text(source: &mut Source) -> Outcome {
    let value = grammar::value(source, 5);
    let text = yaml::to_string(&value);
    // Numbers print in ways that read back as another kind of number.
    let printed = |value: &sprag_value::Value| json::to_string(value);
    let back = yaml::decode(text.as_bytes()).map_err(|error| format!("{text:?} does not read back: {error}"))?;
    if printed(&back) != printed(&value) {
        return Err(format!("{text:?} reads back as {}, not {}", printed(&back), printed(&value)));
    }
    let damaged = maybe_damaged(source, text);
    let strict = yaml::decode_strict(&damaged).is_ok();
    Ok(yaml::decode(&damaged).is_ok() || strict)
}

pub(super) fn patch(source: &mut Source) -> Outcome {
    let members = ["a", "b", "list"].map(|name| (name, grammar::value(source, 3)));
    let object = sprag_value::Value::Object(members.into_iter().collect());
    let text = json::to_string(&object);
    let operations = grammar::json_patch(source, &object);
    let part = grammar::part(source, &object);
    let operations = maybe_damaged(source, json::to_string(&operations));
    let patched = sprag_patch::json_patch::apply(&text, &operations);
    if let Ok(patched) = &patched {
        json::parse(patched.as_bytes()).map_err(|error| format!("a patch yields {patched:?}: {error}"))?;
    }
    let part = maybe_damaged(source, json::to_string(&part));
    let merged = sprag_patch::merge_patch::apply(&text, &part);
    if let Ok(merged) = &merged {
        json::parse(merged.as_bytes()).map_err(|error| format!("a merge yields {merged:?}: {error}"))?;
    }
    Ok(patched.is_ok() || merged.is_ok())
}

pub(super) fn scalars(source: &mut Source) -> Outcome {
    let text = *source.pick(&["1.5Gi", "100m", "1e3", "2026-01-02T03:04:05Z", "1h2m3.5s", "-0.000001n", "12E"]);
    let text = maybe_damaged(source, text.to_owned());
    let text = String::from_utf8_lossy(&text).into_owned();
    let quantity = text.parse::<Quantity>();
    if let Ok(quantity) = &quantity {
        let again = quantity.to_string().parse::<Quantity>();
        let again = again.map_err(|error| format!("{text:?} prints as {quantity}, which is no quantity: {error}"))?;
        if again != *quantity {
            return Err(format!("{text:?} is {quantity}, then {again}"));
        }
    }
    let time = text.parse::<Time>().is_ok();
    let duration = text.parse::<Duration>().is_ok();
    Ok(quantity.is_ok() || time || duration)
}

pub(super) fn patterns(source: &mut Source) -> Outcome {
    let parts = ["a", "[a-z]", "(b|c)", "*", "+", "?", "{2,3}", "^", "$", ".", "\\d", "\\pL", "(?i)", "[[:alpha:]]", "|"];
    let pattern: String = (0..source.below(8)).map(|_| *source.pick(&parts)).collect();
    let pattern = maybe_damaged(source, pattern);
    let pattern = String::from_utf8_lossy(&pattern).into_owned();
    let Ok(compiled) = Regexp::new(&pattern) else { return Ok(false) };
    let text: String = (0..source.below(20)).map(|_| *source.pick(&["a", "b", "1", "ß", " "])).collect();
    compiled.is_match(&text);
    Ok(true)
}

pub(super) fn definitions(source: &mut Source) -> Outcome {
    let bytes: Vec<u8> = (0..source.below(200)).map(|_| u8::try_from(source.below(256)).unwrap_or(0)).collect();
    Ok(sprag_schema::accept::fuzz::definition(&bytes))
}

/// Objects of built-in kinds in protobuf: what was read is written and read again the same.
pub(super) fn protobuf(source: &mut Source) -> Outcome {
    static KINDS: LazyLock<Vec<Definition>> = LazyLock::new(sprag_kinds::definitions);
    let kind = source.pick(&KINDS);
    let Some((shapes, root)) = kind.scheme.shape("v1") else { return Ok(true) };
    let object = grammar::object(source, kind, "v1", "a");
    let Ok(message) = sprag_decode::protobuf::encode(shapes, root, &object) else { return Ok(false) };
    let message = if source.chance(30) { source.damage(&message) } else { message };
    let sealed = sprag_decode::protobuf::seal("v1", &kind.kind, &message);
    let sealed = if source.chance(10) { source.damage(&sealed) } else { sealed };
    let Ok(envelope) = sprag_decode::protobuf::open(&sealed) else { return Ok(false) };
    let Ok(read) = sprag_decode::protobuf::decode(shapes, root, envelope.message) else { return Ok(false) };
    let written = sprag_decode::protobuf::encode(shapes, root, &read)
        .map_err(|error| format!("{} cannot be written: {error}", json::to_string(&read)))?;
    let again = sprag_decode::protobuf::decode(shapes, root, &written)
        .map_err(|error| format!("{} does not read back: {error}", json::to_string(&read)))?;
    if json::to_string(&again) == json::to_string(&read) {
        return Ok(true);
    }
    Err(format!("{} reads back as {}", json::to_string(&read), json::to_string(&again)))
}

/// Selectors of labels and of fields.
pub(super) fn selectors(source: &mut Source) -> Outcome {
    let keys = ["app", "example.com/tier", "metadata.name", "a.b", "-"];
    let values = ["web", "a-b", "", "1", "x y"];
    let terms: Vec<String> = (0..source.below(4))
        .map(|_| {
            let key = source.pick(&keys);
            let value = source.pick(&values);
            match source.below(7) {
                0 => (*key).to_owned(),
                1 => format!("!{key}"),
                2 => format!("{key} in ({value},{})", source.pick(&values)),
                3 => format!("{key} notin ({value})"),
                4 => format!("{key}!={value}"),
                5 => format!("{key}>5"),
                _ => format!("{key}={value}"),
            }
        })
        .collect();
    let text = String::from_utf8_lossy(&maybe_damaged(source, terms.join(","))).into_owned();
    let labels = LabelSelector::parse(&text);
    if let Ok(labels) = &labels {
        // An object without labels has none that must be there.
        let bare = labels.matches(|_| None);
        let asked = labels.requirements();
        if bare && asked.iter().any(|requirement| requirement.operator == Operator::Exists) {
            return Err(format!("{text:?} selects an object without labels"));
        }
    }
    Ok(FieldSelector::parse(&text).is_ok() || labels.is_ok())
}

/// Expressions: what the checker accepts runs to an end within its budget.
pub(super) fn expressions(source: &mut Source) -> Outcome {
    let declarations = [Variable::new("n", Type::Int), Variable::new("t", Type::String)];
    let declarations = Declarations { variables: &declarations, types: &NoTypes, container: "" };
    let text = expression(source, 4);
    let text = String::from_utf8_lossy(&maybe_damaged(source, text)).into_owned();
    let Ok(checked) = Env::kubernetes(37).compile(&text, declarations) else { return Ok(false) };
    checked.cost(&NoTypes);
    let Ok(program) = Program::new(&checked) else { return Ok(false) };
    let scratch = CelScratch::default();
    let word = source.word();
    let values = [Val::Int(i64::try_from(source.below(100)).unwrap_or(0)), Val::String(&word)];
    let ran = program.eval(&values, &scratch, Limits::PER_CALL);
    Ok(ran.outcome.is_ok())
}

/// An expression whose type is mostly right.
fn expression(source: &mut Source, depth: usize) -> String {
    let number = |source: &mut Source| (*source.pick(&["n", "1", "t.size()", "-7", "n * 2", "[n, 1].sum()"])).to_owned();
    if depth == 0 {
        return format!("{} < {}", number(source), number(source));
    }
    let inner = expression(source, depth - 1);
    let other = number(source);
    match source.below(8) {
        0 => format!("({inner}) && n >= {other}"),
        1 => format!("({inner}) || t.startsWith('a')"),
        2 => format!("[1, 2, n].all(x, x > {other} || ({inner}))"),
        3 => format!("{{'a': n}}.exists(k, k == t) ? ({inner}) : true"),
        4 => format!("!({inner})"),
        5 => format!("t.matches('^[a-z]+$') == ({inner})"),
        6 => format!("[t].map(x, x + 'b').filter(x, {inner}).size() >= {other}"),
        _ => format!("quantity('1Gi').isGreaterThan(quantity('1')) && ({inner})"),
    }
}

const TAGS: [&str; 10] = [
    "+k8s:maxLength=3",
    "+k8s:optional",
    "+k8s:required",
    "+k8s:listType=map",
    "+k8s:listMapKey=name",
    "+k8s:eachVal=+k8s:minimum=1",
    "+k8s:item(type: \"Ready\")=+k8s:zeroOrOneOfMember",
    "+k8s:default=\"a\"",
    "+k8s:ifEnabled(Gate)=+k8s:immutable",
    "+k8s:unionMember(union: \"u\", memberName: \"m\")",
];

pub(super) fn go_source(source: &mut Source) -> Outcome {
    let types = ["string", "*int32", "[]string", "map[string]Other", "[]Other", "Other", "bool"];
    let mut text = String::from("// +k8s:validation-gen=*\npackage v1\n\ntype Widget struct {\n");
    for number in 0..source.below(5) {
        let tag = source.pick(&TAGS);
        let ty = source.pick(&types);
        let _ = write!(text, "\t// {tag}\n\tField{number} {ty} `json:\"field{number},omitempty\"`\n");
    }
    text += "}\n\ntype Other struct {\n\t// +k8s:maximum=3\n\tName string `json:\"name\"`\n}\n";
    let text = String::from_utf8_lossy(&maybe_damaged(source, text)).into_owned();
    let mut sources = Sources::default();
    let file = sources.add("types.go", text);
    let (_, findings) = read_go(GoPackageInput { path: "example.com/v1", files: &[file] }, &sources);
    Ok(findings.is_empty())
}

pub(super) fn rust_source(source: &mut Source) -> Outcome {
    let types = ["String", "Option<i32>", "Vec<String>", "BTreeMap<String, Other>", "Vec<Other>", "Other", "bool"];
    let mut text = String::from("use std::collections::BTreeMap;\n\n/// A widget.\npub struct Widget {\n");
    for number in 0..source.below(5) {
        let tag = source.pick(&TAGS);
        let ty = source.pick(&types);
        let _ = write!(text, "    /// {tag}\n    pub field_{number}: {ty},\n");
    }
    text += "}\n\npub struct Other {\n    /// +k8s:maximum=3\n    pub name: i64,\n}\n";
    let text = String::from_utf8_lossy(&maybe_damaged(source, text)).into_owned();
    let mut sources = Sources::default();
    let file = sources.add("widget.rs", text);
    let (_, findings) = read_rust(RustModuleInput { path: "widget", files: &[file] }, &sources);
    Ok(findings.is_empty())
}

/// A backup with a few bytes changed is read as it was or refused, and leaves nothing behind then.
pub(super) fn backups(source: &mut Source) -> Outcome {
    let scratch = Scratch::new("fuzz-backup").map_err(|error| error.to_string())?;
    let at = |name: &str| scratch.path().join(name);
    let store = Embedded::open(at("store")).map_err(|error| error.to_string())?;
    for number in 0..=source.below(4) {
        let key = Key::namespaced("", "things", "a", &number.to_string()).map_err(|error| error.to_string())?;
        let value = json::to_string(&grammar::value(source, 3)).into_bytes();
        store.write(Write::create(key, value.into())).wait().map_err(|error| error.to_string())?;
    }
    drop(store);
    let copied = Embedded::backup_folder(at("store"), at("copy")).map_err(|error| error.to_string())?;
    let whole = std::fs::read(at("copy")).map_err(|error| error.to_string())?;
    let read = if source.chance(50) { source.damage(&whole) } else { whole.clone() };
    std::fs::write(at("copy"), &read).map_err(|error| error.to_string())?;
    match Embedded::restore_folder(at("restored"), at("copy")) {
        Ok(restored) if restored == copied => Ok(true),
        Ok(restored) => Err(format!("{restored:?} was restored of {copied:?}")),
        Err(error) if read == whole => Err(format!("a whole copy is refused: {error}")),
        Err(_) if at("restored").exists() => Err("a refused copy leaves a folder behind".into()),
        Err(_) => Ok(false),
    }
}
