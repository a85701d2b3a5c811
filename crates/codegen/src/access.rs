//! Expressions that reach into values: through options, boxes and newtypes, without ever copying.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Lifetime;

use crate::repr::Layer;

/// A value that is there.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// The expression.
    expr: TokenStream,
    /// The number of references or boxes around the value.
    stars: usize,
    /// True if the expression is a variable that holds a reference.
    variable: bool,
}

impl Spot {
    /// A variable that holds a reference.
    pub(crate) fn reference(variable: &Ident) -> Spot {
        Spot { expr: quote!(#variable), stars: 1, variable: true }
    }

    fn place(expr: TokenStream) -> Spot {
        Spot { expr, stars: 0, variable: false }
    }

    /// For fields and methods, which look through references by themselves.
    pub(crate) fn path(&self) -> &TokenStream {
        &self.expr
    }

    /// The value as such.
    pub(crate) fn value(&self) -> TokenStream {
        let expr = &self.expr;
        let stars = self.stars();
        quote!(#stars #expr)
    }

    /// A reference to the value.
    pub(crate) fn borrow(&self) -> TokenStream {
        let expr = &self.expr;
        let stars = self.stars();
        if self.variable && self.stars == 1 { quote!(#expr) } else { quote!(&#stars #expr) }
    }

    fn stars(&self) -> TokenStream {
        (0..self.stars).map(|_| quote!(*)).collect()
    }
}

/// A value that may be there.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// It is there.
    Sure(Spot),
    /// An expression of type `Option<&T>`, with a name for a variable that holds what is inside.
    Maybe {
        expr: TokenStream,
        /// The same option by its shortest name, to ask whether it is there.
        option: TokenStream,
        name: Ident,
    },
    /// Something inside of what may be there.
    Inside { root: TokenStream, name: Ident, inner: Box<Access> },
}

impl Access {
    /// A variable of type `&T`.
    pub(crate) fn sure(name: &str) -> Access {
        Access::Sure(Spot::reference(&format_ident!("{name}")))
    }

    /// A variable of type `Option<&T>`.
    pub(crate) fn maybe(name: &str) -> Access {
        let name = format_ident!("{name}");
        Access::Maybe { expr: quote!(#name), option: quote!(#name), name }
    }

    /// A field of the value.
    pub(crate) fn field(self, field: &Ident) -> Access {
        self.map(|spot| {
            let path = spot.path();
            Access::Sure(Spot::place(quote!(#path.#field)))
        })
    }

    /// Access to the value inside of some layers.
    pub(crate) fn through(self, layers: &[Layer]) -> Access {
        match layers {
            [] => self,
            [Layer::Option, Layer::Box, rest @ ..] => self.option(&format_ident!("as_deref")).through(rest),
            [Layer::Option, rest @ ..] => self.option(&format_ident!("as_ref")).through(rest),
            [Layer::Box, rest @ ..] => {
                self.map(|spot| Access::Sure(Spot { stars: spot.stars + 1, variable: false, ..spot })).through(rest)
            }
            [Layer::Newtype, rest @ ..] => {
                let inside = self.map(|spot| {
                    let path = spot.path();
                    Access::Sure(Spot::place(quote!(#path.0)))
                });
                inside.through(rest)
            }
            [Layer::NonNull, rest @ ..] => {
                let filtered = self.map(|spot| {
                    let borrow = spot.borrow();
                    let expr = quote!(Some(#borrow).filter(|value| !value.is_null()));
                    Access::Maybe { option: expr.clone(), expr, name: format_ident!("value") }
                });
                filtered.through(rest)
            }
        }
    }

    fn option(self, method: &Ident) -> Access {
        self.map(|spot| {
            let path = spot.path();
            Access::Maybe { expr: quote!(#path.#method()), option: path.clone(), name: format_ident!("value") }
        })
    }

    fn map(self, step: impl FnOnce(Spot) -> Access) -> Access {
        match self {
            Access::Sure(spot) => step(spot),
            Access::Maybe { expr: root, name, .. } => {
                let inner = Box::new(step(Spot::reference(&name)));
                Access::Inside { root, name, inner }
            }
            Access::Inside { root, name, inner } => Access::Inside { root, name, inner: Box::new(inner.map(step)) },
        }
    }

    /// An expression of type `Option<&T>`.
    pub(crate) fn optional(&self) -> TokenStream {
        match self {
            Access::Sure(spot) => {
                let borrow = spot.borrow();
                quote!(Some(#borrow))
            }
            Access::Maybe { expr, .. } => expr.clone(),
            Access::Inside { root, name, inner } => match &**inner {
                Access::Sure(spot) => {
                    let borrow = spot.borrow();
                    quote!(#root.map(|#name| #borrow))
                }
                inner => {
                    let inner = inner.optional();
                    quote!(#root.and_then(|#name| #inner))
                }
            },
        }
    }

    /// `&T` where the value is sure to be there, `Option<&T>` otherwise; and which of the two.
    pub(crate) fn bind(&self) -> (TokenStream, bool) {
        match self {
            Access::Sure(spot) => (spot.borrow(), true),
            _ => (self.optional(), false),
        }
    }

    /// Returns code that tests that the value is present and passes a test.
    pub(crate) fn is_and(&self, test: &dyn Fn(&Spot) -> TokenStream) -> TokenStream {
        self.tested(test, &quote!(is_some_and))
    }

    /// Returns code that tests that the value is missing or passes a test.
    pub(crate) fn is_none_or(&self, test: &dyn Fn(&Spot) -> TokenStream) -> TokenStream {
        self.tested(test, &quote!(is_none_or))
    }

    fn tested(&self, test: &dyn Fn(&Spot) -> TokenStream, method: &TokenStream) -> TokenStream {
        match self {
            Access::Sure(spot) => test(spot),
            Access::Maybe { expr: root, name, .. } => {
                let test = test(&Spot::reference(name));
                quote!(#root.#method(|#name| #test))
            }
            Access::Inside { root, name, inner } => {
                let test = inner.tested(test, method);
                quote!(#root.#method(|#name| #test))
            }
        }
    }

    /// Returns code that tests that the value is present; `None` if it always is.
    pub(crate) fn is_there(&self) -> Option<TokenStream> {
        match self {
            Access::Sure(_) => None,
            Access::Maybe { option, .. } => Some(quote!(#option.is_some())),
            Access::Inside { root, name, inner } => Some(match inner.is_there() {
                None => quote!(#root.is_some()),
                Some(test) => quote!(#root.is_some_and(|#name| #test)),
            }),
        }
    }

    /// Returns code that tests that the value is missing; `None` if it never is.
    pub(crate) fn is_missing(&self) -> Option<TokenStream> {
        match self {
            Access::Sure(_) => None,
            Access::Maybe { option, .. } => Some(quote!(#option.is_none())),
            Access::Inside { root, name, inner } => Some(match inner.is_missing() {
                None => quote!(#root.is_none()),
                Some(test) => quote!(#root.is_none_or(|#name| #test)),
            }),
        }
    }

    /// Something of the value, or a fallback where it is missing.
    pub(crate) fn map_or(&self, fallback: &TokenStream, read: &dyn Fn(&Spot) -> TokenStream) -> TokenStream {
        match self {
            Access::Sure(spot) => read(spot),
            Access::Maybe { expr: root, name, .. } => {
                let read = read(&Spot::reference(name));
                quote!(#root.map_or(#fallback, |#name| #read))
            }
            Access::Inside { root, name, inner } => {
                let read = inner.map_or(fallback, read);
                quote!(#root.map_or(#fallback, |#name| #read))
            }
        }
    }
}

/// True if an identifier occurs in code.
pub(crate) fn mentions(code: &TokenStream, name: &str) -> bool {
    code.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Ident(ident) => ident == name,
        _ => false,
    })
}

/// True if a path that begins with a name occurs in code.
pub(crate) fn mentions_path(code: &TokenStream, name: &str) -> bool {
    let mut tokens = code.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Group(group) => mentions_path(&group.stream(), name),
            TokenTree::Ident(ident) => {
                ident == name && matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':')
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Reports whether a label or lifetime occurs in code.
pub(crate) fn mentions_label(code: &TokenStream, label: &Lifetime) -> bool {
    let mut quote = false;
    code.clone().into_iter().any(|token| {
        let after_quote = quote;
        quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        match token {
            TokenTree::Group(group) => mentions_label(&group.stream(), label),
            TokenTree::Ident(ident) => after_quote && ident == label.ident,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(access: &Access, want: &str) {
        assert_eq!(access.optional().to_string().replace(' ', ""), want.replace(' ', ""));
    }

    #[test]
    fn option_of_a_box_is_dereferenced() {
        let field = Access::sure("new").field(&format_ident!("next"));
        check(&field.through(&[Layer::Option, Layer::Box]), "new.next.as_deref()");
    }

    #[test]
    fn layers_below_a_missing_value_are_reached_inside_of_it() {
        let field = Access::maybe("old").field(&format_ident!("size"));
        check(&field.clone(), "old.map(|old| &old.size)");
        check(&field.clone().through(&[Layer::Newtype]), "old.map(|old| &old.size.0)");
        check(&field.through(&[Layer::Option]), "old.and_then(|old| old.size.as_ref())");
    }

    #[test]
    fn boxes_are_looked_through() {
        let field = Access::sure("new").field(&format_ident!("inner")).through(&[Layer::Box]);
        check(&field, "Some(&*new.inner)");
        check(&Access::sure("new"), "Some(new)");
    }

    #[test]
    fn label_is_not_a_field_of_the_same_name() {
        let label = Lifetime::new("'size", proc_macro2::Span::call_site());
        assert!(mentions_label(
            &quote!({
                break 'size;
            }),
            &label
        ));
        assert!(!mentions_label(&quote!({ new.size }), &label));
    }
}
