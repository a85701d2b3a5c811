use sprag_value::json;

use super::*;

const OBJECT: &str =
    r#"{"a":{"b":"x","c.d":2,"n":null},"l":[{"t":"A","s":"1","n":1},{"t":"B","s":"2","n":5},{"t":"C"}],"m":[[1],[2]]}"#;

#[track_caller]
fn check(path: &str, expected: &str) {
    let object = json::parse(OBJECT.as_bytes()).unwrap();
    let path = JsonPath::parse(path).unwrap();
    let found = path.first(&object).map_or_else(|| "none".to_owned(), |value| json::to_string(&value));
    assert_eq!(found, expected);
}

#[test]
fn members_lead_to_values() {
    check(".a.b", r#""x""#);
    check("$.a.b", r#""x""#);
    check("['a'].b", r#""x""#);
    check(r".a.c\.d", "2");
    check(".a['c\\.d']", "2");
    check(".a.n", "null");
    check(".a.missing.b", "none");
    check(".a.b.c", "none");
    check(".a.*", r#""x""#);
    check("..t", r#""A""#);
}

#[test]
fn elements_are_picked_by_index_and_slice() {
    check(".l[0].t", r#""A""#);
    check(".l[-1].t", r#""C""#);
    check(".l[-2:].t", r#""B""#);
    check(".l[1:2].t", r#""B""#);
    check(".l[::2].t", r#""A""#);
    check(".l[*].t", r#""A""#);
    check(".l[1,0].t", r#""B""#);
    check(".l[3].t", "none");
    check(".a[0]", "none");
    check(".l[0:0]", "none");
    check(".m[1][0]", "2");
}

#[test]
fn filters_compare_scalars_of_one_kind() {
    check(r#".l[?(@.t=="B")].s"#, r#""2""#);
    check(".l[?(@.t=='C')].s", "none");
    check(".l[?(@.n>1)].t", r#""B""#);
    check(".l[?(@.n >= 1)].t", r#""A""#);
    check(".l[?(@.n!=1)].t", r#""B""#);
    check(".l[?(@.s)].t", r#""A""#);
    check(".l[?(@.n=='1')].t", "none");
    check(".l[?(@.t==')')].t", "none");
    check(".a[?(@.t=='B')].s", "none");
    check(".l[?(@.t=!'B')].s", "none");
}

#[test]
fn what_is_no_path_is_refused() {
    for text in [
        ".l[",
        ".l[x]",
        ".l[?(@.t=='B'].s",
        ".l[?(@.t",
        "....a",
        ".a 'b",
        ".l[?(@.t=~'B')].s",
        "..*",
        ".l[1:2:3:4]",
        "#",
        ".l[--1]",
        "+",
    ] {
        assert!(JsonPath::parse(text).is_err(), "{text}");
    }
}

#[test]
fn descents_that_multiply_are_given_up() {
    let mut object = Value::object();
    for _ in 0..60 {
        object = Value::from_iter([("a", object.clone()), ("b", Value::Int(1))]);
    }
    let path = JsonPath::parse(&"...*".repeat(6)).unwrap();
    assert!(path.first(&object).is_none());
}
