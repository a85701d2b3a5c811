//! The cases out of scope: protocol buffer messages, and libraries that Kubernetes does not enable.

use sprag_cel::Env;
use sprag_cel::syntax::{Ast, Expr, ExprId};

use super::wire::is_time;
use crate::textproto::{Message, Node};

const MESSAGES: &str = "protocol buffer messages";
const FUNCTIONS: &str = "functions that only the test declares";
const LIBRARY: &str = "a library that Kubernetes does not enable";

/// Files about libraries whose functions have the names of other ones in Kubernetes.
const LIBRARY_FILES: &[&str] = &["network_ext"];

/// The namespaces of libraries that Kubernetes does not enable.
const LIBRARY_NAMESPACES: &[&str] = &["base64", "cel", "math", "proto"];

/// The packages of the suite's own messages and of the well-known ones.
const MESSAGE_PACKAGES: &[&str] = &["cel.expr.conformance", "google.protobuf"];

/// Types of those packages that are types of the language.
const LANGUAGE_TYPES: &[&str] = &["google.protobuf.Duration", "google.protobuf.Timestamp"];

/// Returns the reason why a test is out of scope, if it is.
pub(super) fn out_of_scope(file: &str, test: &Message) -> Option<&'static str> {
    let expr = test.text("expr");
    let ast = Env::spec().parse(expr).ok();
    let nodes = || ast.iter().flat_map(|ast| ast.exprs().iter().map(move |expr| (ast, expr)));
    let library = match &ast {
        // Macros of a library can be what keeps a text from being an expression.
        None => LIBRARY_NAMESPACES.iter().any(|namespace| expr.contains(&format!("{namespace}."))),
        Some(_) => nodes().any(|(ast, expr)| calls_other_library(ast, expr)),
    };
    if library || LIBRARY_FILES.contains(&file) {
        return Some(LIBRARY);
    }
    if test.messages("type_env").any(|declaration| declaration.get("function").is_some()) {
        return Some(FUNCTIONS);
    }
    let messages =
        is_package(test.text("container")) || holds_message(test) || nodes().any(|(ast, expr)| uses_message(ast, expr));
    messages.then_some(MESSAGES)
}

fn calls_other_library(ast: &Ast, expr: &Expr) -> bool {
    let Expr::Call { target: Some(target), .. } = expr else { return false };
    matches!(ast.expr(*target), Expr::Ident(name) if LIBRARY_NAMESPACES.contains(&name.as_str()))
}

/// Reports whether a node makes a message or names something of a message package.
fn uses_message(ast: &Ast, expr: &Expr) -> bool {
    match expr {
        Expr::Struct { .. } => true,
        Expr::Select { operand, field, .. } => {
            let name = dotted(ast, *operand).map(|name| format!("{name}.{field}"));
            name.is_some_and(|name| is_package(&name) && !leads_to_language_type(&name))
        }
        _ => false,
    }
}

/// `a.b.c` for nodes that can be a qualified name.
fn dotted(ast: &Ast, id: ExprId) -> Option<String> {
    match ast.expr(id) {
        Expr::Ident(name) => Some(name.trim_start_matches('.').to_owned()),
        Expr::Select { operand, field, test: false } => Some(format!("{}.{field}", dotted(ast, *operand)?)),
        _ => None,
    }
}

fn leads_to_language_type(name: &str) -> bool {
    LANGUAGE_TYPES.iter().any(|ty| ty.starts_with(name))
}

fn is_package(name: &str) -> bool {
    MESSAGE_PACKAGES.iter().any(|package| name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// Reports whether a value or type of the test is one of messages or enums.
fn holds_message(part: &Message) -> bool {
    part.0.iter().any(|(name, node)| match (name.as_str(), node) {
        ("message_type" | "enum_value" | "wrapper", _) => true,
        ("object_value", Node::Message(object)) => !is_time(object),
        (_, Node::Message(inner)) => holds_message(inner),
        _ => false,
    })
}
