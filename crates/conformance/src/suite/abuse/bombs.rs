//! Small texts that mean much: nesting, aliases, copies, expressions, patterns, schemas and columns.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::errors::{definition, object};
use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[
    case!(nesting_in_every_body),
    case!(aliases),
    case!(copies_of_copies),
    case!(expressions),
    case!(patterns),
    case!(schemas),
    case!(columns),
];

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async fn nesting_in_every_body(arena: &Arena) -> Outcome {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
    arena.post(MAPS, &map).await?.expect(201)?;
    let mut client = arena.client().await?;
    let depth = arena.count(10_000, 200_000);
    let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let mut count = 0;
    for deep in [nested("[", "]"), nested(r#"{"a":"#, "}"), nested("[{\"a\":", "}]"), "[".repeat(depth)] {
        let whole = format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"y"}},"deep":{deep}}}"#);
        let fields = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"y","managedFields":[{{"fieldsV1":{deep}}}]}}}}"#
        );
        let operations = format!(r#"[{{"op":"add","path":"/data","value":{deep}}}]"#);
        for (method, path, content_type, body) in [
            ("POST", MAPS.to_owned(), "application/json", &whole),
            ("POST", MAPS.to_owned(), "application/yaml", &whole),
            ("POST", MAPS.to_owned(), "application/json", &fields),
            ("PUT", format!("{MAPS}/x"), "application/json", &whole),
            ("PATCH", format!("{MAPS}/x"), "application/merge-patch+json", &whole),
            ("PATCH", format!("{MAPS}/x"), "application/strategic-merge-patch+json", &whole),
            ("PATCH", format!("{MAPS}/x"), "application/json-patch+json", &operations),
            ("PATCH", format!("{MAPS}/x?fieldManager=m"), "application/apply-patch+yaml", &whole),
            ("DELETE", format!("{MAPS}/x"), "application/json", &whole),
            ("DELETE", MAPS.to_owned(), "application/yaml", &whole),
        ] {
            let answer = client.ask(method, &path, content_type, body.clone()).await?;
            answer.refused().map_err(|error| format!("{method} {content_type}: {error}"))?;
            count += 1;
        }
    }
    Ok(format!("{count} refused"))
}

async fn aliases(arena: &Arena) -> Outcome {
    let mut text = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\na0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..arena.count(12, 40) {
        let below = level - 1;
        let list = vec![format!("*a{below}"); 9].join(",");
        let _ = writeln!(text, "a{level}: &a{level} [{list}]");
    }
    let created = arena.ask("POST", MAPS, "application/yaml", text.clone()).await?.refused()?;
    let applied = arena.ask("PATCH", &format!("{MAPS}/x?fieldManager=m"), "application/apply-patch+yaml", text).await?;
    let merged = "a: &a\n  b: *a\n".to_owned();
    let own = arena.ask("POST", MAPS, "application/yaml", merged).await?.refused()?;
    Ok(format!("{}, {}, {}", created.code, applied.refused()?.code, own.code))
}

async fn copies_of_copies(arena: &Arena) -> Outcome {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "x".repeat(1000)}});
    arena.post(MAPS, &map).await?.expect(201)?;
    let mut operations = vec![json!({"op": "add", "path": "/l", "value": ["x".repeat(1000)]})];
    for level in 0..arena.count(40, 200) {
        operations.push(json!({"op": "copy", "from": "/l", "path": format!("/l/{level}")}));
        operations.push(json!({"op": "copy", "from": "/l", "path": "/m"}));
        operations.push(json!({"op": "copy", "from": "/m", "path": "/l/-"}));
    }
    let answer = arena.ask("PATCH", &format!("{MAPS}/x"), "application/json-patch+json", json!(operations).to_string()).await?;
    let many: Vec<Value> = (0..20_000).map(|_| json!({"op": "test", "path": "/kind", "value": "ConfigMap"})).collect();
    let tests = arena.ask("PATCH", &format!("{MAPS}/x"), "application/json-patch+json", json!(many).to_string()).await?;
    Ok(format!("{}, {}", answer.refused()?.code, tests.refused()?.code))
}

