//! "Did you mean": the known name that is nearest to an unknown one.

/// Minimum similarity of two names, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.7;

/// The nearest of the known names, if one is near enough.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = name.to_lowercase();
    let rated = known.into_iter().map(|known| (strsim::jaro_winkler(&wanted, &known.to_lowercase()), known));
    let best = rated.fold(None, |best: Option<(f64, &str)>, rated| match best {
        Some(best) if best.0 >= rated.0 => Some(best),
        _ => Some(rated),
    });
    best.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY).map(|(_, known)| known)
}

/// Maximum number of names listed in a message.
const MAX_LISTED: usize = 8;

/// Lists the first names, with an ellipsis for the rest.
pub fn some_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.into_iter().take(MAX_LISTED + 1).collect();
    if names.len() > MAX_LISTED {
        names[MAX_LISTED] = "…";
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = ["Widget", "WidgetSpec", "Gadget"];
        assert_eq!(nearest("widget", known), Some("Widget"));
        assert_eq!(nearest("WigdetSpec", known), Some("WidgetSpec"));
        assert_eq!(nearest("Pod", known), None);
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(some_of(["a", "b"]), "a, b");
        assert_eq!(some_of(["a"; 9]), "a, a, a, a, a, a, a, a, …");
    }
}
