//! Strings beyond the plain language: positions, parts, case, splitting, joining, quoting.
//!
//! Positions and sizes count characters.

use crate::cost::{Bounds, CallEstimate, CallSite, STRING_TRAVERSAL, charge, scale};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Binding, Charge, Func, Overload};
use crate::syntax::Literal;
use crate::types::Sig;
use crate::value::{Val, count_chars, show};

use Sig::{Int, String};

use super::string_format;

const LIST_STRING: Sig = Sig::LIST_STRING;

/// Copying a string costs as much as reading it.
const COPY: f64 = 2.0 * STRING_TRAVERSAL;

const fn transform(function: &'static str, id: &'static str, args: &'static [Sig], call: Func) -> Overload {
    Overload::member(function, id, args, String, call).costs(estimate_transform, charge_walk)
}

const fn search(function: &'static str, id: &'static str, args: &'static [Sig], call: Func) -> Overload {
    Overload::member(function, id, args, Int, call).costs(super::lists::estimate, super::lists::charge_traversal)
}

pub(crate) static TABLE: &[Overload] = &[
    Overload::member("charAt", "string_char_at_int", &[String, Int], String, char_at),
    search("indexOf", "string_index_of_string", &[String, String], index_of),
    search("indexOf", "string_index_of_string_int", &[String, String, Int], index_of),
    search("lastIndexOf", "string_last_index_of_string", &[String, String], last_index_of),
    search("lastIndexOf", "string_last_index_of_string_int", &[String, String, Int], last_index_of),
    transform("lowerAscii", "string_lower_ascii", &[String], lower_ascii),
    Overload::member("replace", "string_replace_string_string", &[String, String, String], String, replace)
        .costs(estimate_replace, charge_copy),
    Overload::member("replace", "string_replace_string_string_int", &[String, String, String, Int], String, replace)
        .costs(estimate_replace, charge_copy),
    Overload::member("split", "string_split_string", &[String, String], LIST_STRING, split)
        .costs(estimate_split, charge_copy),
    Overload::member("split", "string_split_string_int", &[String, String, Int], LIST_STRING, split)
        .costs(estimate_split, charge_copy),
    transform("substring", "string_substring_int", &[String, Int], substring),
    transform("substring", "string_substring_int_int", &[String, Int, Int], substring),
    transform("trim", "string_trim", &[String], trim),
    transform("upperAscii", "string_upper_ascii", &[String], upper_ascii),
    Overload::member("format", "string_format", &[String, Sig::List(&Sig::Dyn)], String, string_format::format)
        .binding(Binding::Early)
        .since(29)
        .estimate(estimate_format)
        .charge(Charge::ByOverload(charge_walk)),
    Overload::global("strings.quote", "strings_quote", &[String], String, quote)
        .since(29)
        .estimate(estimate_quote)
        .charge(Charge::ByOverload(charge_walk)),
    Overload::member("join", "list_join", &[LIST_STRING], String, join).costs(estimate_join, charge_join),
    Overload::member("join", "list_join_string", &[LIST_STRING, String], String, join)
        .costs(estimate_join, charge_join),
];

/// The byte offset of a character; the end of the text counts as one.
fn offset_of(text: &str, position: usize) -> Option<usize> {
    if text.is_ascii() {
        return (position <= text.len()).then_some(position);
    }
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(position)
}

fn out_of_range<'a>(cx: &Cx<'a>, position: i64) -> Trap<'a> {
    cx.error(format_args!("index out of range: {position}"))
}

/// The byte offset of a position in a text, which must be in the text or at its end.
fn place<'a>(cx: &Cx<'a>, text: &str, position: i64) -> Result<usize, Trap<'a>> {
    let found = usize::try_from(position).ok().and_then(|position| offset_of(text, position));
    found.ok_or_else(|| out_of_range(cx, position))
}

fn int(position: usize) -> Val<'static> {
    Val::Int(i64::try_from(position).unwrap_or(i64::MAX))
}

