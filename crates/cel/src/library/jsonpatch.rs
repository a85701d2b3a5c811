//! Keys in paths of JSON patches, for expressions that make patches.

use super::strings::charge_walk;
use crate::cost::{CallEstimate, CallSite, STRING_TRAVERSAL};
use crate::cx::{Cx, Outcome};
use crate::overload::Overload;
use crate::types::Sig;
use crate::value::Val;

pub(crate) static TABLE: &[Overload] = &[Overload::global(
    "jsonpatch.escapeKey",
    "string_jsonpatch_escapeKey_string",
    &[Sig::String],
    Sig::String,
    escape_key,
)
.costs(estimate, charge_walk)
.patches_only()];

fn escape_key<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    let &[Val::String(text)] = args else { return Err(cx.no_such_overload()) };
    if text.contains(['/', '~']) { cx.string(&text.replace('~', "~0").replace('/', "~1")) } else { Ok(args[0]) }
}

fn estimate(call: &CallSite<'_>) -> Option<CallEstimate> {
    let size = call.args.first()?.size;
    Some(CallEstimate::sized(size.scale(STRING_TRAVERSAL), size))
}

#[cfg(test)]
mod tests {
    use crate::library::testing::{check, check_patch};

    #[test]
    fn only_patches_escape_keys() {
        check_patch("jsonpatch.escapeKey('k8s.io/my~label')", "k8s.io~1my~0label");
        check(
            "jsonpatch.escapeKey('a')",
            "ERROR: <input>:1:1: undeclared reference to 'jsonpatch' (in container '')\n | jsonpatch.escapeKey('a')\n \
             | ^\nERROR: <input>:1:20: undeclared reference to 'escapeKey' (in container '')\n | \
             jsonpatch.escapeKey('a')\n | ...................^",
        );
    }
}
