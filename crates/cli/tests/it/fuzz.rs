//! Random types and objects for `sprag check` and `sprag validate --types`: mostly valid, and whatever they are, there is a verdict.
//! `SPRAG_FULL=1` runs a hundred times as many.

use std::fmt::Write as _;

use crate::run::sprag_in;
use crate::scratch::Scratch;

const CASES: u64 = 40;
const TAGS: [&str; 9] = [
    "+k8s:optional",
    "+k8s:required",
    "+k8s:maxLength=3",
    "+k8s:maxItems=2",
    "+k8s:minimum=0",
    "+k8s:eachVal=+k8s:maxLength=2",
    "+k8s:immutable",
    "+k8s:format=k8s-short-name",
    "+k8s:no-such-tag",
];
/// Types of fields with values that fit, and the tags of the list above that make sense.
const FIELDS: [(&str, &str, &[usize]); 6] = [
    ("Option<String>", r#""a""#, &[0, 1, 2, 6, 7]),
    ("String", r#""abcd""#, &[2, 6, 7]),
    ("i64", "7", &[4, 6]),
    ("Vec<String>", r#"["a", "b"]"#, &[0, 3, 5]),
    ("BTreeMap<String, String>", r#"{"k": "v"}"#, &[0, 5]),
    ("Option<bool>", "true", &[0, 1]),
];
const ODD: [&str; 8] = ["null", "-1", r#""\u001b[2J""#, "[[]]", r#"{"a": {}}"#, "1e999", r#""\ud800""#, "{"];

struct Source(u64);

impl Source {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Source of a type and an object of it.
    fn case(&mut self) -> (String, String) {
        let mut types = String::from("use std::collections::BTreeMap;\n\npub struct Widget {\n");
        let mut members = vec![r#""kind": "Widget""#.to_owned()];
        for number in 0..=self.below(4) {
            let (ty, value, fitting) = FIELDS[self.below(FIELDS.len())];
            let tag = if self.chance(5) { self.below(TAGS.len()) } else { fitting[self.below(fitting.len())] };
            let _ = write!(types, "    /// {}\n    pub field{number}: {ty},\n", TAGS[tag]);
            let value = if self.chance(10) { ODD[self.below(ODD.len())] } else { value };
            if !self.chance(15) {
                members.push(format!(r#""field{number}": {value}"#));
            }
        }
        types += "}\n";
        (self.damaged(types), self.damaged(format!("{{{}}}", members.join(", "))))
    }

    /// The text, with a character changed in one of ten cases.
    fn damaged(&mut self, text: String) -> String {
        if !self.chance(10) {
            return text;
        }
        let at = self.below(text.len());
        let odd = ["\u{1b}", "\"", "{", "\u{0}", "é", "\n"][self.below(6)];
        text.char_indices()
            .map(|(place, letter)| if place == at { odd.to_owned() } else { letter.to_string() })
            .collect()
    }
}

#[test]
fn check_has_a_verdict_on_everything() {
    let scratch = Scratch::new("fuzz-check");
    let cases = if std::env::var_os("SPRAG_FULL").is_some() { 100 * CASES } else { CASES };
    let mut judged = 0;
    for seed in 1..=cases {
        let mut source = Source(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (types, object) = source.case();
        let (_, old) = source.case();
        scratch.write("widget.rs", &types);
        scratch.write("old.json", &old);
        let mut args = vec!["check", "--types", "widget.rs", "--type", "Widget", "-f", "-"];
        args.extend(if source.chance(50) { &["--output", "json"][..] } else { &[] });
        args.extend(if source.chance(30) { &["--old", "old.json"][..] } else { &[] });
        let run = sprag_in(scratch.dir(), &args, &object);
        let shown = format!("seed {seed}\n{types}\n{object}\n{}\n{}", run.stdout, run.stderr);
        assert!(matches!(run.code, Some(0..=2)) && !run.stderr.contains("panicked"), "{shown}");
        let is_bad = |letter: char| letter.is_control() && letter != '\n';
        assert!(!run.stdout.contains(is_bad) && !run.stderr.contains(is_bad), "{shown:?}");
        judged += u64::from(run.stderr.is_empty() && run.code != Some(2));
    }
    assert!(judged * 3 > cases, "{judged} of {cases} came as far as the rules");
}
