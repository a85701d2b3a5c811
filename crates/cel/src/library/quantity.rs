//! `kubernetes.Quantity`: amounts like `1.5Gi`.

use std::cmp::Ordering;

use sprag_value::{Format, Quantity};

use crate::cost::{CallEstimate, CallSite, STRING_TRAVERSAL};
use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Opaque, Val};

use super::strings::charge_walk;

const QUANTITY: Sig = Sig::Object("kubernetes.Quantity");

const fn parser(function: &'static str, id: &'static str, result: Sig, call: Func) -> Overload {
    Overload::global(function, id, &[Sig::String], result, call).since(28).costs(estimate_parse, charge_walk)
}

const fn member(function: &'static str, id: &'static str, args: &'static [Sig], result: Sig, call: Func) -> Overload {
    Overload::member(function, id, args, result, call).since(28)
}

pub(crate) static TABLE: &[Overload] = &[
    parser("quantity", "string_to_quantity", QUANTITY, quantity),
    parser("isQuantity", "is_quantity_string", Sig::Bool, is_quantity),
    Overload::global("sign", "quantity_sign", &[QUANTITY], Sig::Int, sign).since(28),
    member("isGreaterThan", "quantity_is_greater_than", &[QUANTITY, QUANTITY], Sig::Bool, is_greater_than),
    member("isLessThan", "quantity_is_less_than", &[QUANTITY, QUANTITY], Sig::Bool, is_less_than),
    member("compareTo", "quantity_compare_to", &[QUANTITY, QUANTITY], Sig::Int, compare_to),
    member("asApproximateFloat", "quantity_get_float", &[QUANTITY], Sig::Double, as_float),
    member("asInteger", "quantity_get_int", &[QUANTITY], Sig::Int, as_integer),
    member("isInteger", "quantity_is_integer", &[QUANTITY], Sig::Bool, is_integer),
    member("add", "quantity_add", &[QUANTITY, QUANTITY], QUANTITY, add),
    member("add", "quantity_add_int", &[QUANTITY, Sig::Int], QUANTITY, add),
    member("sub", "quantity_sub", &[QUANTITY, QUANTITY], QUANTITY, sub),
    member("sub", "quantity_sub_int", &[QUANTITY, Sig::Int], QUANTITY, sub),
];

fn read<'a>(cx: &Cx<'a>, value: Option<&Val<'a>>) -> Result<&'a Quantity, Trap<'a>> {
    match value {
        Some(Val::Opaque(Opaque::Quantity(quantity) | Opaque::Computed(quantity))) => Ok(quantity),
        _ => Err(cx.no_such_overload()),
    }
}

fn quantity<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    match text.parse::<Quantity>() {
        Ok(quantity) => Ok(Val::Opaque(Opaque::Quantity(cx.quantity(quantity)))),
        Err(error) => Err(cx.error(format_args!("{error}"))),
    }
}

fn is_quantity<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    Ok(Val::Bool(text.parse::<Quantity>().is_ok()))
}

fn sign<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Int(read(cx, args.first())?.sign() as i64))
}

fn as_float<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Double(read(cx, args.first())?.as_approximate_f64()))
}

fn as_integer<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    read(cx, args.first())?.as_i64().map(Val::Int).ok_or_else(|| cx.fail("cannot convert value to integer"))
}

fn is_integer<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(read(cx, args.first())?.as_i64().is_some()))
}

fn order<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Result<Ordering, Trap<'a>> {
    Ok(read(cx, args.first())?.cmp(read(cx, args.get(1))?))
}

fn is_greater_than<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(order(cx, args)?.is_gt()))
}

fn is_less_than<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Bool(order(cx, args)?.is_lt()))
}

fn compare_to<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    Ok(Val::Int(order(cx, args)? as i64))
}

fn add<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    combine(cx, args, Quantity::checked_add)
}

fn sub<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    combine(cx, args, Quantity::checked_sub)
}

fn combine<'a>(cx: &Cx<'a>, args: &[Val<'a>], with: fn(&Quantity, &Quantity) -> Option<Quantity>) -> Outcome<'a> {
    let left = read(cx, args.first())?;
    let result = match args.get(1) {
        Some(Val::Int(value)) => with(left, &Quantity::new(*value, Format::DecimalExponent)),
        right => with(left, read(cx, right)?),
    };
    // The reference has no limit on digits.
    let result = result.ok_or_else(|| cx.fail("the quantity has too many digits"))?;
    Ok(Val::Opaque(Opaque::Computed(cx.quantity(result))))
}

/// Parsing walks the text once.
pub(super) fn estimate_parse(call: &CallSite<'_>) -> Option<CallEstimate> {
    Some(CallEstimate::cost(call.args.first()?.size.scale(STRING_TRAVERSAL)))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::check;

    #[test]
    fn quantities_are_read_and_compared() {
        check("quantity('1.5Gi').compareTo(quantity('1536Mi'))", "0");
        check("quantity('50M').isLessThan(quantity('50Mi'))", "true");
        check("sign(quantity('-5'))", "-1");
        check("isQuantity('1,3G')", "false");
        check("quantity('50k').isInteger()", "true");
        check("quantity('0.5').isInteger()", "false");
        check("quantity('0.5').asInteger()", "cannot convert value to integer");
        check("quantity('10Mm')", "unable to parse quantity's suffix");
    }

    #[test]
    fn arithmetic_keeps_the_suffix_family() {
        check("quantity('50k').add(quantity('20k'))", "70k");
        check("quantity('50k').sub(20000)", "30k");
        check("quantity('1Gi').add(1)", "1073741825");
    }

    #[test]
    fn nothing_equals_a_computed_quantity_on_the_right() {
        check("quantity('1').add(1) == quantity('2')", "true");
        check("quantity('2') == quantity('1').add(1)", "no such overload");
        check("quantity('2') != quantity('1').add(1)", "true");
    }
}
