//! The objects under check, read from files or standard input.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, bail};
use sprag_analysis::files::read_limited;
use sprag_analysis::{Documents, Identity};
use sprag_value::Value;

use crate::output::Terminal;

/// An object, and what it was before.
pub(super) struct Objects {
    pub(super) new: Value,
    pub(super) old: Option<Value>,
}

impl Objects {
    /// Reads both; text that is neither JSON nor YAML is shown, and `None` returned.
    pub(super) fn read(new: &Path, old: Option<&Path>, terminal: &mut Terminal) -> anyhow::Result<Option<Objects>> {
        if is_stdin(new) && old.is_some_and(is_stdin) {
            bail!("only one of -f and --old can be read from standard input");
        }
        let new = read(new, terminal)?;
        let old = old.map(|old| read(old, terminal)).transpose()?;
        Ok(match (new, old) {
            (Some(new), None) => Some(Objects { new, old: None }),
            (Some(new), Some(Some(old))) => Some(Objects { new, old: Some(old) }),
            _ => None,
        })
    }
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The only document of a file; its type need not be named in it.
fn read(path: &Path, terminal: &mut Terminal) -> anyhow::Result<Option<Value>> {
    let mut name = path.display().to_string();
    let result = if is_stdin(path) {
        "standard input".clone_into(&mut name);
        read_limited(io::stdin().lock())
    } else {
        File::open(path).and_then(read_limited)
    };
    let bytes = result.with_context(|| name.clone())?;
    let mut documents = Documents::new(&bytes, 1).of_any_sort();
    let Some(first) = documents.next() else { return Ok(Some(Value::Null)) };
    match first.into_value() {
        Err(finding) => {
            terminal.object(&name, &Identity::default(), &finding);
            Ok(None)
        }
        Ok(_) if documents.next().is_some() => bail!("{name}: more than one document; sprag validate takes several"),
        Ok(value) => Ok(Some(value)),
    }
}
