//! The values that expressions are about, read from files or standard input.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, bail};
use sprag_decode::Format;
use sprag_value::Value;

use super::Values;
use super::session::Bound;
use crate::input::read_limited;

impl Values {
    pub(super) fn read(&self) -> anyhow::Result<Bound> {
        if [&self.new, &self.old].iter().all(|path| path.as_deref().is_some_and(is_stdin)) {
            bail!("only one of --self and --old can be read from standard input");
        }
        let read = |path: &Option<std::path::PathBuf>| path.as_deref().map(read).transpose();
        Ok(Bound { new: read(&self.new)?, old: read(&self.old)? })
    }
}

/// Reads one value.
pub(super) fn read(path: &Path) -> anyhow::Result<Value> {
    let (name, bytes) = if is_stdin(path) {
        ("standard input".to_owned(), read_limited(io::stdin().lock()))
    } else {
        (path.display().to_string(), File::open(path).and_then(read_limited))
    };
    decode(&bytes.with_context(|| name.clone())?).with_context(|| name)
}

fn decode(bytes: &[u8]) -> anyhow::Result<Value> {
    Ok(match Format::guess(bytes) {
        Format::Json => sprag_decode::json::decode(bytes)?,
        Format::Yaml => sprag_decode::yaml::decode(bytes)?,
    })
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
