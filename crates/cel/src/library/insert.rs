//! Building maps in loops with two variables.

use crate::cx::{Cx, Outcome};
use crate::overload::Overload;
use crate::types::Sig;
use crate::value::Val;

pub(crate) static TABLE: &[Overload] = &[
    Overload::global(
        "cel.@mapInsert",
        "@mapInsert_map_key_value",
        &[Sig::MAP_AB, Sig::A, Sig::B],
        Sig::MAP_AB,
        not_called,
    )
    .since(32),
    Overload::global("cel.@mapInsert", "@mapInsert_map_map", &[Sig::MAP_AB, Sig::MAP_AB], Sig::MAP_AB, not_called)
        .since(32),
];

/// Loops insert by themselves; the name cannot be written in an expression.
fn not_called<'a>(cx: &Cx<'a>, _: &[Val<'a>]) -> Outcome<'a> {
    Err(cx.no_such_overload())
}