async fn expressions(arena: &Arena) -> Outcome {
    let deep = format!("{}self == ''{}", "(".repeat(500), ")".repeat(500));
    let long = vec!["self == 'a'"; 20_000].join(" || ");
    let costly = "self.all(a, self.all(b, self.all(c, self.all(d, a == b && c == d))))".to_owned();
    let texts = "self.matches(self) || (self + self + self + self).matches('(a*)*b')".to_owned();
    let mut codes = Vec::new();
    for (number, (rule, ty)) in [(deep, "string"), (long, "string"), (texts, "string"), (costly, "array")].into_iter().enumerate() {
        let mut spec = json!({"type": ty, "x-kubernetes-validations": [{"rule": rule}]});
        if ty == "array" {
            spec["items"] = json!({"type": "string"});
        }
        let answer = arena.post(DEFINITIONS, &definition(&format!("exprs{number}"), &format!("Expr{number}"), spec)).await?;
        codes.push(answer.refused()?.code.to_string());
    }
    Ok(codes.join(", "))
}

async fn patterns(arena: &Arena) -> Outcome {
    let mut codes = Vec::new();
    let long = "(a?){1000}".repeat(100);
    for (number, pattern) in ["(a{1000}){1000}", "((a{100}){100}){100}", "(a*)*(b*)*(c*)*$", "(x+x+)+y", long.as_str()].into_iter().enumerate() {
        let plural = format!("pats{number}");
        let spec = json!({"type": "string", "pattern": pattern});
        let defined = arena.post(DEFINITIONS, &definition(&plural, &format!("Pat{number}"), spec)).await?;
        if defined.code != 201 {
            codes.push(defined.refused()?.code.to_string());
            continue;
        }
        let text = "a".repeat(arena.count(50_000, 500_000));
        let body = object(&format!("Pat{number}"), json!(text));
        let answer = arena.post(&format!("/apis/abuse.dev/v1/namespaces/default/{plural}?dryRun=All"), &body).await?;
        if answer.code >= 500 {
            return Err(answer.text());
        }
        codes.push(format!("201 then {}", answer.code));
    }
    Ok(codes.join(", "))
}

async fn schemas(arena: &Arena) -> Outcome {
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let wide: serde_json::Map<String, Value> =
        (0..arena.count(5_000, 20_000)).map(|number| (format!("p{number}"), json!({"type": "string"}))).collect();
    let mut branches = json!({"type": "string"});
    for _ in 0..12 {
        branches = json!({"type": "object", "anyOf": [{"properties": {"a": branches.clone()}}, {"properties": {"a": branches}}]});
    }
    let mut codes = Vec::new();
    for (number, spec) in [deep, json!({"type": "object", "properties": wide}), branches].into_iter().enumerate() {
        let answer = arena.post(DEFINITIONS, &definition(&format!("schemas{number}"), &format!("Schema{number}"), spec)).await?;
        if answer.code >= 500 {
            return Err(answer.text());
        }
        codes.push(answer.code.to_string());
    }
    arena.get("/openapi/v3").await?.expect(200)?;
    arena.get("/openapi/v2").await?.expect(200)?;
    Ok(codes.join(", "))
}

async fn columns(arena: &Arena) -> Outcome {
    let mut codes = Vec::new();
    let deep = ".spec".to_owned() + &".a".repeat(10_000);
    let filters = ".spec".to_owned() + &"[?(@.a==1)]".repeat(2_000);
    let all = ".spec".to_owned() + &"[*]".repeat(50);
    let down = ".spec".to_owned() + &"..a".repeat(20);
    for (number, path) in [deep, filters, all, down].into_iter().enumerate() {
        let plural = format!("cols{number}");
        let mut crd = definition(&plural, &format!("Col{number}"), json!({"x-kubernetes-preserve-unknown-fields": true, "type": "object"}));
        crd["spec"]["versions"][0]["additionalPrinterColumns"] = json!([{"name": "c", "type": "string", "jsonPath": path}]);
        let defined = arena.post(DEFINITIONS, &crd).await?;
        if defined.code != 201 {
            codes.push(defined.refused()?.code.to_string());
            continue;
        }
        let mut nested = json!(1);
        for _ in 0..60 {
            nested = json!({"a": [nested.clone(), 1, 2]});
        }
        let body = object(&format!("Col{number}"), nested);
        let base = format!("/apis/abuse.dev/v1/namespaces/default/{plural}");
        arena.post(&base, &body).await?.expect(201)?;
        let mut client = arena.client().await?;
        let request = http::Request::get(&base)
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", client.token))
            .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
            .body(http_body_util::Full::default())
            .map_err(|error| error.to_string())?;
        let answer = client.send(request).await?;
        codes.push(format!("201 then {}", answer.expect(200)?.code));
    }
    Ok(codes.join(", "))
}
