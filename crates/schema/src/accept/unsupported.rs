//! Keywords that keep a schema from being structural at all.

use crate::props::{Items, Props, PropsOrBool};

const NO_ITEM_LISTS: &str = "OpenAPIV3Schema 'items' must be a schema, but is an array";
const NO_FALSE_PRESERVE: &str = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";

/// The first keyword in the schema or below that no structural schema has, in upstream's words.
pub(super) fn find(props: &Props) -> Option<&'static str> {
    keyword(props)
        .or_else(|| props.not.as_deref().and_then(find))
        .or_else(|| [&props.all_of, &props.any_of, &props.one_of].into_iter().flatten().find_map(find))
        .or_else(|| (props.preserve_unknown_fields == Some(false)).then_some(NO_FALSE_PRESERVE))
        .or_else(|| match &props.items {
            Some(Items::Many(schemas)) if !schemas.is_empty() => Some(NO_ITEM_LISTS),
            Some(Items::One(item)) => find(item),
            _ => None,
        })
        .or_else(|| props.properties.values().find_map(find))
        .or_else(|| match &props.additional_properties {
            Some(PropsOrBool::Props(props)) => find(props),
            _ => None,
        })
}

fn keyword(props: &Props) -> Option<&'static str> {
    let unsupported = [
        (!props.id.is_empty(), "OpenAPIV3Schema 'id' is not supported"),
        (!props.schema.is_empty(), "OpenAPIV3Schema 'schema' is not supported"),
        (props.reference.as_ref().is_some_and(|to| !to.is_empty()), "OpenAPIV3Schema '$ref' is not supported"),
        (!props.pattern_properties.is_empty(), "OpenAPIV3Schema 'patternProperties' is not supported"),
        (!props.dependencies.is_empty(), "OpenAPIV3Schema 'dependencies' is not supported"),
        (props.additional_items.is_some(), "OpenAPIV3Schema 'additionalItems' is not supported"),
        (!props.definitions.is_empty(), "OpenAPIV3Schema 'definitions' is not supported"),
    ];
    unsupported.into_iter().find(|(found, _)| *found).map(|(_, text)| text)
}
