//! `cel-k8s.json`: what the API server says about expressions, and what they cost.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};
use sprag_cel::{Declarations, Env, Limits, NoTypes, Program, Scratch, Type, Val, Variable};
use sprag_value::Value;

use crate::shown::{show, type_name};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/cel-k8s.json");

#[test]
fn recorded_expressions_behave_as_in_kubernetes() {
    let Ok(text) = std::fs::read_to_string(FILE) else {
        eprintln!("skipped: shared/conformance/cel-k8s.json is missing");
        return;
    };
    let suite: Json = serde_json::from_str(&text).unwrap();
    let variables = Variables::new(&suite["variables"]);
    let cases = suite["cases"].as_array().unwrap();
    let mut report = String::new();
    let mut failed = 0;
    for case in cases {
        let actual = variables.run(case["expr"].as_str().unwrap());
        let mut expected = case.clone();
        let object = expected.as_object_mut().unwrap();
        object.remove("group");
        object.remove("expr");
        if !same(&expected, &actual) {
            failed += 1;
            writeln!(report, "{}\n  expected {expected}\n  actual   {actual}", case["expr"]).unwrap();
        }
    }
    eprintln!("cel-k8s: {} of {} cases pass", cases.len() - failed, cases.len());
    assert!(failed == 0, "{report}");
}

/// Whole doubles are recorded without a fraction.
fn same(expected: &Json, actual: &Json) -> bool {
    match (expected, actual) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64() && !(a.is_u64() && b.is_u64()),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => expected == actual,
    }
}

struct Variables {
    declared: Vec<Variable>,
    values: Vec<Value>,
}

impl Variables {
    fn new(recorded: &Json) -> Self {
        let (mut declared, mut values) = (Vec::new(), Vec::new());
        for (name, variable) in recorded.as_object().unwrap() {
            let ty = match variable["type"].as_str().unwrap() {
                "bool" => Type::Bool,
                "int" => Type::Int,
                "double" => Type::Double,
                "string" => Type::String,
                "list(int)" => Type::list(Type::Int),
                "list(string)" => Type::list(Type::String),
                "map(string, string)" => Type::map(Type::String, Type::String),
                "map(string, int)" => Type::map(Type::String, Type::Int),
                _ => Type::Dyn,
            };
            declared.push(Variable::new(name, ty));
            values.push(sprag_value::json::parse(variable["value"].to_string().as_bytes()).unwrap());
        }
        Self { declared, values }
    }

    fn run(&self, expr: &str) -> Json {
        let declarations = Declarations { variables: &self.declared, types: &NoTypes, container: "" };
        let checked = match Env::kubernetes(37).compile(expr, declarations) {
            Ok(checked) => checked,
            Err(issues) => return json!({"compileError": issues.to_string()}),
        };
        let cost = checked.cost(&NoTypes);
        let mut result = json!({
            "checkedType": type_name(&checked.result_type()),
            "estimatedMin": cost.min,
            "estimatedMax": cost.max,
        });
        match Program::new(&checked) {
            Ok(program) => self.eval(&program, &mut result),
            Err(error) => result["compileError"] = json!(format!("program: {error}")),
        }
        result
    }

    fn eval(&self, program: &Program, result: &mut Json) {
        let scratch = Scratch::default();
        let values: Vec<Val<'_>> = self.values.iter().map(Val::from).collect();
        let evaluation = program.eval(&values, &scratch, Limits::PER_CALL);
        result["actualCost"] = json!(evaluation.cost);
        match evaluation.outcome {
            Ok(value) => result["value"] = show(&scratch.cx(), value),
            Err(trap) => result["runtimeError"] = json!(trap.to_string()),
        }
    }
}
