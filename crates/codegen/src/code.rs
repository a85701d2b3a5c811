//! Pieces of generated code that can stand as a statement or as a truth value: whether they yielded anything.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Lifetime;

use crate::access::mentions_label;

/// A check.
#[derive(Clone)]
pub(crate) enum Code {
    /// Never yields anything.
    Nothing,
    /// Yields when this is true, and does nothing else.
    Test(TokenStream),
    /// A call that says whether it yielded anything.
    Call(TokenStream),
    /// Statements that may have pushed errors.
    Statements(TokenStream),
    /// Runs when a condition holds.
    Guard(TokenStream, Box<Code>),
    /// Steps before a check, which may end it early.
    Block(Lifetime, Vec<BlockStep>, Box<Code>),
}

/// A step before a check.
#[derive(Clone)]
pub(crate) enum BlockStep {
    /// A statement.
    Do(TokenStream),
    /// The end, when a condition holds.
    EndIf(TokenStream),
    /// A pattern that must match an expression; otherwise the end.
    Match(TokenStream, TokenStream),
}

impl Code {
    /// As a truth value.
    pub(crate) fn expression(&self) -> TokenStream {
        match self {
            Code::Nothing => quote!(false),
            Code::Test(expr) | Code::Call(expr) => expr.clone(),
            Code::Statements(code) => quote!({
                let mark = errors.len();
                #code
                errors.len() > mark
            }),
            Code::Guard(condition, then) => {
                let then = then.expression();
                quote!(#condition && #then)
            }
            Code::Block(label, steps, last) => {
                let steps = steps.iter().map(|step| step.code(&quote!(break #label false;)));
                let last = last.expression();
                block(label, &quote!(#(#steps)* #last))
            }
        }
    }

    /// As a statement.
    pub(crate) fn statement(&self) -> TokenStream {
        match self {
            Code::Nothing | Code::Test(_) => TokenStream::new(),
            Code::Call(expr) => quote!(#expr;),
            Code::Statements(code) => code.clone(),
            Code::Guard(condition, then) => {
                let then = then.statement();
                quote!(if #condition { #then })
            }
            Code::Block(label, steps, last) => {
                let steps = steps.iter().map(|step| step.code(&quote!(break #label;)));
                let last = last.statement();
                block(label, &quote!(#(#steps)* #last))
            }
        }
    }

    /// True if it can yield anything.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Code::Nothing)
    }
}

impl BlockStep {
    /// The step, with what to do to end.
    pub(crate) fn code(&self, end: &TokenStream) -> TokenStream {
        match self {
            BlockStep::Do(code) => code.clone(),
            BlockStep::EndIf(condition) => quote!(if #condition { #end }),
            BlockStep::Match(pattern, expr) => quote!(let #pattern = #expr else { #end };),
        }
    }
}

/// A block, labelled if anything breaks out of it.
pub(crate) fn block(label: &Lifetime, code: &TokenStream) -> TokenStream {
    if mentions_label(code, label) { quote!(#label: { #code }) } else { quote!({ #code }) }
}
