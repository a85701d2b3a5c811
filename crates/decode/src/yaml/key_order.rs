//! The order in which go-yaml prints keys: letters after everything else, runs of digits by their number.

use std::cmp::Ordering;

use sprag_value::{Key, Object, Value};

type Member<'a> = (&'a Key, &'a Value);

/// The members in the order in which they are printed.
///
/// Sorted by merging, as the order need not be consistent where numbers overflow.
pub(super) fn sort_keys(members: &Object) -> Vec<Member<'_>> {
    let mut sorted: Vec<Member<'_>> = members.iter().collect();
    if sorted.is_sorted_by(|a, b| compare(a.0, b.0) != Ordering::Greater) {
        return sorted;
    }
    let mut width = 1;
    while width < sorted.len() {
        sorted = sorted.chunks(2 * width).flat_map(|run| merge(run.split_at(width.min(run.len())))).collect();
        width *= 2;
    }
    sorted
}

fn merge<'a>((mut left, mut right): (&[Member<'a>], &[Member<'a>])) -> Vec<Member<'a>> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        if compare(a.0, b.0) == Ordering::Greater {
            out.push(*b);
            right = right_rest;
        } else {
            out.push(*a);
            left = left_rest;
        }
    }
    out.extend(left);
    out.extend(right);
    out
}

fn compare(a: &str, b: &str) -> Ordering {
    let same = a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y);
    let Some(((at, x), y)) = same else { return a.len().cmp(&b.len()) };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => x.cmp(&y),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => {
            let start = i64::from((x == '0' || y == '0') && ends_in_number(&a[..at]));
            let left = number(start, &a[at..]);
            let right = number(start, &b[at..]);
            left.cmp(&right).then(x.cmp(&y))
        }
    }
}

/// True if the text ends in digits that are not all zero: zeros that follow them are not leading ones.
fn ends_in_number(text: &str) -> bool {
    text.chars().rev().take_while(|c| c.is_numeric()).any(|c| c != '0')
}

/// The number that the text begins with, and how many digits it has.
fn number(start: i64, text: &str) -> (i64, usize) {
    text.chars().take_while(|c| c.is_numeric()).fold((start, 0), |(value, digits), c| {
        let digit = i64::from(u32::from(c)) - i64::from(u32::from('0'));
        (value.wrapping_mul(10).wrapping_add(digit), digits + 1)
    })
}
