//! Groups of checks that stop each other.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use sprag_rules::plan::{Check, Cohort, Rule};
use syn::Lifetime;

use super::{Here, Printer};
use crate::code::{Code, block};

impl Printer<'_, '_> {
    /// All cohorts of a place, and what is known of the place once the default one has passed. `end` leaves the
    /// place when that one stops.
    pub(super) fn cohorts(&self, here: Here, cohorts: &[Cohort], end: &TokenStream) -> (TokenStream, Here) {
        let mut code = TokenStream::new();
        let mut here = here;
        for cohort in cohorts {
            if cohort.name.is_empty() {
                let (cohort, after) = self.cohort(here, cohort, end);
                code.extend(cohort);
                here = after;
            } else {
                let label = Lifetime::new("'cohort", Span::call_site());
                let (cohort, _) = self.cohort(here, cohort, &quote!(break #label;));
                code.extend(block(&label, &cohort));
            }
        }
        (code, here)
    }

    fn cohort(&self, here: Here, cohort: &Cohort, end: &TokenStream) -> (TokenStream, Here) {
        let (stops, rest) = cohort.checks.split_at(cohort.stops);
        let (mut code, here) = self.stops(here, stops, end);
        for check in rest {
            let checked = self.check(here, check);
            code.extend(if check.non_error { quiet(&checked).statement() } else { checked.statement() });
        }
        (code, here)
    }

    /// The checks that end their group. All of them run, whichever yields.
    fn stops(&self, here: Here, stops: &[Check], end: &TokenStream) -> (TokenStream, Here) {
        let stops_unset =
            |check: &Check| matches!(check.rule, Rule::Required | Rule::Optional) && check.warning.is_none();
        let becomes_sure = !here.sure && stops.iter().any(stops_unset);
        let unwrap = quote!(let Some(new) = new else { #end };);
        if let [Check { rule: Rule::Optional, .. }] = stops
            && becomes_sure
            && self.cx.reprs.is_pointer(here.ty)
        {
            return (unwrap, Here { sure: true, ..here });
        }
        let tests: Vec<TokenStream> = stops.iter().filter_map(|check| self.stop(here, check)).collect();
        let mut code = match tests.as_slice() {
            [] => TokenStream::new(),
            [test] => quote!(if #test { #end }),
            [first, rest @ ..] => quote! {
                let mut stopped = #first;
                #(stopped |= #rest;)*
                if stopped { #end }
            },
        };
        if becomes_sure {
            code.extend(unwrap);
        }
        (code, Here { sure: here.sure || becomes_sure, ..here })
    }

    /// A stopping check as a truth value; `None` when it never stops.
    fn stop(&self, here: Here, check: &Check) -> Option<TokenStream> {
        let code = self.check(here, check);
        match &code {
            Code::Nothing => None,
            Code::Test(test) => Some(test.clone()),
            code if check.non_error => Some(quiet(code).expression()),
            code => {
                let code = code.expression();
                Some(quote!(flow::stopping(errors, |errors| #code)))
            }
        }
    }
}

/// A check whose errors are dropped.
pub(super) fn quiet(code: &Code) -> Code {
    match code {
        Code::Nothing | Code::Test(_) => code.clone(),
        code => {
            let code = code.expression();
            Code::Call(quote!(flow::quiet(errors, |errors| #code)))
        }
    }
}
