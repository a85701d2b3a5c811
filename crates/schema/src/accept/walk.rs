//! Every schema within a schema, those of forbidden keywords included.

use crate::props::{Dependency, Items, Props, PropsOrBool};

/// Calls `visit` for the schema and everything within.
pub(super) fn each<'p>(props: &'p Props, visit: &mut dyn FnMut(&'p Props)) {
    visit(props);
    children(props, &mut |child| each(child, visit));
}

/// Reports whether the schema or anything within is what is looked for.
pub(super) fn any(props: &Props, found: &dyn Fn(&Props) -> bool) -> bool {
    if found(props) {
        return true;
    }
    let mut any_child = false;
    children(props, &mut |child| any_child = any_child || any(child, found));
    any_child
}

fn children<'p>(props: &'p Props, visit: &mut dyn FnMut(&'p Props)) {
    match &props.items {
        Some(Items::One(item)) => visit(item),
        Some(Items::Many(items)) => items.iter().for_each(&mut *visit),
        None => {}
    }
    for list in [&props.all_of, &props.any_of, &props.one_of] {
        list.iter().for_each(&mut *visit);
    }
    props.not.iter().for_each(|not| visit(not));
    props.properties.values().for_each(&mut *visit);
    schema(props.additional_properties.as_ref(), visit);
    props.pattern_properties.values().for_each(&mut *visit);
    schema(props.additional_items.as_ref(), visit);
    props.definitions.values().for_each(&mut *visit);
    for dependency in props.dependencies.values() {
        if let Dependency::Props(props) = dependency {
            visit(props);
        }
    }
}

fn schema<'p>(value: Option<&'p PropsOrBool>, visit: &mut dyn FnMut(&'p Props)) {
    if let Some(PropsOrBool::Props(props)) = value {
        visit(props);
    }
}
