//! JSON where YAML is expected: what clients really send to be applied, read at the cost of JSON.

use sprag_decode::json;
use sprag_value::Value;

/// Maximum nesting of a plain text, and maximum length of its keys; larger ones are left to YAML and its limits.
const MAX_LEVELS: usize = 64;
const MAX_KEY: usize = 512;

/// Reads an object whose text means the same as JSON and as YAML; nothing for all other texts.
pub(super) fn read_plain(text: &[u8]) -> Option<Value> {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b'\\';
    if !line.starts_with(b"{") || !line.iter().all(is_plain) {
        return None;
    }
    let decoded = json::decode_strict(line).ok().filter(|decoded| decoded.findings.is_empty())?;
    means_the_same(&decoded.value, MAX_LEVELS).then_some(decoded.value)
}

/// True if YAML has the same idea of a value: it spells fractions differently, merges keys and dislikes long ones.
fn means_the_same(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return false };
    match value {
        Value::Float(_) => false,
        Value::Array(elements) => elements.iter().all(|element| means_the_same(element, levels)),
        Value::Object(members) => members.iter().all(|(key, value)| {
            (1..=MAX_KEY).contains(&key.len()) && key.as_str() != "<<" && means_the_same(value, levels)
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use sprag_decode::yaml;

    use super::*;

    #[test]
    fn plain_texts_mean_the_same() {
        for text in [
            "{}",
            "{\"a\":1}\n",
            r##"{"a":-1,"b":[1, 2,"x: y",null],"c":{"d":true,"e":"#{}[]"}}"##,
            r#"{ "yes" : "no", "0x1": "1.5", "~":"~", "- a":"? b", "%":"---", "!t":"&a *b" }"#,
            r#"{"a":9223372036854775807,"b":-9223372036854775808,"c":0,"d":-0}"#,
            r#"{"a":"","b":[],"c":[[],{}],":":",","'":"''"}"#,
        ] {
            let decoded = yaml::decode_strict(text.as_bytes()).unwrap();
            assert_eq!(read_plain(text.as_bytes()), Some(decoded.value), "{text}");
            assert_eq!(decoded.findings, []);
        }
    }

    #[test]
    fn other_texts_are_left_to_yaml() {
        let long = format!(r#"{{"{}":1}}"#, "k".repeat(MAX_KEY + 1));
        let deep = format!("{}{}", r#"{"a":"#.repeat(MAX_LEVELS), "}".repeat(MAX_LEVELS));
        for text in [
            "",
            "a: 1",
            "[1]",
            "{a: 1}",
            "{\"a\":\n1}",
            "{\"a\":\t1}",
            r#"{"a":1.0}"#,
            r#"{"a":1e3}"#,
            r#"{"a":18446744073709551615}"#,
            r#"{"a":"\n"}"#,
            r#"{"a":"é"}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"<<":{"a":1}}"#,
            r#"{"":1}"#,
            r#"{"a":1} {}"#,
            &long,
            &deep,
        ] {
            assert_eq!(read_plain(text.as_bytes()), None, "{text}");
        }
    }
}
