//! The files of a run: the root module, and a folder per package.

use proc_macro2::TokenStream;
use quote::quote;
use sprag_idl::Finding;
use sprag_idl::model::Language;
use sprag_program::{DefId, Plan, Root};
use sprag_tags::types::Universe;

use crate::cx::Cx;
use crate::names::ident;
use crate::types::TypePrinter;
use crate::validator::Printer;
use crate::{Options, Output, print, resources, shapes};

pub(crate) fn generate(universe: &Universe, plan: &Plan, options: &Options) -> Result<Output, Vec<Finding>> {
    let cx = Cx::new(universe, plan, options)?;
    let packages: Vec<usize> = (0..universe.packages().len()).filter(|package| cx.is_printed(*package)).collect();
    let printers: Vec<Printer<'_, '_>> = packages.iter().map(|package| Printer::new(&cx, *package)).collect();
    let mut functions: Vec<Vec<TokenStream>> = printers.iter().map(Printer::functions).collect();
    add_functions_for_missing(&cx, &printers, &mut functions);
    let mut output = Output::default();
    add(&cx, &mut output, "mod.rs".to_owned(), &root_items(&cx, &packages));
    if let Some(shape) = &cx.shape {
        let (shapes, ids) = shapes::below_roots(universe, plan, cx.rest.is_some());
        add(&cx, &mut output, "shapes.rs".to_owned(), &shapes::items(&shapes, shape));
        if let Some(rest) = &cx.rest {
            add(&cx, &mut output, "resources.rs".to_owned(), &resources::items(&cx, rest, shape, &ids));
        }
    }
    for (printer, mut functions) in printers.iter().zip(functions) {
        let module = &cx.modules[printer.package];
        let has_validators = !functions.is_empty();
        add(&cx, &mut output, format!("{module}/mod.rs"), &package_items(&cx, printer.package, has_validators));
        add(&cx, &mut output, format!("{module}/traits.rs"), &cx.trait_items(printer.package));
        if has_validators {
            let preamble = printer.preamble(&functions);
            functions.splice(0..0, preamble);
            functions.extend(roots(&cx, printer.package).map(|root| root_item(&cx, root)));
            add(&cx, &mut output, format!("{module}/validation.rs"), &functions);
        }
    }
    drop(printers);
    let findings = cx.into_findings();
    if findings.is_empty() { Ok(output) } else { Err(findings) }
}

/// Validators for missing values, where they are called; each may call further ones.
fn add_functions_for_missing(cx: &Cx<'_>, printers: &[Printer<'_, '_>], functions: &mut [Vec<TokenStream>]) {
    let mut done = std::collections::BTreeSet::new();
    loop {
        let next: Option<DefId> = cx.called_without.borrow().iter().copied().find(|def| !done.contains(def));
        let Some(def) = next else { return };
        done.insert(def);
        for (printer, functions) in printers.iter().zip(functions.iter_mut()) {
            if printer.package == cx.package(def) {
                functions.push(printer.function_for_missing(def));
            }
        }
    }
}

fn add(cx: &Cx<'_>, output: &mut Output, path: String, items: &[TokenStream]) {
    match print::file(items) {
        Ok(text) => output.files.push((path, text)),
        Err(error) => cx.refuse(format!("{path}: generated code does not parse: {error}")),
    }
}

fn root_items(cx: &Cx<'_>, packages: &[usize]) -> Vec<TokenStream> {
    let mut items = Vec::new();
    for &package in packages {
        let module = ident(&cx.modules[package]);
        let path = &cx.universe.packages()[package].path;
        let doc = format!(" Package `{path}`.");
        let attributes = module_attributes();
        items.push(quote! {
            #[doc = #doc]
            #attributes
            pub mod #module;
        });
    }
    if cx.shape.is_some() {
        let attributes = module_attributes();
        items.push(quote! {
            #attributes
            mod shapes;
        });
        let attributes = item_attributes();
        items.push(quote! {
            #attributes
            pub use self::shapes::SHAPES;
        });
        if cx.rest.is_some() {
            let attributes = module_attributes();
            items.push(quote! {
                #attributes
                mod resources;
            });
        }
    }
    let runtime = &cx.runtime;
    let entries = cx.plan.roots.iter().map(|root| {
        let package = &cx.universe.package_of(root.def).path;
        let name = &cx.universe.def(root.def).name;
        let ty = if cx.rust_path(cx.package(root.def)).is_some() {
            cx.type_path(root.def, cx.package(root.def), 0)
        } else {
            let module = ident(&cx.modules[cx.package(root.def)]);
            let name = crate::cx::type_ident(name);
            quote!(self::#module::#name)
        };
        quote!(#runtime::Entry::of::<#ty>(#package, #name))
    });
    let attributes = item_attributes();
    items.push(quote! {
        /// The validators of whole objects.
        #attributes
        pub static VALIDATORS: &[#runtime::Entry] = &[#(#entries),*];
    });
    items
}

/// Generated modules are as they are: no lint and no formatter looks into them.
fn module_attributes() -> TokenStream {
    quote! {
        #[rustfmt::skip]
        #[allow(
            clippy::all, clippy::pedantic, dead_code, missing_docs, non_camel_case_types, rustdoc::all,
            unreachable_pub, unused_imports, unused_variables,
        )]
    }
}

/// Items beside modules may be unused: the module around them may be private.
fn item_attributes() -> TokenStream {
    quote! {
        #[rustfmt::skip]
        #[allow(dead_code, unreachable_pub, unused_imports)]
    }
}

fn package_items(cx: &Cx<'_>, package: usize, has_validators: bool) -> Vec<TokenStream> {
    let validation = has_validators.then(|| {
        quote!(
            pub mod validation;
        )
    });
    let mut items = vec![quote!(mod traits; #validation)];
    if cx.universe.packages()[package].language == Language::Go {
        items.extend(TypePrinter { cx, package }.items());
    }
    items
}

fn roots<'c>(cx: &'c Cx<'_>, package: usize) -> impl Iterator<Item = &'c Root> {
    cx.plan.roots.iter().filter(move |root| cx.package(root.def) == package)
}

fn root_item(cx: &Cx<'_>, root: &Root) -> TokenStream {
    let runtime = &cx.runtime;
    let ty = cx.type_path(root.def, cx.package(root.def), 1);
    let go_type = &root.go_type;
    let subresources = &root.subresources;
    let function = cx.function(root.def);
    quote! {
        impl #runtime::Validate for #ty {
            const GO_TYPE: &'static str = #go_type;
            const SUBRESOURCES: &'static [&'static str] = &[#(#subresources),*];

            fn validate_at(at: &At<'_>, new: &Self, old: Option<&Self>, errors: &mut Errors) -> bool {
                #function(at, new, old, errors)
            }
        }
    }
}
