//! Methods of views that judge the change of a field by its declared rules, where hand-written code asks about an update.
//!
//! Inside of a method four names are always what they say: `self`, `old` (the value before the update), `at` (the place of the
//! field) and `errors`. A type without such rules has no such method, so that new objects cost nothing.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use sprag_idl::Finding;
use sprag_program::{Check, FieldPlan, Rule, TypePlan};

use super::ViewPrinter;
use crate::names::{ident, snake};
use crate::validator::hook_arg;

impl ViewPrinter<'_> {
    /// A method for each field with rules about its changes; a type whose rules are called has one for all of them, too.
    pub(super) fn changes(&self, plan: &TypePlan) -> Result<TokenStream, Vec<Finding>> {
        let fields = || plan.fields.iter().filter(|field| !field.changes.is_empty());
        let methods: TokenStream = fields().map(|field| self.change_of_field(field)).collect::<Result<_, _>>()?;
        if !plan.called || methods.is_empty() {
            return Ok(methods);
        }
        let runtime = &self.runtime;
        let names = fields().map(|field| self.method_of_change(field));
        Ok(quote! {
            #methods

            /// Judges the changes of an update by the declared rules of its fields; returns whether they found anything.
            pub(crate) fn check_update(self, old: Self, at: &#runtime::At<'_>, errors: &mut #runtime::Errors) -> bool {
                let mark = errors.len();
                #(self.#names(old, at, errors);)*
                errors.called_since(mark)
            }
        })
    }

    fn change_of_field(&self, plan: &FieldPlan) -> Result<TokenStream, Vec<Finding>> {
        let known = self.universe.field(plan.field);
        let refused = |what: &str| {
            let place = format!("{}.{}", self.universe.def_name(plan.field.def), known.field.name);
            vec![Finding::error(known.field.span, format!("{place}: views print no {what}"))]
        };
        let json = known.field.json.as_deref().filter(|_| !known.field.inline);
        let json = json.ok_or_else(|| refused("changes of fields without a name"))?;
        let shape = self.shape.as_ref().ok_or_else(|| refused("changes without a path of shapes"))?;
        let step = Self::step_of(plan);
        let calls = plan.changes.iter().map(|check| call_of_change(&self.runtime, check));
        let calls = calls.collect::<Result<Vec<_>, _>>().map_err(|what| refused(&what))?;
        let name = snake(&known.field.name);
        let doc = format!(" Judges the change of `{name}` by its declared rules; returns whether they found anything.");
        let method = self.method_of_change(plan);
        let ty = self.table.type_ref(self.universe, known.ty);
        let id = ty.id.0;
        let nullable = ty.nullable;
        let is_named = self.is_named(known.ty);
        let is_covered = is_covered(plan);
        let runtime = &self.runtime;
        Ok(quote! {
            #[doc = #doc]
            pub(crate) fn #method(self, old: Self, at: &#runtime::At<'_>, errors: &mut #runtime::Errors) -> bool {
                let mark = errors.len();
                let at = &#step;
                let change = #shape::Change {
                    ty: #shape::TypeRef { id: #shape::TypeId(#id), nullable: #nullable },
                    new: self.0.get(#json),
                    old: old.0.get(#json),
                    is_named: #is_named,
                    is_covered: #is_covered,
                };
                #(#calls)*
                errors.called_since(mark)
            }
        })
    }

    fn method_of_change(&self, plan: &FieldPlan) -> proc_macro2::Ident {
        ident(&format!("check_{}_update", snake(&self.universe.field(plan.field).field.name)))
    }
}

/// True if a rule of the walk says the same, so that errors about the change are covered by it.
fn is_covered(plan: &FieldPlan) -> bool {
    let mut checks = plan.cohorts.iter().flat_map(|cohort| &cohort.checks);
    !plan.called && checks.any(|check| check.rule.judges_transitions())
}

fn call_of_change(runtime: &syn::Path, check: &Check) -> Result<TokenStream, String> {
    let Rule::Custom(call) = &check.rule else { return Err("conditions around a rule about a change".to_owned()) };
    let function: syn::Path =
        syn::parse_str(&call.name).map_err(|error| format!("call of {:?}: {error}", call.name))?;
    let args = call.args.iter().map(hook_arg);
    let run = quote!(#function(at, change, #(#args,)* errors););
    if check.releases.is_all() {
        return Ok(run);
    }
    let releases = Token::u8_unsuffixed(check.releases.bits());
    Ok(quote! {
        if #runtime::flow::holds_in(#releases, errors) {
            #run
        }
    })
}
