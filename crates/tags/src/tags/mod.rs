//! Every tag: one file per family.

mod alpha_beta;
mod called;
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
pub(crate) mod item;
mod lists;
mod member_of;
mod mode;
mod monotonic;
mod opaque;
mod options;
mod payload;
mod presence;
mod releases;
mod size_limits;
mod subfield;
mod subresource;
mod union;
mod update;
mod warn;

pub(crate) use self::called::is_called;
pub(crate) use self::default::NATIVE;
pub(crate) use self::enums::constants;
pub use self::format::{FormatName, formats};
pub(crate) use self::member_of::{DeclaredUnion, GroupMember};
pub(crate) use self::payload::parse_int;
pub use self::releases::releases_of;
pub(crate) use self::releases::{is_range, tags_in};
use crate::registry::TagRule;

/// All tags, sorted by name.
pub(crate) fn all() -> Vec<TagRule> {
    let families = [
        alpha_beta::RULES,
        called::RULES,
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
        lists::RULES,
        member_of::RULES,
        mode::RULES,
        monotonic::RULES,
        opaque::RULES,
        options::RULES,
        presence::RULES,
        releases::RULES,
        size_limits::RULES,
        subfield::RULES,
        subresource::RULES,
        union::RULES,
        update::RULES,
        warn::RULES,
    ];
    let mut rules: Vec<TagRule> = families.into_iter().flatten().cloned().collect();
    rules.sort_by(|a, b| a.name.cmp(&b.name));
    rules
}
