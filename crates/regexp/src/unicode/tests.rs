use super::*;
use crate::fold;

/// Per name: the number of ranges and a hash over them, plain and then closed under case folding, as Go 1.26 has them.
const FACTS: &str = include_str!("../../tests/data/unicode.txt");

#[test]
fn every_class_equals_go() {
    let mut rows = 0;
    for line in FACTS.lines() {
        let (name, expected) = line.split_once(' ').unwrap();
        let mut class = class(name).unwrap_or_else(|| panic!("{name} is unknown"));
        let plain = facts(&class);
        if !is_cased_letter(name) {
            fold::close(&mut class);
        }
        assert_eq!(format!("{plain} {}", facts(&class)), expected, "{name}");
        rows += 1;
    }
    assert_eq!(rows, CATEGORIES.iter().filter(|(key, short)| *key == short.to_lowercase()).count() + SCRIPTS.len() + 3);
}

fn facts(class: &ClassUnicode) -> String {
    let mut hash = 0x811c_9dc5_u32;
    for bound in class.ranges().iter().flat_map(|range| [range.start(), range.end()]) {
        for byte in u32::from(bound).to_le_bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    format!("{} {hash:08x}", class.ranges().len())
}

#[test]
fn names_are_sorted() {
    assert!(CATEGORIES.is_sorted());
    assert!(SCRIPTS.is_sorted());
}

#[test]
fn spelling_is_lenient() {
    for name in ["Lu", "lu", "L U", "l_u", "Uppercase_Letter", "uppercase letter", "UPPERCASE-LETTER"] {
        assert_eq!(class(name), Some(category("Lu")), "{name}");
    }
    for name in ["", "Garay", "Grek", "gc=Lu", "sc=Greek", "Alphabetic", "IsGreek"] {
        assert_eq!(class(name), None, "{name}");
    }
}

#[test]
fn letters_and_digits_are_those_of_go() {
    for (c, expected) in [('a', true), ('_', false), ('é', true), ('٣', true), ('Ⅷ', false), ('½', false), ('中', true)]
    {
        assert_eq!(is_letter_or_digit(c), expected, "{c}");
    }
}
