//! Indexes of jobs as text: numbers and intervals separated by commas, such as `1,3-5`.

use sprag_field::quote;

/// The number of indexes, or what is wrong with them, as upstream's `validation.validateIndexesFormat`.
pub(super) fn count_indexes(text: &str, completions: i64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let (mut last, mut total) = (None, 0);
    for interval in text.split(',') {
        let (first, end) = parse_interval(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!("non-increasing order, previous: {last}, current: {first}"));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

/// Returns the first index that is both failed and completed, as upstream's
/// `validation.validateFailedIndexesNotOverlapCompleted`. Intervals that cannot be read are for [`count_indexes`] to
/// report.
pub(super) fn overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    if completed.is_empty() || failed.is_empty() {
        return None;
    }
    let parse = |interval: &str| parse_interval(interval, completions).ok();
    let mut completed = completed.split(',').filter_map(parse).peekable();
    let mut failed = failed.split(',').filter_map(parse).peekable();
    while let (Some(&(done, done_end)), Some(&(bad, bad_end))) = (completed.peek(), failed.peek()) {
        if done <= bad_end && bad <= done_end {
            return Some(done.max(bad));
        }
        if done <= bad {
            completed.next();
        } else {
            failed.next();
        }
    }
    None
}

/// As upstream's `validation.parseIndexInterval`.
fn parse_interval(interval: &str, completions: i64) -> Result<(i64, i64), String> {
    let index = |text: &str| -> Result<i64, String> {
        let index = parse_int(text)
            .ok_or_else(|| format!("cannot convert string to integer for index: {}", quote::go(text)))?;
        if index >= completions { Err(format!("too large index: {}", quote::go(text))) } else { Ok(index) }
    };
    let mut limits = interval.split('-');
    match (limits.next().unwrap_or_default(), limits.next(), limits.next()) {
        (_, _, Some(_)) => Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two parts separated by '-'",
            quote::go(interval)
        )),
        (first, None, None) => index(first).map(|first| (first, first)),
        (first, Some(end), None) => {
            let first = index(first)?;
            let end = index(end)?;
            if first >= end {
                return Err(format!("non-increasing order, previous: {first}, current: {end}"));
            }
            Ok((first, end))
        }
    }
}

/// A whole number as Go's `strconv.Atoi` reads it: digits after an optional sign.
fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_counted() {
        assert_eq!(count_indexes("", 5), Ok(0));
        assert_eq!(count_indexes("0,2-4", 5), Ok(4));
        let error = |text: &str| count_indexes(text, 5).unwrap_err();
        assert_eq!(error("1x"), r#"cannot convert string to integer for index: "1x""#);
        assert_eq!(error("-1"), r#"cannot convert string to integer for index: """#);
        assert_eq!(error("5"), r#"too large index: "5""#);
        assert_eq!(error("1-5"), r#"too large index: "5""#);
        assert_eq!(error("3-2"), "non-increasing order, previous: 3, current: 2");
        assert_eq!(error("0-2,2"), "non-increasing order, previous: 2, current: 2");
        assert!(error("1-2-3").starts_with(r#"the fragment "1-2-3" violates"#));
    }

    #[test]
    fn overlaps_are_found() {
        assert_eq!(overlap("0,2-4", "1", 9), None);
        assert_eq!(overlap("0,2-4", "1,3", 9), Some(3));
        assert_eq!(overlap("x,2-4", "3,y", 9), Some(3));
        assert_eq!(overlap("", "3", 9), None);
    }
}
