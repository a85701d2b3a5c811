//! Bodies for fuzzing: each takes any bytes and panics when a promise is broken.

use super::{Event, Scanner, parse, to_string, to_string_plain};
use crate::{MAX_DEPTH, Value};

/// Any bytes are read or refused without a panic; what is read prints to text that reads back the same.
pub fn read_and_print(bytes: &[u8]) {
    let Ok(value) = parse(bytes) else { return };
    let text = to_string(&value);
    let again = parse(text.as_bytes()).expect("printed text is JSON");
    assert_eq!(again, as_printed(&value));
    assert_eq!(parse(to_string_plain(&value).as_bytes()), Ok(again), "both escape modes mean the same");
}

/// The scanner ends after no more events than there are bytes, its spans move forward and its depth stays in bounds.
pub fn scan(bytes: &[u8]) {
    let Ok(mut scanner) = Scanner::new(bytes) else { return };
    let mut end = 0;
    for _ in 0..=bytes.len() {
        match scanner.next() {
            Ok(Event::End) | Err(_) => return,
            Ok(_) => {}
        }
        let span = scanner.span();
        assert!(span.start >= end && span.end > span.start && span.end <= bytes.len());
        assert!(scanner.depth() <= MAX_DEPTH);
        end = span.end;
    }
    unreachable!("more events than bytes");
}

/// Floats without a fraction print like integers and come back as such.
fn as_printed(value: &Value) -> Value {
    match value {
        Value::Float(number) => parse(to_string(&Value::Float(*number)).as_bytes()).expect("a number is JSON"),
        Value::Array(elements) => elements.iter().map(as_printed).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key, as_printed(value))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: [&str; 6] = [
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x/y":"z"}},"spec":{"containers":[{"name":"c"}]}}"#,
        "[0,-0,1.5,1e21,1e-7,9223372036854775807,9223372036854775808,-9223372036854775808,5e-324,1.7976931348623157e308]",
        "{\"\\ud83d\\ude00\\udead\":\"\u{2028}<&>\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\u{7f}\"}",
        "  [ true , false , null , { } , [ ] , \"\" ]  ",
        r#"{"a":{"a":{"a":[[[[]]]]}},"a":1,"b":2,"a":3}"#,
        "[\"é\u{10ffff}\",\"0123456789abcdef0123456789abcdef\"]",
    ];

    /// Bytes that matter to the grammar, and some that are never allowed.
    const SPICE: &[u8] = b"[]{}\",:\\u0e-. \x00\x1F\x80\xFF";

    /// A small generator, so that a failure repeats.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % limit as u64).unwrap()
        }
    }

    fn mutated(random: &mut Random) -> Vec<u8> {
        let mut bytes = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = SPICE[random.below(SPICE.len())],
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, SPICE[random.below(SPICE.len())]),
                _ => bytes.truncate(at + 1),
            }
            if bytes.is_empty() {
                break;
            }
        }
        bytes
    }

    #[test]
    fn seeds_hold() {
        for seed in SEEDS {
            assert!(parse(seed.as_bytes()).is_ok(), "{seed}");
            read_and_print(seed.as_bytes());
            scan(seed.as_bytes());
        }
    }

    #[test]
    fn mutations_of_seeds_hold() {
        let mut random = Random(0x5EED);
        for _ in 0..20_000 {
            let bytes = mutated(&mut random);
            read_and_print(&bytes);
            scan(&bytes);
        }
    }

    #[test]
    fn random_bytes_hold() {
        let mut random = Random(0xB17E5);
        for _ in 0..5_000 {
            let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256).to_le_bytes()[0]).collect();
            read_and_print(&bytes);
            scan(&bytes);
        }
    }
}