fn char_at<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::Int(position)] = args else { return Err(cx.no_such_overload()) };
    let rest = &text[place(cx, text, position)?..];
    let len = rest.chars().next().map_or(0, char::len_utf8);
    Ok(Val::String(&rest[..len]))
}

/// A text, what to find in it, and from where.
type Needle<'a> = (&'a str, &'a str, Option<i64>);

fn needle<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<Needle<'a>, Trap<'a>> {
    match *args {
        [Val::String(text), Val::String(part)] => Ok((text, part, None)),
        [Val::String(text), Val::String(part), Val::Int(from)] => Ok((text, part, Some(from))),
        _ => Err(cx.no_such_overload()),
    }
}

fn index_of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (text, part, from) = needle(cx, args)?;
    let from = from.unwrap_or(0);
    let start = usize::try_from(from).map_err(|_| out_of_range(cx, from))?;
    if part.is_empty() {
        return Ok(int(start.min(count_chars(text))));
    }
    let found = offset_of(text, start).and_then(|offset| {
        let rest = &text[offset..];
        rest.find(part).map(|at| start + count_chars(&rest[..at]))
    });
    Ok(found.map_or(Val::Int(-1), int))
}

fn last_index_of<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (text, part, from) = needle(cx, args)?;
    let len = count_chars(text);
    let from = match from {
        None if part.is_empty() || part.len() > text.len() => i64::MAX,
        None => i64::try_from(len).unwrap_or(i64::MAX) - 1,
        Some(from) => from,
    };
    let start = usize::try_from(from).map_err(|_| out_of_range(cx, from))?;
    if part.is_empty() {
        return Ok(int(start.min(len)));
    }
    let found = offset_of(text, start).filter(|_| start < len).and_then(|offset| {
        // A match may begin at the offset at the latest.
        let end = text.floor_char_boundary(offset.saturating_add(part.len()));
        text[..end].rfind(part)
    });
    Ok(found.map_or(Val::Int(-1), |at| int(count_chars(&text[..at]))))
}

fn lower_ascii<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) { cx.string(&text.to_ascii_lowercase()) } else { Ok(args[0]) }
}

fn upper_ascii<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    if text.bytes().any(|byte| byte.is_ascii_lowercase()) { cx.string(&text.to_ascii_uppercase()) } else { Ok(args[0]) }
}

fn trim<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::String(text.trim()))
}

fn substring<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match *args {
        [Val::String(text), Val::Int(start)] => Ok(Val::String(&text[place(cx, text, start)?..])),
        [Val::String(text), Val::Int(start), Val::Int(end)] => {
            if start > end {
                return Err(cx.error(format_args!("invalid substring range. start: {start}, end: {end}")));
            }
            let start = place(cx, text, start)?;
            Ok(Val::String(&text[start..place(cx, text, end)?]))
        }
        _ => Err(cx.no_such_overload()),
    }
}

/// Returns the maximum number of times something may be done; a negative number means no limit.
fn limit(value: Option<&Val<'_>>) -> usize {
    match value {
        Some(Val::Int(limit)) => usize::try_from(*limit).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

fn replace<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(old), Val::String(new), ..] = args else { return Err(cx.no_such_overload()) };
    let mut buffer = cx.buffer();
    let mut done = 0;
    for (at, _) in text.match_indices(old).take(limit(args.get(3))) {
        buffer.push_str(&text[done..at])?;
        buffer.push_str(new)?;
        done = at + old.len();
    }
    buffer.push_str(&text[done..])?;
    buffer.finish()
}

fn split<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(separator), ..] = args else { return Err(cx.no_such_overload()) };
    let limit = limit(args.get(2));
    let parts = match separator {
        "" => cx.collect(text.len().min(limit), split_chars(text, limit)),
        _ => cx.collect(0, text.splitn(limit, separator).map(|part| Ok(Val::String(part)))),
    };
    parts.map(|parts| Val::List(parts))
}

