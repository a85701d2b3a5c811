//! Mail addresses, as far as certificates have them.

/// Tells if a text is a mail address as Go's `mail.ParseAddress` reads it: `local@domain`, perhaps between angle brackets and
/// behind a name.
pub(super) fn is_address(text: &str) -> bool {
    let text = text.trim_matches([' ', '\t']);
    match text.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((_, address)) => is_spec(address),
        None => is_spec(text),
    }
}

fn is_spec(address: &str) -> bool {
    let Some((local, domain)) = address.rsplit_once('@') else { return false };
    let is_quoted = |text: &str| {
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.is_some_and(|inner| !inner.contains(['"', '\n', '\r']))
    };
    let is_literal = domain.strip_prefix('[').is_some_and(|rest| rest.ends_with(']'));
    (is_atoms(local) || is_quoted(local)) && (is_atoms(domain) || is_literal)
}

/// Words with dots between them.
fn is_atoms(text: &str) -> bool {
    let is_letter =
        |letter: char| !letter.is_ascii() || letter.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(letter);
    text.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_name_and_a_domain() {
        for good in ["a@b", "a.b+c@example.com", "\"a b\"@example.com", "A <a@b>", "a@[127.0.0.1]"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "email@@address", "a..b@c", "a b@c", "a@b."] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
