//! `find` and `findAll`: the parts of a string that match a pattern.

use crate::cost::{Bounds, CallEstimate, CallSite, REGEX_LENGTH, STRING_TRAVERSAL, charge};
use crate::cx::{Cx, Outcome};
use crate::overload::Overload;
use crate::types::Sig;
use crate::value::Val;

/// The words before the error of a pattern that is not constant.
const ILLEGAL: &str = "Illegal regex: ";

pub(crate) static TABLE: &[Overload] = &[
    Overload::member("find", "string_find_string", &[Sig::String, Sig::String], Sig::String, find)
        .regex(1)
        .costs(estimate, search),
    Overload::member("findAll", "string_find_all_string", &[Sig::String, Sig::String], Sig::LIST_STRING, find_all)
        .regex(1)
        .costs(estimate, search),
    Overload::member(
        "findAll",
        "string_find_all_string_int",
        &[Sig::String, Sig::String, Sig::Int],
        Sig::LIST_STRING,
        find_all,
    )
    .regex(1)
    .costs(estimate, search),
];

fn find<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text), Val::String(pattern)] = args else { return Err(cx.no_such_overload()) };
    let found = cx.regexp(pattern, ILLEGAL)?.charged().find(text)?;
    Ok(Val::String(found.map_or("", |range| &text[range])))
}

fn find_all<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let (&[Val::String(text), Val::String(pattern)] | &[Val::String(text), Val::String(pattern), Val::Int(_)]) = args
    else {
        return Err(cx.no_such_overload());
    };
    let limit = if let Some(Val::Int(limit)) = args.get(2) { usize::try_from(*limit).ok() } else { None };
    let regexp = cx.regexp(pattern, ILLEGAL)?;
    let found = regexp.charged().find_iter(text).take(limit.unwrap_or(usize::MAX));
    cx.collect(0, found.map(|range| Ok(Val::String(&text[range?])))).map(|parts| Val::List(parts))
}

fn estimate(call: &CallSite<'_>) -> Option<CallEstimate> {
    let target = call.target.as_ref()?;
    let pattern = call.args.first()?;
    let text = target.size.add(Bounds::fixed(1)).scale(STRING_TRAVERSAL);
    let cost = text.multiply(pattern.size.scale(REGEX_LENGTH));
    Some(CallEstimate::sized(cost, Bounds { min: 0, max: target.size.max }))
}

fn search<'a>(_: &Cx<'a>, args: &[Outcome<'a>], _: &Outcome<'a>) -> u64 {
    charge::search(charge::size(&args[0]), charge::size(&args[1]))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::{check, check_cost};

    #[test]
    fn matches_do_not_overlap() {
        check("'aaaa'.findAll('aa')", "[aa, aa]");
        check("'abc 123'.find('[0-9]+')", "123");
        check("'ab'.findAll('', 2)", "[, ]");
        check("'x'.find('[')", "error parsing regexp: missing closing ]: `[`");
        check("'x'.find('[' + '')", "Illegal regex: error parsing regexp: missing closing ]: `[`");
    }

    #[test]
    fn a_pattern_that_is_not_constant_is_evaluated_in_any_case() {
        check_cost("{'a': 'b'}.c.findAll({'d': 'e'}.f)", 5);
        check_cost("{'a': 'b'}.c.findAll('e')", 2);
    }
}
