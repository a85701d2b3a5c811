//! Run-time shapes of all types below the roots, as `static` data.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use sprag_program::{DefId, Plan};
use sprag_shape::{
    Field, Kind, ListType, MapType, Message, Patch, Shapes, Slot, Str, TypeId, TypeRef, TypeShape, UnknownFields,
};
use sprag_tags::ShapeTable;
use sprag_tags::types::Universe;

use crate::names::ident;
use crate::resources;

/// The items of the module with the shapes.
pub(crate) fn items(shapes: &Shapes, shape: &syn::Path) -> Vec<TokenStream> {
    let types = shapes.types().iter().zip(0usize..).map(|(ty, at)| type_shape(ty, at));
    let types: Vec<TokenStream> = types.collect();
    let count = Literal::usize_unsuffixed(types.len());
    let mut items = vec![
        quote! {
            use std::borrow::Cow;
            use #shape::{
                Field, Kind, ListType, Message, Patch, Shapes, Slot, Str, TypeId, TypeRef, TypeShape, UnknownFields,
            };
        },
        quote! {
            /// The run-time shapes of all types below the roots.
            pub static SHAPES: Shapes = Shapes::from_static(&TYPES);

            static TYPES: [TypeShape; #count] = [#(#types),*];
        },
    ];
    for (ty, at) in shapes.types().iter().zip(0usize..) {
        if let Kind::Struct { fields, lookup } = &ty.kind {
            items.push(fields_and_lookup(fields, lookup, at));
        }
    }
    items
}

/// The shapes that roots lead to, numbered anew in their old order, and which of them is whose.
pub(crate) fn below_roots(universe: &Universe, plan: &Plan, with_resources: bool) -> (Shapes, BTreeMap<DefId, TypeId>) {
    let table = ShapeTable::new(universe);
    let resources = if with_resources { resources::defs(universe, plan) } else { Vec::new() };
    let defs = plan.roots.iter().map(|root| root.def).chain(resources);
    let root = |def| Some((def, table.type_ref(universe, universe.type_of_def(def)?).id));
    let roots: BTreeMap<DefId, TypeId> = defs.filter_map(root).collect();
    let mut work: Vec<TypeId> = roots.values().copied().collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = work.pop() {
        if reached.insert(id) {
            work.extend(references(&table.shapes.get(id).kind).map(|reference| reference.id));
        }
    }
    let numbers: BTreeMap<TypeId, TypeId> = reached.iter().copied().zip((0u32..).map(TypeId)).collect();
    let renumbered = |reference: TypeRef| TypeRef { id: numbers[&reference.id], ..reference };
    let types = reached.iter().map(|id| {
        let mut ty = table.shapes.get(*id).clone();
        match &mut ty.kind {
            Kind::List { elem, .. } => *elem = renumbered(*elem),
            Kind::Map { key, value } => (*key, *value) = (renumbered(*key), renumbered(*value)),
            Kind::Struct { fields, .. } => {
                fields.to_mut().iter_mut().for_each(|field| field.ty = renumbered(field.ty));
            }
            _ => {}
        }
        ty
    });
    let shapes = Shapes::new(types.collect());
    (shapes, roots.into_iter().map(|(def, id)| (def, numbers[&id])).collect())
}

fn references(kind: &Kind) -> impl Iterator<Item = TypeRef> {
    let (pair, fields): ([Option<TypeRef>; 2], &[Field]) = match kind {
        Kind::List { elem, .. } => ([Some(*elem), None], &[]),
        Kind::Map { key, value } => ([Some(*key), Some(*value)], &[]),
        Kind::Struct { fields, .. } => ([None, None], fields),
        _ => ([None, None], &[]),
    };
    pair.into_iter().flatten().chain(fields.iter().map(|field| field.ty))
}

