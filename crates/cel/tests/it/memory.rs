//! Peak memory of hostile expressions, each measured in a process of its own.

use std::process::Command;

use crate::hostile::run;

/// More than an expression may take, from its text to its value.
const LIMIT_KB: u64 = 64 << 10;

/// The expression to measure, by its place in the list, for the child.
const CHOICE: &str = "SPRAG_HOSTILE_EXPRESSION";

const LONGEST: usize = sprag_cel::syntax::MAX_CODE_POINTS;

/// Expressions that ask for as much as they can. `x.text` has 1000 characters.
fn hostile() -> Vec<String> {
    let fill = |start: &str, part: &str, end: &str| {
        let count = (LONGEST - start.len() - end.len()) / part.len();
        format!("{start}{}{end}", part.repeat(count))
    };
    let grown = "x.text.replace('a', x.text)";
    let doubled = format!("[[1, 2, 3, 4]]{}", ".map(v, v + v)".repeat(19));
    vec![
        "(".repeat(LONGEST),
        "[".repeat(LONGEST),
        "-".repeat(LONGEST),
        fill("x", ".a", ""),
        fill("1", " + 1", ""),
        fill("true", " && true", ""),
        fill("true", " ? true : true", ""),
        fill("[1", ",1", "]"),
        fill("{1:1", ",1:1", "}"),
        fill("x.f(1", ",1", ")"),
        fill("[", "[],", "[]]"),
        fill("'", "\\n", "'"),
        fill("optional.of(1)", ".optMap(v, v)", ""),
        fill("[1]", ".map(v, v)", ""),
        format!("[1]{}", ".map(v, [v, v])".repeat(200)),
        format!("[1]{}", ".map(v, {v: v})".repeat(200)),
        format!("[[1, 2, 3, 4]]{}", ".map(v, v + v)".repeat(60)),
        format!("{}[0].sort().size()", doubled),
        format!("{}[0].reverse().sum()", doubled),
        format!("{}[0].slice(0, 2000000).flatten().size()", doubled),
        format!("{}[0].distinct() == {}[0].map(v, v)", doubled, doubled),
        format!("{grown}.replace('a', x.text).size()"),
        format!("{grown}.split('').size()"),
        format!("{grown}.split('').join({grown}).size()"),
        format!("{grown}.replace('', {grown}).size()"),
        format!("lists.range(1000).map(i, {grown}).size()"),
        format!("[{grown}].map(t, [t, t, t, t, t, t, t, t].join()).map(t, [t, t, t, t, t, t, t, t].join()).size()"),
        format!("bytes({grown}).size() + bytes({grown} + {grown}).size()"),
        format!("{grown}.findAll('.').size()"),
        format!("strings.quote({grown}).size()"),
        "'%.9999999f'.format([1.0])".to_owned(),
        "'%.2147483648e'.format([1.0])".to_owned(),
        "lists.range(1000000).map(i, [i, i, i]).size()".to_owned(),
        "lists.range(999980).sort().size()".to_owned(),
        "lists.range(999980).map(i, string(i)).distinct().size()".to_owned(),
        "lists.range(100000).transformMap(i, v, string(v)).size()".to_owned(),
        "[[1].flatten(9223372036854775807)].flatten(9223372036854775807)".to_owned(),
        "sets.contains(lists.range(999000), lists.range(999000))".to_owned(),
        "x.text.matches('((a{1,100}){1,100}){1,100}')".to_owned(),
        r"x.text.matches('(\\pL{500}){2}')".to_owned(),
        "lists.range(1000).all(i, x.text.matches('(a|b|c|d){100}' + string(i)))".to_owned(),
        "x.text.matches('(((((((((a*)*)*)*)*)*)*)*)*)*b')".to_owned(),
        "quantity('1e999999999').add(quantity('1e-999999999'))".to_owned(),
        "quantity('9223372036854775807').add(quantity('9223372036854775807')).asInteger()".to_owned(),
        "9223372036854775807 * 9223372036854775807".to_owned(),
        "timestamp('9999-12-31T23:59:59Z') + duration('2562047h')".to_owned(),
        "semver('99999999999999999999.0.0').major()".to_owned(),
    ]
}

#[test]
fn no_expression_takes_more_than_the_limit() {
    if let Ok(choice) = std::env::var(CHOICE) {
        return measure(&hostile().swap_remove(choice.parse().unwrap()));
    }
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: peak memory is only measured on Linux");
        return;
    }
    for (at, expr) in hostile().iter().enumerate() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "memory::no_expression_takes_more_than_the_limit", "--nocapture", "--test-threads", "1"])
            .env(CHOICE, at.to_string())
            .output()
            .unwrap();
        let shown: String = expr.chars().take(100).collect();
        assert!(child.status.success(), "{shown}: {}\n{}", child.status, String::from_utf8_lossy(&child.stderr));
    }
}

/// Runs an expression in a process of its own.
fn measure(expr: &str) {
    // Tables that are made once are not the expression's.
    let _ = run("'a'.matches('a') && [1].map(v, v) == [1]");
    let before = peak_kb();
    let _ = run(expr);
    let taken = peak_kb() - before;
    assert!(taken < LIMIT_KB, "took {} MB", taken >> 10);
}

/// The most memory that this process had at any time.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