/// Every character on its own; the last part is what the limit leaves over.
fn split_chars(text: &str, limit: usize) -> impl Iterator<Item = Outcome<'_>> {
    let mut rest = text;
    (1..=limit).map_while(move |count| {
        let char = rest.chars().next()?;
        let len = if count == limit { rest.len() } else { char.len_utf8() };
        let (part, left) = rest.split_at(len);
        rest = left;
        Some(Ok(Val::String(part)))
    })
}

fn join<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let separator = match args.get(1) {
        None => "",
        Some(Val::String(separator)) => separator,
        Some(_) => return Err(cx.no_such_overload()),
    };
    let list = args[0].as_list().ok_or_else(|| cx.no_such_overload())?;
    let mut buffer = cx.buffer();
    for (index, element) in list.iter(cx).enumerate() {
        if index > 0 {
            buffer.push_str(separator)?;
        }
        match element {
            Ok(Val::String(text)) => buffer.push_str(text)?,
            Ok(other) => return Err(cx.error(format_args!("join: invalid input: {}", show(cx, other)))),
            Err(Trap::Error(text)) => return Err(cx.error(format_args!("join: invalid input: {text}"))),
            Err(trap) => return Err(trap),
        }
    }
    buffer.finish()
}

fn quote<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    let mut buffer = cx.buffer();
    buffer.push_str("\"")?;
    for char in text.chars() {
        match char {
            '\u{7}' => buffer.push_str("\\a")?,
            '\u{8}' => buffer.push_str("\\b")?,
            '\u{c}' => buffer.push_str("\\f")?,
            '\n' => buffer.push_str("\\n")?,
            '\r' => buffer.push_str("\\r")?,
            '\t' => buffer.push_str("\\t")?,
            '\u{b}' => buffer.push_str("\\v")?,
            '\\' => buffer.push_str("\\\\")?,
            '"' => buffer.push_str("\\\"")?,
            char => buffer.push_str(char.encode_utf8(&mut [0; 4]))?,
        }
    }
    buffer.push_str("\"")?;
    buffer.finish()
}

/// Walking the first argument once.
pub(super) fn charge_walk<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    args.first().map_or(1, |text| charge::walk(charge::size(text)))
}

fn charge_copy<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    args.first().map_or(1, |text| scale(charge::size(text), COPY))
}

fn charge_join<'a>(_: &Cx<'a>, _: &[Outcome<'a>], result: &Outcome<'a>) -> u64 {
    scale(charge::size(result), COPY)
}

fn estimate_transform(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.target.as_ref()?.size;
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), size))
}

fn estimate_format(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(call.target.as_ref()?.size.scale(STRING_TRAVERSAL)))
}

fn estimate_quote(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.args.first()?.size;
    // The reference does not guard these sums against overflow.
    let result = Bounds { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), result))
}

fn estimate_split(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.target.as_ref()?.size;
    let max = match call.args.get(1).and_then(|limit| limit.literal) {
        Some(Literal::Int(limit)) => limit.cast_unsigned(),
        _ => size.max,
    };
    Some(CallEstimate::sized(size.scale(COPY), Bounds { min: 0, max }))
}

fn estimate_join(call: &CallSite<'_>) -> Option<CallEstimate> {
    let list = call.target.as_ref()?;
    let mut size = match &list.element {
        Some((_, element)) => list.size.multiply(*element),
        None => Bounds::fixed(0),
    };
    if let Some(separator) = call.args.first() {
        let gaps = Bounds { min: list.size.min.saturating_sub(1), max: list.size.max.saturating_sub(1) };
        size = size.add(separator.size.multiply(gaps));
    }
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), size))
}

fn estimate_replace(call: &CallSite<'_>) -> Option<CallEstimate> {
    let text = call.target.as_ref()?.size;
    let [old, new, ..] = call.args.as_slice() else { return None };
    let (longest, kept_max) = replacements(text.max, old.size.min, new.size.max <= old.size.min);
    let (shortest, kept_min) = replacements(text.min, old.size.max, old.size.max <= new.size.min);
    let result = Bounds { min: shortest, max: longest }.multiply(new.size).add(Bounds { min: kept_min, max: kept_max });
    Some(CallEstimate::sized(text.scale(COPY), result))
}

