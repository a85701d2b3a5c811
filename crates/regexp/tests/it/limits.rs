//! Every limit, at its edge and one past it.

use sprag_regexp::{Capturing, Fault, MAX_DEPTH, MAX_PATTERN_LEN, Regexp};

fn fault(pattern: &str) -> Option<Fault> {
    Regexp::new(pattern).err().map(|error| error.fault)
}

fn nested(open: &str, core: &str, close: &str, times: usize) -> String {
    format!("{}{core}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn groups_nest_as_deep_as_in_go() {
    assert_eq!(fault(&nested("(", "a", ")", 999)), None);
    assert_eq!(fault(&nested("(", "a", ")", 1000)), Some(Fault::NestingDepth));
    assert_eq!(fault(&nested("(a", "", ")", 499)), None);
    assert_eq!(fault(&nested("(?:", "a", ")*", 999)), None);
    assert_eq!(fault(&nested("(?:", "a", ")*", 1000)), Some(Fault::NestingDepth));
    assert_eq!(fault(&nested("(?:", "a", ")", 5000)), None);
    let error = Regexp::new(&nested("(", "a", ")", 1000)).unwrap_err().to_string();
    assert!(error.starts_with("error parsing regexp: expression nests too deeply: `((("), "{error}");
}

#[test]
fn mixed_operators_nest_less_deep() {
    let depth = usize::try_from(MAX_DEPTH).unwrap();
    // Each level is an alternation, a repetition and a concatenation; the core is one level more.
    let fits = nested("(?:x(?:", "y", ")*|z)", (depth - 1) / 3);
    assert_eq!(fault(&fits), None);
    let exceeds = nested("(?:x(?:", "y", ")*|z)", depth / 3 + 1);
    assert_eq!(fault(&exceeds), Some(Fault::NestingDepth));
    let groups = nested("(", "a", ")", depth);
    assert_eq!(Capturing::new(&groups).err().map(|error| error.fault), Some(Fault::NestingDepth));
    assert!(Capturing::new(&nested("(", "a", ")", depth - 1)).is_ok());
}

#[test]
fn an_open_group_is_missing_its_end_at_any_depth() {
    assert_eq!(fault(&"(".repeat(100_000)), Some(Fault::MissingParen));
}

#[test]
fn counts_stop_at_a_thousand() {
    assert_eq!(fault("a{1000}"), None);
    assert_eq!(fault("a{1001}"), Some(Fault::InvalidRepeatSize));
    assert_eq!(fault("(a{100}){10}"), None);
    assert_eq!(fault("(a{100}){11}"), Some(Fault::InvalidRepeatSize));
    assert_eq!(fault("((a{1000}){0}){1000}"), None);
}

#[test]
fn the_automaton_is_bounded() {
    assert_eq!(fault(&r"\pL{100}".repeat(4)), None);
    assert_eq!(fault(&r"\pL{100}".repeat(40)), Some(Fault::TooLarge));
    let error = Regexp::new(&".{1000}".repeat(1000)).unwrap_err();
    assert!(error.to_string().starts_with("error parsing regexp: expression too large: `.{1000}"));
}

#[test]
fn classes_are_bounded_before_they_are_built() {
    assert_eq!(fault(&format!("[{}]", r"\pL".repeat(1000))), None);
    assert_eq!(fault(&format!("[{}]", r"\pL".repeat(20_000))), Some(Fault::TooLarge));
    assert_eq!(fault(&r"(?i)[\x00-\x{10ffff}]".repeat(12_000)), Some(Fault::TooLarge));
}

#[test]
fn groups_times_states_are_bounded() {
    assert!(Capturing::new(&"(a)".repeat(300)).is_ok());
    let many = "(a)".repeat(20_000);
    assert_eq!(Capturing::new(&many).err().map(|error| error.fault), Some(Fault::TooLarge));
    assert_eq!(fault(&many), None);
}

#[test]
fn the_pattern_is_bounded() {
    assert_eq!(fault(&"a".repeat(MAX_PATTERN_LEN)), None);
    assert_eq!(fault(&"a".repeat(MAX_PATTERN_LEN + 1)), Some(Fault::TooLarge));
}

#[test]
fn classic_traps_take_linear_time() {
    let subject = "a".repeat(50_000);
    for pattern in ["(a*)*b", "(a|aa)+$b", "(a+)+b", "(.*)(.*)(.*)(.*)x", "(a?){500}a{500}b"] {
        assert!(!Regexp::new(pattern).unwrap().is_match(&subject), "{pattern}");
    }
}
