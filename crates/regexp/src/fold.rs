//! Simple case folding: which characters count as equal when case does not matter.

use std::sync::LazyLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::unicode;

/// The other characters that fold to the same as `c`.
pub(crate) fn others(c: char) -> &'static [char] {
    match ORBITS.binary_search_by_key(&c, |orbit| orbit.member) {
        Ok(found) => ORBITS.get(found).map_or(&[], |orbit| &orbit.others),
        Err(_) => &[],
    }
}

/// Adds every character that folds to the same as one of the class; says how many had to be looked at.
pub(crate) fn close(class: &mut ClassUnicode) -> usize {
    let mut looked_at = 0;
    let mut added = Vec::new();
    for range in class.ranges() {
        let from = ORBITS.partition_point(|orbit| orbit.member < range.start());
        let to = ORBITS.partition_point(|orbit| orbit.member <= range.end());
        looked_at += to - from;
        for orbit in ORBITS.get(from..to).unwrap_or_default() {
            let outside = orbit.others.iter().filter(|c| !(range.start()..=range.end()).contains(c));
            added.extend(outside.map(|c| ClassUnicodeRange::new(*c, *c)));
        }
    }
    if !added.is_empty() {
        class.union(&ClassUnicode::new(added));
    }
    looked_at
}

/// Characters that fold to each other only since Unicode 15.1.
const FOLD_LATER: [char; 6] = ['\u{390}', '\u{3b0}', '\u{1fd3}', '\u{1fe3}', '\u{fb05}', '\u{fb06}'];

struct Orbit {
    member: char,
    others: Vec<char>,
}

/// Every character that has a case, sorted, with its counterparts.
static ORBITS: LazyLock<Vec<Orbit>> = LazyLock::new(|| {
    let known = unicode::known();
    let mut orbits = Vec::new();
    for member in cased(&known) {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(member, member)]);
        // Without tables there is nothing to fold; they are a feature this crate always asks for.
        if class.try_case_fold_simple().is_err() {
            continue;
        }
        let others: Vec<char> = chars(&class).filter(|c| *c != member && contains(&known, *c)).collect();
        if !others.is_empty() {
            orbits.push(Orbit { member, others });
        }
    }
    orbits
});

/// The characters that may have a case: cased letters, Roman numerals, letters in circles and the iota subscript.
fn cased(known: &ClassUnicode) -> Vec<char> {
    let mut class = unicode::category("LC");
    class.union(&ClassUnicode::new([
        ClassUnicodeRange::new('\u{345}', '\u{345}'),
        ClassUnicodeRange::new('\u{2160}', '\u{2188}'),
        ClassUnicodeRange::new('\u{24b6}', '\u{24e9}'),
    ]));
    class.difference(&ClassUnicode::new(FOLD_LATER.map(|c| ClassUnicodeRange::new(c, c))));
    class.intersect(known);
    chars(&class).collect()
}

fn contains(class: &ClassUnicode, c: char) -> bool {
    let from = class.ranges().partition_point(|range| range.end() < c);
    class.ranges().get(from).is_some_and(|range| range.start() <= c)
}

fn chars(class: &ClassUnicode) -> impl Iterator<Item = char> + '_ {
    class.ranges().iter().flat_map(|range| range.start()..=range.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orbits_of_three_and_four() {
        assert_eq!(others('k'), ['K', '\u{212a}']);
        assert_eq!(others('\u{212a}'), ['K', 'k']);
        assert_eq!(others('\u{345}'), ['Ι', 'ι', '\u{1fbe}']);
        assert_eq!(others('1'), []);
    }

    /// The numbers are those of Go's `unicode.SimpleFold` over all characters.
    #[test]
    fn orbits_equal_go() {
        assert_eq!(ORBITS.len(), 2878);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for orbit in ORBITS.iter() {
            let next = orbit.others.iter().find(|c| **c > orbit.member).or(orbit.others.first()).unwrap();
            for byte in [orbit.member, *next].iter().flat_map(|c| u32::from(*c).to_le_bytes()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        assert_eq!(hash, GO_HASH);
    }

    const GO_HASH: u64 = 0x0f3d_2115_57aa_17e5;
}
