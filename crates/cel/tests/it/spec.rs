//! The conformance tests of the language itself, as far as they need no protocol buffers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sprag_cel::value::Timestamp;
use sprag_cel::{Checked, Cx, Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};

use crate::shown::show;
use crate::textproto::{Message, Node, parse};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/cel-spec");

/// Libraries that Kubernetes does not enable.
const OTHER_LIBRARIES: &[&str] = &["bindings_ext", "block_ext", "encoders_ext", "math_ext", "network_ext"];

/// Where cel-go, which Kubernetes runs, does not follow the specification.
const DIVERGENCES: &[&str] = &[
    "fields/qualified_identifier_resolution/map_key_float",
    "fields/qualified_identifier_resolution/map_value_repeat_key",
    "fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous",
    // Kubernetes does not ask for errors where presence is tested on values without fields.
    "optionals/optionals/map_null_entry_no_such_key",
    "optionals/optionals/map_present_key_invalid_field",
    "type_deduction/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate",
    // Kubernetes declares a function of this name.
    "parse/receiver_function_names/namespace",
    // cel-go has changed its mind about positions after the end.
    "string_ext/value_errors/indexof_out_of_range",
    "string_ext/value_errors/lastindexof_out_of_range",
    // Kubernetes enables version 2 of the string library, which has no `reverse`.
    "string_ext/reverse/empty",
    "string_ext/reverse/single_character",
    "string_ext/reverse/multiple",
    // It also formats numbers for a locale, and parts of lists and maps as expressions.
    "string_ext/format/scientific notation formatting clause",
    "string_ext/format/default precision for fixed-point clause with int",
    "string_ext/format/default precision for fixed-point clause with uint",
    "string_ext/format/default precision for scientific notation",
    "string_ext/format/default precision for scientific notation with int",
    "string_ext/format/default precision for scientific notation with uint",
    "string_ext/format/NaN support for scientific notation",
    "string_ext/format/positive infinity support for scientific notation",
    "string_ext/format/negative infinity support for scientific notation",
    "string_ext/format/NaN support for decimal",
    "string_ext/format/positive infinity support for decimal",
    "string_ext/format/negative infinity support for decimal",
    "string_ext/format/positive infinity support for fixed-point",
    "string_ext/format/negative infinity support for fixed-point",
    "string_ext/format/list support for string",
    "string_ext/format/map support for string",
    "string_ext/format/map support (all key types)",
    "string_ext/format/dyntype support for scientific notation",
    "string_ext/format/dyntype NaN/infinity support",
    "string_ext/format/dyntype support for lists",
    "string_ext/format/dyntype support for maps",
    "string_ext/format/scientific notation formatting clause in a string variable",
];

#[test]
fn the_language_behaves_as_specified() {
    let Ok(folder) = std::fs::read_dir(FOLDER) else {
        eprintln!("skipped: shared/conformance/cel-spec is missing");
        return;
    };
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "textproto"));
    files.sort();
    let mut tally = Tally::default();
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if !OTHER_LIBRARIES.contains(&name) {
            run_file(name, &parse(&std::fs::read_to_string(&path).unwrap()), &mut tally);
        }
    }
    let Tally { passed, failed, skipped, diverging, .. } = tally;
    eprintln!("cel-spec: {passed} of {} cases pass, {diverging} diverge, {skipped} out of scope", passed + failed);
    assert!(tally.failed == 0, "{}", tally.report);
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
    diverging: usize,
    report: String,
}

fn run_file(file: &str, suite: &Message, tally: &mut Tally) {
    for section in suite.all("section").filter_map(Node::as_message) {
        for test in section.all("test").filter_map(Node::as_message) {
            let id = format!("{file}/{}/{}", section.text("name"), test.text("name"));
            if needs_protobuf(test) {
                tally.skipped += 1;
                continue;
            }
            match run(test) {
                result if DIVERGENCES.contains(&id.as_str()) => {
                    assert!(result.is_err(), "{id} diverges no more");
                    tally.diverging += 1;
                }
                Ok(()) => tally.passed += 1,
                Err(why) => {
                    tally.failed += 1;
                    writeln!(tally.report, "{id}: {}\n    {why}", test.text("expr")).unwrap();
                }
            }
        }
    }
}

/// Whether a test makes, reads or expects messages or their enums, or brings functions of its own.
fn needs_protobuf(test: &Message) -> bool {
    let expr = test.text("expr");
    let mut shown = String::new();
    collect_words(test, &mut shown);
    ["TestAllTypes", "GlobalEnum", "object_value", "enum_value", "message_type", "wrapper", "overload_id"]
        .iter()
        .any(|word| shown.contains(word))
        || expr.contains("google.protobuf") && expr.contains('{')
        || [
            "NullValue",
            "Int64Value",
            "Int32Value",
            "UInt64Value",
            "UInt32Value",
            "BoolValue",
            "StringValue",
            "BytesValue",
            "DoubleValue",
            "FloatValue",
        ]
        .iter()
        .any(|name| expr.contains(name))
}

/// All names and texts of a message.
fn collect_words(message: &Message, words: &mut String) {
    for (name, node) in &message.0 {
        write!(words, "{name} {} ", node.as_text()).unwrap();
        if let Node::Message(inner) = node {
            collect_words(inner, words);
        }
    }
}

