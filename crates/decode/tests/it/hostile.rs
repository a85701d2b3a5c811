//! Input that is made to hurt: it ends soon, with little memory and a clear text.

use sprag_decode::{Format, json, locate, object, stream, yaml};
use sprag_value::MAX_DEPTH;

#[track_caller]
fn refused(text: &str, want: &str) {
    assert_eq!(yaml::decode(text.as_bytes()).unwrap_err().to_string(), want);
}

#[test]
fn nesting_is_read_up_to_the_limit_and_not_beyond() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(json::decode(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert!(yaml::decode(nested(MAX_DEPTH).as_bytes()).is_ok());
    refused(&nested(MAX_DEPTH + 1), "yaml: exceeded max depth of 512");
    let error = json::decode(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "invalid character '[' exceeded max depth");
}

#[test]
fn keys_are_read_up_to_the_limit_and_not_beyond() {
    for letter in ["a", "ä"] {
        let longest = letter.repeat(1024);
        let longer = letter.repeat(1025);
        let value = yaml::decode(format!("b: 1\n{longest}: 2\n").as_bytes()).unwrap();
        assert_eq!(value.get(&longest), Some(&2.into()));
        refused(&format!("{longer}: 1\n"), "yaml: mapping values are not allowed in this context");
        refused(&format!("b: 1\n{longer}: 2\n"), "yaml: line 2: could not find expected ':'");
    }
}

#[test]
fn every_way_to_nest_deeply_ends() {
    let deep = 100_000;
    let texts = [
        "[".repeat(deep),
        "{a: ".repeat(deep),
        "- ".repeat(deep),
        "? ".repeat(deep),
        "{? ".repeat(deep),
        "[? ".repeat(deep),
        (0..2_000).flat_map(|depth| [" ".repeat(depth), "a:\n".to_owned()]).collect(),
    ];
    for text in texts {
        assert!(yaml::decode(text.as_bytes()).is_err(), "{}", &text[..20]);
        assert!(json::decode(text.as_bytes()).is_err());
        assert!(object::decode(Format::Yaml, text.as_bytes()).is_err());
        assert!(stream::documents(text.as_bytes()).all(|document| document.is_err()));
        assert_eq!(locate::locate(Format::Yaml, text.as_bytes(), "a.b"), None);
    }
}

#[test]
fn aliases_that_multiply_are_stopped() {
    let levels: String = (1..30)
        .map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")))
        .collect();
    refused(&format!("a0: &a0 x\n{levels}"), "yaml: document contains excessive aliasing");
    let merges: String = (1..30)
        .map(|level| format!("m{level}: &m{level}\n  <<: [{}]\n", vec![format!("*m{}", level - 1); 9].join(", ")))
        .collect();
    refused(&format!("m0: &m0 {{k: v}}\n{merges}"), "yaml: document contains excessive aliasing");
}

#[test]
fn aliases_that_nest_are_stopped() {
    // Enough that is not an alias, so that the ratio is not what stops them.
    let ballast = format!("- [{}]\n", "x, ".repeat(20_000));
    let levels: String = (1..2_000).map(|level| format!("- &a{level} [*a{}]\n", level - 1)).collect();
    refused(&format!("{ballast}- &a0 x\n{levels}"), "yaml: exceeded max depth of 512");
    let merges: String = (1..2_000).map(|level| format!("- &a{level} {{<<: *a{}}}\n", level - 1)).collect();
    refused(&format!("{ballast}- &a0 {{k: v}}\n{merges}"), "yaml: exceeded max depth of 512");
    refused("a: &a [*a]", "yaml: anchor 'a' value contains itself");
    refused("&a {<<: *a}", "yaml: anchor 'a' value contains itself");
}

#[test]
fn texts_have_a_limit() {
    let large = vec![b' '; yaml::MAX_INPUT_BYTES + 1];
    assert_eq!(yaml::decode(&large).unwrap_err().to_string(), "input larger than 67108864 bytes");
}

#[test]
fn long_keys_and_many_duplicates_cost_little() {
    let key = "k".repeat(1 << 20);
    assert!(yaml::decode(format!("\"{key}\": 1").as_bytes()).is_err(), "a key that long needs a question mark");
    assert!(yaml::decode(format!("? {key}\n: 1").as_bytes()).is_ok());
    let repeated = format!("{{\"{key}\": {{{}}}}}", "\"a\":1,".repeat(20_000) + "\"b\":1,\"b\":2");
    let findings = json::decode_strict(repeated.as_bytes()).unwrap().findings;
    assert!(findings.len() <= json::MAX_FINDINGS);
    let many: String = (0..50_000).map(|at| format!("\"k{at}\":1,\"k{at}\":2,")).collect();
    let findings = json::decode_strict(format!("{{{many}\"z\":1}}").as_bytes()).unwrap().findings;
    assert_eq!(findings.len(), json::MAX_FINDINGS);
    assert_eq!(findings[99].to_string(), "duplicate field \"k99\"");
}

#[test]
fn streams_of_many_documents_take_time_in_proportion() {
    let count = |text: &[u8]| stream::documents(text).count();
    assert_eq!(count(&b"{}\n".repeat(200_000)), 200_000);
    assert_eq!(count(&[b"{\"a\":\"\xFF\"}".repeat(20_000).as_slice(), b"{}"].concat()), 20_001);
    assert_eq!(count(&b"---x\n".repeat(200_000)), 200_000);
    assert_eq!(count(&b"a: 1\n---\n".repeat(50_000)), 50_000);
}

#[test]
fn paths_that_fit_in_many_ways_end() {
    let keys: String = (1..200).map(|length| format!("{}: {{}}\n", vec!["a"; length].join("."))).collect();
    let path = vec!["a"; 300].join(".");
    assert!(!locate::locate(Format::Yaml, keys.as_bytes(), &path).unwrap().exact);
}
