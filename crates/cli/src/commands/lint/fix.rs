//! `--fix`: writes what mends findings.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Context;

use super::found::Found;

/// A range of bytes with what to write there.
type Edit = (std::ops::Range<usize>, String);

/// Mends all findings that come with an edit; says how many were. Of edits that touch each other the first is made.
pub(super) fn apply(found: &[Found]) -> anyhow::Result<usize> {
    let mut files: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
    for found in found {
        files.entry(&found.file).or_default().extend(&found.edits);
    }
    let mut changed = 0;
    for (file, mut edits) in files.into_iter().filter(|(_, edits)| !edits.is_empty()) {
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let text = fs::read_to_string(file).with_context(|| file.to_owned())?;
        let mut mended = String::with_capacity(text.len());
        let mut done = 0;
        for (range, with) in edits {
            let Some(before) = text.get(done..range.start).filter(|_| range.start >= done) else { continue };
            mended.push_str(before);
            mended.push_str(with);
            done = range.end;
            changed += 1;
        }
        mended.push_str(text.get(done..).unwrap_or_default());
        fs::write(file, mended).with_context(|| file.to_owned())?;
    }
    Ok(changed)
}