fn type_shape(ty: &TypeShape, at: usize) -> TokenStream {
    let name = ty.name.as_ref();
    let kind = kind(&ty.kind, at);
    let mut code = quote!(TypeShape::new(#name, #kind));
    code.extend(text_setter("doc", &ty.doc));
    if ty.unknown != UnknownFields::Prune {
        let policy = ident(&format!("{:?}", ty.unknown));
        code.extend(quote!(.unknown(UnknownFields::#policy)));
    }
    code.extend(ty.atomic.then(|| quote!(.atomic())));
    if !ty.validated_by.is_empty() {
        let function = &*ty.validated_by;
        code.extend(quote!(.validated_by(#function)));
    }
    if !ty.enum_values.is_empty() {
        let values = texts(&ty.enum_values);
        code.extend(quote!(.enum_values(const { &#values })));
    }
    if let Some(discriminator) = ty.union.as_deref() {
        code.extend(quote!(.union(#discriminator)));
    }
    // Sources declare no other messages than these.
    code.extend((ty.message == Message::Items).then(|| quote!(.message(Message::Items))));
    code
}

fn kind(kind: &Kind, at: usize) -> TokenStream {
    match kind {
        Kind::Int { bits, signed } => {
            let bits = Literal::u8_unsuffixed(*bits);
            quote!(Kind::Int { bits: #bits, signed: #signed })
        }
        Kind::Float { bits } => {
            let bits = Literal::u8_unsuffixed(*bits);
            quote!(Kind::Float { bits: #bits })
        }
        Kind::List { elem, list } => {
            let elem = reference(*elem);
            let list = list_type(list);
            quote!(Kind::List { elem: #elem, list: #list })
        }
        Kind::Map { key, value } => {
            let key = reference(*key);
            let value = reference(*value);
            quote!(Kind::Map { key: #key, value: #value })
        }
        Kind::Struct { .. } => {
            let fields = numbered("FIELDS", at);
            let lookup = numbered("LOOKUP", at);
            quote!(Kind::Struct { fields: Cow::Borrowed(&#fields), lookup: Cow::Borrowed(&#lookup) })
        }
        plain => {
            let name = ident(&format!("{plain:?}"));
            quote!(Kind::#name)
        }
    }
}

fn fields_and_lookup(fields: &[Field], lookup: &[Slot], at: usize) -> TokenStream {
    let name = numbered("FIELDS", at);
    let order = numbered("LOOKUP", at);
    let count = Literal::usize_unsuffixed(fields.len());
    let slots = Literal::usize_unsuffixed(lookup.len());
    let fields = fields.iter().map(field);
    let lookup = lookup.iter().map(|slot| {
        let owner = Literal::u32_unsuffixed(slot.owner.0);
        let field = Literal::u16_unsuffixed(slot.field);
        quote!(Slot { owner: TypeId(#owner), field: #field })
    });
    quote! {
        static #name: [Field; #count] = [#(#fields),*];
        static #order: [Slot; #slots] = [#(#lookup),*];
    }
}

fn field(field: &Field) -> TokenStream {
    let json = field.json.as_ref();
    let name = field.name.as_ref();
    let ty = reference(field.ty);
    let mut code =
        if field.inline { quote!(Field::embedded(#name, #ty)) } else { quote!(Field::new(#json, #name, #ty)) };
    code.extend(field.omit_empty.then(|| quote!(.omit_empty())));
    code.extend(field.omit_zero.then(|| quote!(.omit_zero())));
    code.extend(field.required.then(|| quote!(.required())));
    code.extend(match field.map {
        MapType::Unset => None,
        MapType::Atomic => Some(quote!(.atomic())),
        MapType::Granular => Some(quote!(.granular())),
    });
    if field.list != ListType::Unset {
        let list = list_type(&field.list);
        code.extend(quote!(.list(#list)));
    }
    if field.patch != Patch::REPLACE {
        let Patch { merge, retain_keys, replaces_object, merge_key } = &field.patch;
        let key = merge_key.as_ref();
        code.extend(quote! {
            .patch(Patch {
                merge: #merge,
                retain_keys: #retain_keys,
                replaces_object: #replaces_object,
                merge_key: Cow::Borrowed(#key)
            })
        });
    }
    if field.protobuf != 0 {
        let number = Literal::u32_unsuffixed(field.protobuf);
        code.extend(quote!(.protobuf(#number)));
    }
    code.extend(text_setter(if field.hides_default { "hidden_default" } else { "default" }, &field.default));
    code.extend(text_setter("deprecated", &field.deprecated));
    code.extend(text_setter("doc", &field.doc));
    code
}

fn text_setter(method: &str, text: &str) -> Option<TokenStream> {
    let method = ident(method);
    (!text.is_empty()).then(|| quote!(.#method(#text)))
}

fn list_type(list: &ListType) -> TokenStream {
    match list {
        ListType::Unset => quote!(ListType::Unset),
        ListType::Atomic => quote!(ListType::Atomic),
        ListType::Set => quote!(ListType::Set),
        ListType::Map(keys) => {
            let keys = texts(keys);
            quote!(ListType::Map(Cow::Borrowed(const { &#keys })))
        }
    }
}

fn texts(texts: &[Str]) -> TokenStream {
    let texts = texts.iter().map(Cow::as_ref);
    quote!([#(Cow::Borrowed(#texts)),*])
}

fn reference(reference: TypeRef) -> TokenStream {
    let id = Literal::u32_unsuffixed(reference.id.0);
    if reference.nullable { quote!(TypeRef::pointer(TypeId(#id))) } else { quote!(TypeRef::value(TypeId(#id))) }
}

fn numbered(name: &str, at: usize) -> Ident {
    ident(&format!("{name}_{at}"))
}
