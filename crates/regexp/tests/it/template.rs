//! Replacement templates.

use sprag_regexp::Capturing;

#[track_caller]
fn check(pattern: &str, text: &str, template: &str, expected: &str) {
    let capturing = Capturing::new(pattern).expect("the pattern is valid");
    assert_eq!(capturing.replace_all(text, template), expected, "{pattern} {template}");
}

#[test]
fn variables_stand_for_groups() {
    check("(a)(b)", "xabx", "$2$1", "xbax");
    check("(?P<first>a)", "a", "<$first>", "<a>");
    check("(?P<first>a)", "a", "<${first}b>", "<ab>");
    check("(a)", "a", "$0", "a");
    check("(a)|(b)", "ab", "[$1|$2]", "[a|][|b]");
    check("(?P<n>a)|(?P<n>b)", "ab", "<$n>", "<a><b>");
}

#[test]
fn names_are_as_long_as_possible() {
    check("(a)", "a", "$1x", "");
    check("(a)", "a", "${1}x", "ax");
    check("(a)", "a", "$1-", "a-");
}

#[test]
fn what_is_no_variable_stays() {
    check("a", "a", "$", "$");
    check("a", "a", "$$1", "$1");
    check("a", "a", "$-", "$-");
    check("a", "a", "${", "${");
    check("a", "a", "${}", "${}");
    check("a", "a", "${x", "${x");
    check("a", "a", "${x y}", "${x y}");
    check("a", "a", "$9$01$999999999999$missing.", ".");
}

#[test]
fn empty_matches_are_replaced_between_characters() {
    check("", "ab", "-", "-a-b-");
    check("a*", "baaac", "x", "xbxcx");
    check("x*", "éé", "-", "-é-é-");
    check("b|$", "ab", "!", "a!");
}
