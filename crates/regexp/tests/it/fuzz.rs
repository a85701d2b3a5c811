//! Random patterns: nothing panics, and all ways of searching agree.

use proptest::prelude::*;
use sprag_regexp::{Capturing, Regexp};

/// Pieces that make syntax likely.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-cé]",
        3 => r"[(){}\[\]|*+?^$.\\,:<>=!&-]",
        2 => r"\\[dDsSwWbBAzQEpPxCnt018]",
        2 => r"\{[0-3](,[0-3]?)?\}",
        1 => r"\(\?[imsU-]{0,3}[:)]",
        1 => r"\[\^?[a-c](-[b-z])?\]",
        1 => r"\\p\{[A-Za-z^]{1,5}\}",
        1 => r"\[\[:[a-z]{5}:\]\]",
        1 => ".",
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern_is_refused_or_consistent(pattern in pattern(), text in "[a-cAé\n -]{0,12}") {
        match (Regexp::new(&pattern), Capturing::new(&pattern)) {
            (Ok(plain), Ok(capturing)) => agree(&plain, &capturing, &text),
            (Err(plain), Err(capturing)) => prop_assert_eq!(plain, capturing),
            (plain, capturing) => prop_assert!(false, "{pattern:?}: {plain:?} against {capturing:?}"),
        }
    }
}

/// An alternative that never matches, and is too large for an automaton.
const LARGE: &str = r"|\p{Greek}{300}";

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn large_patterns_match_as_small_ones_do(pattern in pattern(), text in "[a-cAé\n -]{0,12}") {
        if let (Ok(small), Ok(large)) = (Regexp::new(&pattern), Regexp::new(&format!("(?:{pattern}){LARGE}"))) {
            prop_assert_eq!(small.is_match(&text), large.is_match(&text));
            let [small, large] = [&small, &large].map(|regexp| regexp.find_iter(&text).collect::<Vec<_>>());
            prop_assert_eq!(small, large);
        }
    }
}

fn agree(plain: &Regexp, capturing: &Capturing, text: &str) {
    let found: Vec<_> = plain.find_iter(text).collect();
    assert_eq!(plain.find(text).as_ref(), found.first());
    assert_eq!(plain.is_match(text), !found.is_empty());
    let captured: Vec<_> = capturing.captures_iter(text).filter_map(|captures| captures.span(0)).collect();
    assert_eq!(found, captured, "{plain:?}");
    assert!(found.iter().all(|span| text.get(span.clone()).is_some()));
    assert_eq!(capturing.replace_all(text, "$0"), text);
}
