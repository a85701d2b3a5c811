//! The rules: one file each, one line here.

mod allow_unused;
mod allow_without_reason;
mod comment_start;
mod conditions_form;
mod default_and_required;
mod default_breaks_rule;
mod default_form;
mod definition_refused;
mod deprecated_name;
mod element_without_required;
mod enum_out_of_limits;
mod enum_repeats;
mod integer_width;
mod json_name;
mod keyword_without_effect;
mod limits_contradict;
mod limits_cross;
mod list_type_missing;
mod list_type_unset;
mod marker_alone;
mod marker_ambiguous;
mod marker_forbidden;
mod marker_misplaced;
mod marker_preferred;
mod marker_repeated;
mod marker_unknown;
mod marker_unread;
mod marker_value;
mod message_missing;
mod name_part;
mod no_bools;
mod no_durations;
mod no_floats;
mod no_maps;
mod no_max_length;
mod no_min_length;
mod no_phase;
mod nullable;
mod optional_and_required;
mod optional_form;
mod optional_in_rule;
mod optional_or_required;
mod order_sensitive;
mod position_in_rule;
mod preserve_unknown;
mod reference_name;
mod required_defaulted;
mod required_form;
mod required_undeclared;
pub(crate) mod requiredness_missing;
mod rule_near_budget;
pub(crate) mod stage_inside;
mod status_not_subresource;
mod status_required;
mod status_subresource;
mod struct_presence;
mod tag_error;
mod timestamp_name;
mod typedef_chain;
mod unbounded_in_rule;
mod unknown_format;
mod unknown_subresource;
mod unmirrored_rule;
mod unsatisfiable;
pub(crate) mod unstable_tag;
mod versions_differ;

use crate::rule::LintRule;

/// All rules, sorted by code.
pub static ALL: &[LintRule] = &[
    allow_without_reason::RULE,
    allow_unused::RULE,
    tag_error::RULE,
    stage_inside::RULE,
    unstable_tag::RULE,
    requiredness_missing::RULE,
    unmirrored_rule::RULE,
    versions_differ::RULE,
    typedef_chain::RULE,
    limits_contradict::RULE,
    unsatisfiable::RULE,
    deprecated_name::RULE,
    order_sensitive::RULE,
    default_breaks_rule::RULE,
    unknown_subresource::RULE,
    marker_unknown::RULE,
    marker_misplaced::RULE,
    marker_value::RULE,
    marker_unread::RULE,
    element_without_required::RULE,
    comment_start::RULE,
    conditions_form::RULE,
    optional_and_required::RULE,
    default_and_required::RULE,
    default_form::RULE,
    marker_alone::RULE,
    marker_repeated::RULE,
    marker_forbidden::RULE,
    integer_width::RULE,
    json_name::RULE,
    no_max_length::RULE,
    no_min_length::RULE,
    name_part::RULE,
    no_bools::RULE,
    no_durations::RULE,
    no_floats::RULE,
    no_maps::RULE,
    struct_presence::RULE,
    nullable::RULE,
    no_phase::RULE,
    reference_name::RULE,
    timestamp_name::RULE,
    optional_form::RULE,
    optional_or_required::RULE,
    marker_preferred::RULE,
    required_form::RULE,
    list_type_unset::RULE,
    status_required::RULE,
    status_subresource::RULE,
    marker_ambiguous::RULE,
    definition_refused::RULE,
    enum_repeats::RULE,
    keyword_without_effect::RULE,
    limits_cross::RULE,
    list_type_missing::RULE,
    message_missing::RULE,
    preserve_unknown::RULE,
    required_defaulted::RULE,
    required_undeclared::RULE,
    rule_near_budget::RULE,
    status_not_subresource::RULE,
    unbounded_in_rule::RULE,
    unknown_format::RULE,
    position_in_rule::RULE,
    enum_out_of_limits::RULE,
    optional_in_rule::RULE,
];
