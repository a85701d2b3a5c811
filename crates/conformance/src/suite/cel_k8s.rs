//! `cel-k8s`: what the API server says about expressions, what they cost, and what it estimates they cost.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use sprag_cel::{Declarations, Encoding, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};
use sprag_cel::{Cx, DeclType};
use sprag_value::Value;

use crate::args::Args;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::shown;
use crate::suite::Suite;
use crate::wire::CelSuite;

pub(crate) const SUITE: Suite = Suite {
    name: "cel-k8s",
    about: "expressions in the environment of the API server: value, type, cost, estimate",
    recorded: "cel-k8s.json",
    run,
};

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let suite: CelSuite = Recorded::open(&args.path)?.only()?.read_json()?;
    let world = World::new(&suite)?;
    for case in &suite.cases {
        let actual = world.run(&case.expr);
        if shown::same(&case.expected, &actual) {
            report.pass();
        } else {
            report.fail(&case.expr, &diff(&case.expected, &actual));
        }
    }
    Ok(())
}

/// The members that differ.
fn diff(expected: &Json, actual: &Json) -> String {
    let null = Json::Null;
    let mut lines = String::new();
    let names: std::collections::BTreeSet<&String> =
        [expected, actual].into_iter().filter_map(Json::as_object).flat_map(serde_json::Map::keys).collect();
    for name in names {
        let want = expected.get(name).unwrap_or(&null);
        let got = actual.get(name).unwrap_or(&null);
        if !shown::same(want, got) {
            let _ = writeln!(lines, "  - {name}: {want}\n  + {name}: {got}");
        }
    }
    lines
}

/// The environment of the recording, and its variables.
struct World {
    env: &'static Env,
    declared: Vec<Variable>,
    types: Vec<DeclType>,
    values: Vec<Value>,
}

impl World {
    fn new(suite: &CelSuite) -> Result<World, String> {
        let minor = suite.kubernetes_version.split('.').nth(1).and_then(|minor| minor.parse().ok());
        let minor = minor.ok_or_else(|| format!("bad version {:?}", suite.kubernetes_version))?;
        let mut world =
            World { env: Env::kubernetes(minor), declared: Vec::new(), types: Vec::new(), values: Vec::new() };
        for (name, variable) in &suite.variables {
            let ty = read_type(&variable.ty)?;
            let value = sprag_value::json::parse(variable.value.to_string().as_bytes());
            world.values.push(value.map_err(|error| format!("variable {name}: {error}"))?);
            world.types.push(declared(&ty));
            world.declared.push(Variable::new(name, ty));
        }
        Ok(world)
    }

    fn run(&self, expr: &str) -> Json {
        let declarations = Declarations { variables: &self.declared, types: &NoTypes, container: "" };
        let checked = match self.env.compile(expr, declarations) {
            Ok(checked) => checked,
            Err(issues) => return json!({"compileError": issues.to_string()}),
        };
        let cost = checked.cost(&NoTypes);
        let mut answer = json!({
            "checkedType": shown::type_name(&checked.result_type()),
            "estimatedMin": cost.min,
            "estimatedMax": cost.max,
        });
        match Program::new(&checked) {
            Ok(program) => self.eval(&program, &mut answer),
            Err(error) => answer["compileError"] = json!(format!("program: {error}")),
        }
        answer
    }

    fn eval(&self, program: &Program, answer: &mut Json) {
        let scratch = Scratch::default();
        let cx = scratch.cx();
        let values: Result<Vec<Val<'_>>, String> =
            self.values.iter().zip(&self.types).map(|(value, ty)| bind(&cx, value, ty)).collect();
        let values = match values {
            Ok(values) => values,
            Err(error) => {
                answer["runtimeError"] = json!(error);
                return;
            }
        };
        let evaluation = program.eval(&values, &scratch, Limits::PER_CALL);
        answer["actualCost"] = json!(evaluation.cost);
        match evaluation.outcome.map(|value| shown::value(&cx, value)) {
            Ok(Ok(value)) => answer["value"] = value,
            Ok(Err(error)) => answer["runtimeError"] = json!(error),
            Err(trap) => answer["runtimeError"] = json!(trap.to_string()),
        }
    }
}

/// A variable's value. Lists and maps are handed over as they are, without a schema; scalars as their type reads them.
fn bind<'a>(cx: &Cx<'a>, value: &'a Value, ty: &'a DeclType) -> Result<Val<'a>, String> {
    match ty.ty {
        Type::List(_) | Type::Map(_) | Type::Dyn => Ok(Val::from(value)),
        Type::Uint => value.as_i64().and_then(|value| u64::try_from(value).ok()).map(Val::Uint).ok_or("bad uint".into()),
        _ => cx.read(value, ty).map_err(|trap| trap.to_string()),
    }
}

/// Returns the declared type of a scalar.
fn declared(ty: &Type) -> DeclType {
    let encoding = match ty {
        Type::Timestamp => Encoding::DateTime,
        Type::Duration => Encoding::Duration,
        Type::Bytes => Encoding::Base64,
        _ => Encoding::Plain,
    };
    DeclType::encoded(ty.clone(), encoding, u64::MAX)
}

/// Reads `list(map(string, int))`.
fn read_type(text: &str) -> Result<Type, String> {
    let text = text.trim();
    if let Some((name, inner)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        return match name {
            "list" => Ok(Type::list(read_type(inner)?)),
            "optional_type" => Ok(Type::optional(read_type(inner)?)),
            // Keys are scalars, so the first comma is the one between key and value.
            "map" => {
                let (key, value) = inner.split_once(',').ok_or_else(|| format!("bad type {text:?}"))?;
                Ok(Type::map(read_type(key)?, read_type(value)?))
            }
            _ => Err(format!("unknown type {text:?}")),
        };
    }
    let known = [
        Type::Dyn,
        Type::Null,
        Type::Bool,
        Type::Int,
        Type::Uint,
        Type::Double,
        Type::String,
        Type::Bytes,
        Type::Duration,
        Type::Timestamp,
    ];
    known
        .into_iter()
        .find(|ty| ty.name() == text || ty.to_string() == text)
        .ok_or_else(|| format!("unknown type {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_they_are_recorded() {
        for text in ["int", "list(map(string, list(double)))", "map(string, optional_type(bytes))", "dyn"] {
            assert_eq!(shown::type_name(&read_type(text).unwrap()), text);
        }
        assert_eq!(read_type("google.protobuf.Timestamp"), Ok(Type::Timestamp));
        assert_eq!(read_type("duration"), Ok(Type::Duration));
        for text in ["", "list(", "set(int)", "map(int)", "Foo"] {
            assert!(read_type(text).is_err(), "{text}");
        }
    }

    #[test]
    fn differences_name_the_member() {
        let want = json!({"actualCost": 1, "checkedType": "int"});
        let got = json!({"actualCost": 2, "checkedType": "int"});
        assert_eq!(diff(&want, &got), "  - actualCost: 1\n  + actualCost: 2\n");
        assert!(!shown::same(&want, &got));
    }
}
