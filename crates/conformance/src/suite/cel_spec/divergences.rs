//! The cases where cel-go, which Kubernetes runs, does not follow the language's own suite: cel-go holds.
//!
//! Each case was run through cel-go 0.29 with the extensions that Kubernetes enables, and gave Sprag's answer there.

/// Returns the reason why a case is known to differ, if it is.
pub(super) fn reason(id: &str) -> Option<&'static str> {
    LISTED.iter().find(|(_, ids)| ids.contains(&id)).map(|(reason, _)| *reason)
}

const LISTED: &[(&str, &[&str])] = &[
    (
        "maps made without a type check take doubles as keys",
        &["fields/qualified_identifier_resolution/map_key_float"],
    ),
    (
        "of equal keys of a map literal the last one stays",
        &["fields/qualified_identifier_resolution/map_value_repeat_key"],
    ),
    (
        "1 and 1u are different keys of a map literal",
        &["fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous"],
    ),
    (
        "an optional field of a value without fields is absent, not an error, unless a library option asks for it",
        &["optionals/optionals/map_null_entry_no_such_key", "optionals/optionals/map_present_key_invalid_field"],
    ),
    (
        "null is no optional value, so a list of both is one of nulls to the checker",
        &["type_deduction/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate"],
    ),
    ("Kubernetes declares a function `namespace` for authorizers", &["parse/receiver_function_names/namespace"]),
    (
        "indexOf and lastIndexOf find nothing after the end of a string",
        &["string_ext/value_errors/indexof_out_of_range", "string_ext/value_errors/lastindexof_out_of_range"],
    ),
    (
        "string library 2 has no `reverse` for strings",
        &["string_ext/reverse/empty", "string_ext/reverse/multiple", "string_ext/reverse/single_character"],
    ),
    (
        "string library 2 formats `%e` and `%f` for a locale",
        &[
            "string_ext/format/NaN support for scientific notation",
            "string_ext/format/default precision for scientific notation",
            "string_ext/format/dyntype support for scientific notation",
            "string_ext/format/negative infinity support for fixed-point",
            "string_ext/format/negative infinity support for scientific notation",
            "string_ext/format/positive infinity support for fixed-point",
            "string_ext/format/positive infinity support for scientific notation",
            "string_ext/format/scientific notation formatting clause",
            "string_ext/format/scientific notation formatting clause in a string variable",
        ],
    ),
    (
        "string library 2 refuses integers for `%e` and `%f`, and doubles for `%d`",
        &[
            "string_ext/format/NaN support for decimal",
            "string_ext/format/default precision for fixed-point clause with int",
            "string_ext/format/default precision for fixed-point clause with uint",
            "string_ext/format/default precision for scientific notation with int",
            "string_ext/format/default precision for scientific notation with uint",
            "string_ext/format/negative infinity support for decimal",
            "string_ext/format/positive infinity support for decimal",
        ],
    ),
    (
        "string library 2 formats parts of lists and maps as expressions",
        &[
            "string_ext/format/dyntype NaN/infinity support",
            "string_ext/format/dyntype support for lists",
            "string_ext/format/dyntype support for maps",
            "string_ext/format/list support for string",
            "string_ext/format/map support (all key types)",
            "string_ext/format/map support for string",
        ],
    ),
];
