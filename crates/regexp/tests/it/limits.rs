//! Every limit, at its edge and one past it.

use sprag_effort::{Effort, PATTERN_LIMIT, Stopped, charge_pattern, left};
use sprag_regexp::{Capturing, Fault, MAX_DEPTH, MAX_INSTRUCTIONS, MAX_PATTERN_LEN, Regexp};

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
fn programs_are_as_large_as_in_go() {
    let thousands = usize::try_from(MAX_INSTRUCTIONS / 1000).unwrap();
    assert_eq!(fault(&".{1000}".repeat(thousands)), None);
    let error = Regexp::new(&".{1000}".repeat(thousands + 1)).unwrap_err();
    assert!(error.to_string().starts_with("error parsing regexp: expression too large: `.{1000}"));
    assert_eq!(fault(&r"[\pL]{1,900}N".repeat(100)), None);
}

#[test]
fn the_automaton_with_groups_is_bounded() {
    let fault = |pattern: &str| Capturing::new(pattern).err().map(|error| error.fault);
    assert_eq!(fault(&r"\pL{100}".repeat(4)), None);
    assert_eq!(fault(&r"\pL{100}".repeat(40)), Some(Fault::TooLarge));
}

#[test]
fn work_is_asked_for() {
    let pattern = r"[\pL]{1,900}N";
    let text = "a".repeat(1000);
    let regexp = Regexp::new(pattern).unwrap();
    let work = |regexp: &Regexp, text: &str| {
        Effort::default().whole(|| {
            let before = left();
            assert_eq!(regexp.charged().is_match(text), Ok(false));
            before - left()
        })
    };
    let [short, long] = [&text[..100], &text].map(|text| work(&regexp, text));
    // All 900 copies of the class are looked at for each character but the first 900.
    assert!((20_000..60_000).contains(&short), "{short}");
    assert!((1_000_000..4_000_000).contains(&long), "{long}");
    // States of an automaton are work, too, and are kept.
    let small = Regexp::new("(a|b)*a(a|b){12}c").unwrap();
    let text = "abbabaaababbbabaabab".repeat(20);
    let [first, second] = [(), ()].map(|()| work(&small, &text));
    assert!(first > 5 * second, "{first} and {second}");
}

#[test]
fn searches_of_too_many_states_do_without_an_automaton() {
    let text: String =
        (1..30_000_u32).map(|n| if n.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect();
    let regexp = Regexp::new("a(a|b){14}c|a(a|b){15}d").unwrap();
    for (end, expected) in [("", false), ("c", true), ("d", true)] {
        // The letters before the end may be any.
        let text = format!("{text}aaaaaaaaaaaaaaaaaaaa{end}");
        assert_eq!((regexp.is_match(&text), regexp.find(&text).is_some()), (expected, expected), "{end}");
    }
}

#[test]
fn a_search_stops_where_no_more_work_is_allowed() {
    let hard = Regexp::new(r"[\pL]{1,900}N").unwrap();
    let text = "a".repeat(2000);
    assert_eq!(Effort::default().slice(|| hard.charged().is_match(&text)), None);
    let effort = Effort::default();
    assert_eq!(effort.whole(|| hard.charged().is_match(&text)), Ok(false));
    assert_eq!(effort.whole(|| charge_pattern(PATTERN_LIMIT - 10_000_000)), Ok(()));
    assert_eq!(effort.whole(|| hard.charged().is_match(&text)), Err(Stopped::Patterns));
    assert_eq!(effort.whole(|| hard.charged().find(&text)), Err(Stopped::Patterns));
    let found: Vec<_> = effort.whole(|| hard.charged().find_iter(&text).collect());
    assert_eq!(found, [Err(Stopped::Patterns)]);
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
