//! Groups of checks that stop each other.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use sprag_field::Stage;
use sprag_program::{Check, Cohort, WhenMissing};
use syn::Lifetime;

use super::{Here, Printer};
use crate::code::{Code, block};

/// The checks at a place.
pub(super) struct Checks<'p> {
    pub(super) cohorts: &'p [Cohort],
    pub(super) descend: &'p [Check],
    /// True if more follows that a stop of the default cohort leaves out.
    pub(super) followed: bool,
    /// Leaves the place when the default cohort stops.
    pub(super) end: TokenStream,
}

impl Printer<'_, '_> {
    /// All cohorts of a place, then its descent.
    pub(super) fn checks(&self, here: Here, checks: &Checks<'_>) -> TokenStream {
        let Checks { cohorts, descend, followed, end } = checks;
        let mut code = TokenStream::new();
        let mut here = here;
        for (index, cohort) in cohorts.iter().enumerate() {
            if cohort.name.is_empty() {
                let is_last = index + 1 == cohorts.len() && descend.is_empty() && !followed;
                let (cohort, after) = self.cohort(here, cohort, is_last, end);
                code.extend(cohort);
                here = after;
            } else {
                let label = Lifetime::new("'cohort", Span::call_site());
                let (cohort, _) = self.cohort(here, cohort, true, &quote!(break #label;));
                code.extend(block(&label, &cohort));
            }
        }
        code.extend(descend.iter().map(|check| self.check(here, check).statement()));
        code
    }

    /// One cohort, and what is known of the place once it has passed.
    fn cohort(&self, here: Here, cohort: &Cohort, is_last: bool, end: &TokenStream) -> (TokenStream, Here) {
        let (stops, rest) = cohort.checks.split_at(cohort.stops);
        if rest.is_empty() && is_last {
            // Nothing is left to stop.
            return (stops.iter().map(|check| self.last_stop(here, check)).collect(), here);
        }
        let (mut code, here) = self.stops(here, stops, end);
        for check in rest {
            let checked = self.check(here, check);
            code.extend(if check.non_error { quiet(&checked).statement() } else { checked.statement() });
        }
        (code, here)
    }

    fn last_stop(&self, here: Here, check: &Check) -> TokenStream {
        match self.check(here, check) {
            Code::Nothing | Code::Test(_) => TokenStream::new(),
            code if check.non_error => quiet(&code).statement(),
            code => {
                let code = code.expression();
                quote!(flow::stopping(errors, |errors| #code);)
            }
        }
    }

    /// The checks that end their group. All of them run, whichever yields.
    fn stops(&self, here: Here, stops: &[Check], end: &TokenStream) -> (TokenStream, Here) {
        let stops_unset = |check: &Check| {
            check.rule.when_missing() == WhenMissing::Yields && check.warning.is_none() && check.stage == Stage::Stable
        };
        let becomes_sure = !here.sure && stops.iter().any(stops_unset);
        let unwrap = quote!(let Some(new) = new else { #end };);
        if let [Check { non_error: true, .. }] = stops
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
        let code = self.stopping_check(here, check);
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
