//! `patch`: the recorded PATCH requests to custom resources and config maps, answered by the write core without a server.

mod answer;
mod world;

use sprag_value::Value;

use self::answer::{Difference, compare};
use self::world::{Refusal, World};
use crate::args::Args;
use crate::recorded::Recorded;
use crate::report::Report;
use crate::suite::Suite;

pub(crate) const SUITE: Suite = Suite {
    name: "patch",
    about: "patches of custom resources and config maps, by the write core alone",
    recorded: "http",
    run,
};

const FILES: [&str; 3] = ["field-validation.json", "ratcheting.json", "registry.json"];

fn run(args: &Args, report: &mut Report) -> Result<(), String> {
    let recorded = Recorded::open(&args.path)?;
    for file in FILES {
        let tests: Vec<Value> = recorded.document(file)?.read()?;
        for test in tests.iter().filter(|test| is_patch(test)) {
            run_test(test, report);
        }
    }
    Ok(())
}

fn is_patch(test: &Value) -> bool {
    let text = |name: &str| test.lookup(&["request", name]).and_then(Value::as_str).unwrap_or_default();
    let method = text("method");
    let path = text("path");
    method == "PATCH" && (path.starts_with("/apis/example.com/") || path.contains("/configmaps/"))
}

fn run_test(test: &Value, report: &mut Report) {
    let name = test.get("name").and_then(Value::as_str).unwrap_or_default();
    let mut world = World::default();
    for step in test.get("setup").and_then(Value::as_array).into_iter().flatten() {
        if let Err(refusal) = world.send(step) {
            return match refusal {
                Refusal::NotHere(reason) => report.skip(reason),
                Refusal::ByServer(error) => report.fail(name, &format!("  setup: {error}\n")),
            };
        }
    }
    let answer = match world.send(test.get("request").unwrap_or(&Value::Null)) {
        Err(Refusal::NotHere(reason)) => return report.skip(reason),
        answer => answer,
    };
    match compare(test, &answer) {
        Difference::None => report.pass(),
        Difference::OnPurpose(reason) => report.diverge(reason),
        Difference::Found(text) => report.fail(name, &text),
    }
}