fn run(test: &Message) -> Result<(), String> {
    let variables: Vec<Variable> = test
        .all("type_env")
        .filter_map(Node::as_message)
        .filter_map(|decl| Some(Variable::new(decl.text("name"), read_type(decl.message("ident")?.message("type")?))))
        .collect();
    let declarations = Declarations { variables: &variables, types: &NoTypes, container: test.text("container") };
    let env = if test.flag("disable_check") { Env::spec_unchecked() } else { Env::spec() };
    let wants_error = test.get("eval_error").is_some() || test.get("any_eval_errors").is_some();
    let checked = match env.compile(test.text("expr"), declarations) {
        Ok(checked) => checked,
        Err(_) if wants_error => return Ok(()),
        Err(issues) => return Err(issues.to_string()),
    };
    check_type(test, &checked)?;
    if test.flag("check_only") {
        return Ok(());
    }
    match Program::new(&checked) {
        Ok(program) => eval(test, &variables, &program, wants_error),
        Err(_) if wants_error => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn check_type(test: &Message, checked: &Checked) -> Result<(), String> {
    match test.message("typed_result").and_then(|result| result.message("deduced_type")).map(read_type) {
        Some(expected) if expected != checked.result_type() => {
            Err(format!("expected type {expected}, deduced {}", checked.result_type()))
        }
        _ => Ok(()),
    }
}

fn eval(test: &Message, variables: &[Variable], program: &Program, wants_error: bool) -> Result<(), String> {
    let bindings: BTreeMap<&str, &Message> = test
        .all("bindings")
        .filter_map(Node::as_message)
        .filter_map(|binding| Some((binding.text("key"), binding.message("value")?.message("value")?)))
        .collect();
    let scratch = Scratch::default();
    let cx = scratch.cx();
    let values: Vec<Val<'_>> = variables
        .iter()
        .map(|variable| bindings.get(&*variable.name).map_or(Val::Null, |value| read_value(&cx, value)))
        .collect();
    let limits = Limits { cost: u64::MAX, cancelled: None };
    match (program.eval(&values, &scratch, limits).outcome, wants_error) {
        (Err(_), true) => Ok(()),
        (Err(trap), false) => Err(trap.to_string()),
        (Ok(value), true) => Err(format!("expected an error, got {}", show(&cx, value))),
        (Ok(value), false) => compare(&cx, test, value),
    }
}

fn compare<'a>(cx: &Cx<'a>, test: &'a Message, value: Val<'a>) -> Result<(), String> {
    let result = test.message("typed_result").and_then(|result| result.message("result"));
    let expected = match test.message("value").or(result) {
        Some(expected) => show(cx, read_value(cx, expected)),
        None => show(cx, Val::Bool(true)),
    };
    let actual = show(cx, value);
    if expected == actual { Ok(()) } else { Err(format!("expected {expected}, got {actual}")) }
}

fn read_value<'a>(cx: &Cx<'a>, message: &Message) -> Val<'a> {
    let Some((name, node)) = message.0.first() else { return Val::Null };
    let text = node.as_text();
    match (name.as_str(), node) {
        ("int64_value", _) => Val::Int(text.parse().unwrap()),
        ("uint64_value", _) => Val::Uint(text.parse().unwrap()),
        ("double_value", _) => Val::Double(text.to_lowercase().replace("infinity", "inf").parse().unwrap()),
        ("bool_value", _) => Val::Bool(text == "true"),
        ("string_value", _) => cx.string(text).unwrap(),
        ("bytes_value", Node::Bytes(bytes)) => Val::Bytes(cx.bytes(bytes).unwrap()),
        ("type_value", _) => Val::Type(cx.str(text).unwrap()),
        ("list_value", Node::Message(list)) => {
            let elements: Vec<Val<'a>> =
                list.all("values").filter_map(Node::as_message).map(|value| read_value(cx, value)).collect();
            cx.list(&elements).unwrap()
        }
        ("map_value", Node::Message(map)) => {
            let entries = map.all("entries").filter_map(Node::as_message);
            let pair = |entry: &Message| {
                let part = |name| read_value(cx, entry.message(name).unwrap());
                (part("key"), part("value"))
            };
            cx.map(entries.map(pair).collect()).unwrap()
        }
        ("object_value", Node::Message(object)) => read_time(object),
        _ => Val::Null,
    }
}

fn read_time<'a>(object: &Message) -> Val<'a> {
    let (url, node) = &object.0[0];
    let number = |name| node.as_message().unwrap().text(name).parse::<i64>().unwrap_or(0);
    if url.contains("Duration") {
        Val::Duration(number("seconds") * 1_000_000_000 + number("nanos"))
    } else {
        Val::Timestamp(Timestamp::utc(number("seconds"), u32::try_from(number("nanos")).unwrap()))
    }
}

fn read_type(message: &Message) -> Type {
    let Some((name, node)) = message.0.first() else { return Type::Dyn };
    match (name.as_str(), node) {
        ("primitive", _) => match node.as_text() {
            "BOOL" => Type::Bool,
            "INT64" => Type::Int,
            "UINT64" => Type::Uint,
            "DOUBLE" => Type::Double,
            "STRING" => Type::String,
            _ => Type::Bytes,
        },
        ("null", _) => Type::Null,
        ("well_known", _) => match node.as_text() {
            "TIMESTAMP" => Type::Timestamp,
            "DURATION" => Type::Duration,
            _ => Type::Dyn,
        },
        ("list_type", Node::Message(list)) => Type::list(list.message("elem_type").map_or(Type::Dyn, read_type)),
        ("map_type", Node::Message(map)) => {
            let part = |name| map.message(name).map_or(Type::Dyn, read_type);
            Type::map(part("key_type"), part("value_type"))
        }
        ("type", Node::Message(inner)) => Type::Type(Some(std::sync::Arc::new(read_type(inner)))),
        ("abstract_type", Node::Message(inner)) => {
            let parameter = inner.message("parameter_types").map_or(Type::Dyn, read_type);
            Type::optional(parameter)
        }
        _ => Type::Dyn,
    }
}
