//! Match conditions of webhooks and policies.

use sprag_checks::At;
use sprag_checks::format::Format;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::List;

use super::expression::{Compiler, ExpressionError, Returns, Scope};
use crate::core::pod::Seen;
use crate::views::admissionregistration_v1::MatchCondition;

/// As upstream's `validation.validateMatchConditions`, without their number. `known` are the expressions of the old object.
pub(super) fn validate_match_conditions(
    conditions: List<'_, MatchCondition<'_>>,
    has_params: bool,
    known: &[&str],
    at: &At<'_>,
    errors: &mut Errors,
) {
    let scope = Scope { params: has_params, authorizer: true, patches: false };
    let mut names = Seen::new();
    for (index, condition) in conditions.iter().enumerate() {
        let at = at.index(index);
        let text = condition.expression().trim();
        let at_text = at.child("expression");
        if !condition.check_expression(&at, errors) {
            let compiled = Compiler::without_variables(errors.release()).compile(
                text,
                scope,
                Returns::Bool,
                known.contains(&text),
            );
            if let Err(error) = compiled {
                errors.push(expression_error(&error, text, &at_text));
            }
        }
        condition.check_name(&at, errors);
        let name = condition.name();
        if !name.is_empty() && !names.insert(name) {
            errors.push(Error::duplicate(&at.child("name"), name));
        }
    }
}

/// As upstream's `validation.ValidateQualifiedName`.
pub(super) fn validate_qualified_name(name: &str, at: &Path<'_>, errors: &mut Errors) {
    Format::LabelKey.check(name, &mut |flaw| errors.push(Error::invalid(at, name, flaw.detail)));
}

/// As upstream's `validation.convertCELErrorToValidationError`.
pub(super) fn expression_error(error: &ExpressionError, text: &str, at: &Path<'_>) -> Error {
    match error {
        ExpressionError::Invalid(detail) => Error::invalid(at, text, detail.clone()),
        ExpressionError::Internal(detail) => Error::internal(at, detail),
    }
}

/// The expressions of conditions.
pub(super) fn expressions<'v>(conditions: List<'v, MatchCondition<'v>>) -> impl Iterator<Item = &'v str> {
    conditions.iter().map(|condition| condition.expression())
}
