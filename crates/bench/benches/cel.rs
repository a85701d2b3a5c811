//! One rule over ten items: compiling it, and running it on an object.

use std::sync::Arc;

use sprag_cel::{
    Checked, DeclField, DeclType, Declarations, Env, Limits, ListKind, Name, Program, Scratch, Type, TypeProvider, Val,
    Variable,
};
use sprag_value::Value;

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

const RULE: &str = "self.replicas <= self.maxReplicas && self.items.all(i, i.name.size() < 64)";

/// The time cel-go takes for the same rule, alone and as the API server runs it.
const REFERENCE: [(&str, &str, &str); 3] = [
    ("eval, plain", "4.96 µs", "cel-go alone"),
    ("eval, API server", "45.3 µs", "with conversion and cost tracking"),
    ("compile_and_check", "960 µs", "257 KB"),
];

fn main() {
    sprag_bench::print_reference("cel-go 0.29", &REFERENCE);
    divan::main();
}

struct Types(DeclType, DeclType);

impl TypeProvider for Types {
    fn object(&self, name: &str) -> Option<&DeclType> {
        match name {
            "self" => Some(&self.0),
            "item" => Some(&self.1),
            _ => None,
        }
    }

    fn sizes(&self) -> Option<&DeclType> {
        Some(&self.0)
    }
}

fn types() -> Types {
    let field = |name: &str, ty: DeclType| DeclField { name: name.into(), key: name.into(), ty: Arc::new(ty) };
    let item = DeclType::object(Name::from("item"), vec![field("name", DeclType::scalar(Type::String, 64))], 1);
    let list = DeclType::list(Arc::new(item.clone()), 10, ListKind::Atomic);
    let int = || DeclType::scalar(Type::Int, 1);
    let fields = vec![field("replicas", int()), field("maxReplicas", int()), field("items", list)];
    Types(DeclType::object(Name::from("self"), fields, 1), item)
}

fn compile(types: &Types) -> Checked {
    let variables = [Variable::new("self", Type::Object(Name::from("self")))];
    Env::kubernetes(37)
        .compile(RULE, Declarations { variables: &variables, types, container: "" })
        .expect("it compiles")
}

fn object() -> Value {
    let items: Vec<Value> = (0..10).map(|at| Value::from_iter([("name", format!("item-{at}"))])).collect();
    let mut object = Value::from_iter([("replicas", 3_i64), ("maxReplicas", 5)]);
    object.insert("items", items);
    object
}

#[divan::bench(min_time = 1)]
fn compile_and_check(bencher: divan::Bencher<'_, '_>) {
    let types = types();
    compile(&types);
    bencher.bench(|| compile(&types));
}

#[divan::bench(min_time = 1)]
fn make_program(bencher: divan::Bencher<'_, '_>) {
    let checked = compile(&types());
    bencher.bench(|| Program::new(&checked));
}

#[divan::bench(min_time = 1)]
fn estimate_cost(bencher: divan::Bencher<'_, '_>) {
    let types = types();
    let checked = compile(&types);
    bencher.bench(|| checked.cost(&types));
}

#[divan::bench(min_time = 1)]
fn eval(bencher: divan::Bencher<'_, '_>) {
    let types = types();
    let program = Program::new(&compile(&types)).expect("it runs");
    let object = object();
    let scratch = Scratch::default();
    let value = scratch.cx().read(&object, &types.0).expect("it is an object");
    let variables = [value];
    bencher.bench_local(|| {
        let evaluation = program.eval(divan::black_box(&variables), &scratch, Limits::PER_CALL);
        assert_eq!(evaluation.cost, 78);
        matches!(evaluation.outcome, Ok(Val::Bool(true)))
    });
}
