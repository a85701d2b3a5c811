//! Expressions that depend on the order of a list.

/// True if a CEL expression picks an element of a list by a number.
pub(crate) fn picks_by_position(expression: &str, list: &str) -> bool {
    expression.match_indices(list).any(|(at, _)| {
        let starts =
            !expression[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | '.'));
        let rest = expression[at + list.len()..].trim_start();
        let Some((index, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
        let index = index.trim();
        starts && !index.is_empty() && index.bytes().all(|digit| digit.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::picks_by_position;

    #[test]
    fn only_numbers_are_positions() {
        assert!(picks_by_position("size(self) == 0 || self[0] == 'a'", "self"));
        assert!(picks_by_position("self.names [ 12 ] != ''", "self.names"));
        for other in ["self['a'] == 1", "self[i] == 1", "myself[0] == 1", "self.names[0] == 1", "self.all(e, e > 0)"] {
            assert!(!picks_by_position(other, "self"), "{other}");
        }
    }
}
