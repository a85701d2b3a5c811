//! Lowers the tags of an API author's own to calls of their functions.

use sprag_idl::{Scalar, Tag, TagValue};
use sprag_program::{Check, Hook, HookArg, HookCall, Literal, Rule, TypeId};
use sprag_release::Releases;

use crate::lower::{Context, Lowered, Lowerer, PlacedCheck, Refusal};
use crate::registry::{CustomTag, PayloadSpec};
use crate::tags::{constants, parse_int};
use crate::types::Type;

impl Lowerer<'_> {
    pub(super) fn lower_hook(&mut self, cx: &Context, custom: &CustomTag, tag: &Tag) -> Result<Lowered, Refusal> {
        self.hooks.push(Hook { name: custom.function.clone(), ty: cx.ty });
        let mut args = Vec::new();
        for spec in &custom.args {
            let given = tag.args.iter().find(|arg| arg.name.as_deref() == spec.name).map(|arg| &arg.value);
            args.push(hook_arg(given, spec.required)?);
        }
        let mut lowered = Lowered::default();
        for (releases, payload) in self.payloads(cx, custom, tag)? {
            let mut args = args.clone();
            args.extend(payload);
            let words = words(custom, &args);
            let rule = Rule::Custom(HookCall { name: custom.function.clone(), tag: written(tag), words, args });
            let check = Check { short_circuit: custom.short_circuit, releases, ..Check::new(rule) };
            lowered.checks.push(PlacedCheck { on_change: custom.on_change, ..PlacedCheck::new(check) });
        }
        Ok(lowered)
    }

    /// The payload, by releases: those of a type have different constants.
    fn payloads(
        &self,
        cx: &Context,
        custom: &CustomTag,
        tag: &Tag,
    ) -> Result<Vec<(Releases, Option<HookArg>)>, Refusal> {
        let Some(PayloadSpec { required, .. }) = custom.payload else { return Ok(vec![(Releases::ALL, None)]) };
        let given = match &tag.value {
            TagValue::Scalar(scalar) => Some(scalar),
            _ => None,
        };
        if !custom.constants || given.is_some() {
            return Ok(vec![(Releases::ALL, Some(hook_arg(given, required || custom.constants)?))]);
        }
        let sets = constants(self, self.pointee(cx.ty))?;
        if sets.iter().any(|(_, values)| values.is_empty()) {
            return Err("the type has no constants: write the values after =".into());
        }
        let joined = |values: Vec<String>| Some(HookArg::Required(Literal::String(values.join(","))));
        Ok(sets.into_iter().map(|(releases, values)| (releases, joined(values))).collect())
    }

    /// The type itself, if it is not a pointer.
    fn pointee(&self, mut ty: TypeId) -> TypeId {
        while let Type::Pointer(inner) | Type::Boxed(inner) | Type::Nullable(inner) = self.universe.ty(ty) {
            ty = *inner;
        }
        ty
    }
}

/// Returns the argument of a custom tag's function.
fn hook_arg(given: Option<&Scalar>, required: bool) -> Result<HookArg, Refusal> {
    let literal = match given {
        None => return Ok(HookArg::Optional(None)),
        Some(Scalar::Int(text)) => Literal::Int(parse_int(text)?.into()),
        Some(Scalar::Bool(value)) => Literal::Bool(*value),
        Some(other) => Literal::String(other.text()),
    };
    Ok(if required { HookArg::Required(literal) } else { HookArg::Optional(Some(literal)) })
}

/// The tag as it was written, without quotes.
fn written(tag: &Tag) -> String {
    let args = tag.args.iter().map(|arg| match &arg.name {
        Some(name) => format!("{name}: {}", arg.value.text()),
        None => arg.value.text(),
    });
    let args: Vec<String> = args.collect();
    let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
    let payload = match &tag.value {
        TagValue::Scalar(payload) => format!("={}", payload.text()),
        _ => String::new(),
    };
    format!("{}{args}{payload}", tag.name)
}

/// The words of the rule, with what the tag passes in place of names between braces; those of a tag without words are its name.
fn words(custom: &CustomTag, args: &[HookArg]) -> String {
    if custom.words.is_empty() {
        return custom.name.rsplit(':').next().unwrap_or_default().to_owned();
    }
    let names = custom.args.iter().map(|spec| spec.name.unwrap_or_default()).chain(["payload"]);
    names.zip(args).fold(custom.words.clone(), |words, (name, arg)| {
        let shown = match arg {
            HookArg::Required(Literal::String(text)) | HookArg::Optional(Some(Literal::String(text))) => {
                text.split(',').map(str::trim).collect::<Vec<_>>().join(", ")
            }
            HookArg::Required(literal) | HookArg::Optional(Some(literal)) => literal.show().to_string(),
            HookArg::Optional(None) => String::new(),
        };
        words.replace(&format!("{{{name}}}"), &shown)
    })
}
