//! Every tag: one file per family.

mod columns;
mod custom;
mod default;
mod dependents;
mod each;
mod enums;
mod equality;
mod feature;
mod fixed;
mod format;
mod immutable;
mod integer_bounds;
mod item;
mod levels;
mod lists;
mod mode;
mod monotonic;
mod opaque;
mod options;
mod payload;
mod presence;
mod size_limits;
mod subfield;
mod subresource;
mod union;
mod update;
mod virtual_fields;
mod warn;

pub(crate) use self::virtual_fields::{Declared as DeclaredUnion, Member as GroupMember};
use crate::registry::TagRule;

/// All tags, sorted by name.
pub(crate) fn all() -> Vec<TagRule> {
    let families = [
        columns::RULES,
        custom::RULES,
        default::RULES,
        dependents::RULES,
        each::RULES,
        enums::RULES,
        equality::RULES,
        feature::RULES,
        fixed::RULES,
        format::RULES,
        immutable::RULES,
        integer_bounds::RULES,
        item::RULES,
        levels::RULES,
        lists::RULES,
        mode::RULES,
        monotonic::RULES,
        opaque::RULES,
        options::RULES,
        presence::RULES,
        size_limits::RULES,
        subfield::RULES,
        subresource::RULES,
        union::RULES,
        update::RULES,
        virtual_fields::RULES,
        warn::RULES,
    ];
    let mut rules: Vec<TagRule> = families.into_iter().flatten().cloned().collect();
    rules.sort_by(|a, b| a.name.cmp(&b.name));
    rules
}