/// Returns the number of replacements that make a text of this size longest or shortest, and how much of the text they
/// leave.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the reference computes in doubles"
)]
fn replacements(text: u64, old: u64, best_without: bool) -> (u64, u64) {
    if old == 0 {
        (text.saturating_add(1), text)
    } else if best_without {
        (0, text)
    } else {
        ((text as f64 / old as f64).ceil() as u64, 0)
    }
}

#[cfg(test)]
mod tests {
    use crate::cost::{Argument, Bounds, CallSite};
    use crate::library::testing::check;
    use crate::types::Type;

    #[test]
    fn positions_count_characters() {
        check("'héllo'.charAt(1)", "é");
        check("'é'.charAt(-1)", "index out of range: -1");
        check("'éaéb'.indexOf('é', 1)", "2");
        check("'ab'.indexOf('', 9)", "2");
        check("'ab'.indexOf('b', 9)", "-1");
        check("'éaé'.lastIndexOf('é')", "2");
        check("'éaé'.lastIndexOf('é', 1)", "0");
        check("'aaa'.lastIndexOf('aa', 0)", "0");
        check("'aé'.lastIndexOf('éé', 1)", "-1");
        check("'ab'.lastIndexOf('b', 2)", "-1");
        check("''.lastIndexOf('a')", "-1");
        check("'ab'.lastIndexOf('', 1)", "1");
        check("'aéb'.substring(1)", "éb");
        check("'aéb'.substring(1, 2)", "é");
        check("'ab'.substring(2, 1)", "invalid substring range. start: 2, end: 1");
        check("'ab'.substring(0, 3)", "index out of range: 3");
    }

    #[test]
    fn replacing_counts_from_the_left() {
        check("'aaaa'.replace('aa', 'b')", "bb");
        check("'abab'.replace('b', '', 1)", "aab");
        check("'é'.replace('', '-')", "-é-");
        check("'ab'.replace('', '-', 2)", "-a-b");
        check("'ab'.replace('a', 'x', 0)", "ab");
    }

    #[test]
    fn splitting_is_that_of_go() {
        check("size(''.split(','))", "1");
        check("size(''.split(''))", "0");
        check("'é,b,'.split(',')", "[é, b, ]");
        check("'abc'.split('', 2)", "[a, bc]");
        check("'abc'.split(',', 0)", "[]");
        check("'a,b,c'.split(',', -1)", "[a, b, c]");
    }

    #[test]
    fn joining_takes_strings_only() {
        check("['a', 'b'].join(', ')", "a, b");
        check("dyn([dyn('a'), dyn(1)]).join()", "join: invalid input: 1");
        check("dyn([1]).join()", "no such overload: join(list)");
    }

    #[test]
    fn quoting_escapes_what_the_language_escapes() {
        check(r#"strings.quote('a"\\\n\té')"#, r#""a\"\\\n\té""#);
    }

    #[test]
    fn growth_is_limited() {
        let long = "lists.range(9000).map(i, '').join('0123456789').replace('', '0123456789')";
        check(&format!("{long}.size()"), "989900");
        let error = "operation cancelled: actual cost limit exceeded";
        check(&format!("{long}.replace('', '012345678901234567890123456789').size()"), error);
    }

    #[test]
    fn replacing_may_make_a_text_longer_or_shorter() {
        fn estimate(text: Bounds, old: u64, new: u64) -> Option<Bounds> {
            let argument = |size| Argument { ty: Type::String, literal: None, computed: None, size, element: None };
            let args = vec![argument(Bounds::fixed(old)), argument(Bounds::fixed(new))];
            super::estimate_replace(&CallSite { target: Some(argument(text)), args })?.size
        }
        let text = Bounds { min: 10, max: 20 };
        assert_eq!(estimate(text, 2, 3), Some(Bounds { min: 10, max: 30 }));
        assert_eq!(estimate(text, 3, 2), Some(Bounds { min: 8, max: 20 }));
        assert_eq!(estimate(text, 0, 1), Some(Bounds { min: 21, max: 41 }));
    }
}
