//! The values that expressions are about, read from files, standard input or the command line.

use std::fs::File;
use std::io;

use anyhow::{Context, bail};
use sprag_analysis::files::{Place, read_limited};
use sprag_decode::Format;
use sprag_value::Value;

use super::Values;
use super::definition::{DefinedPlace, is_file};
use super::policy::PolicyValues;
use super::session::Bound;
use crate::output::Terminal;

/// The argument that stands for standard input.
const STDIN: &str = "-";

impl Values {
    pub(super) fn read(&self, terminal: &mut Terminal) -> anyhow::Result<Bound> {
        let policy = [&self.object, &self.old_object, &self.request, &self.params, &self.namespace_object];
        let all = [&self.new, &self.old].into_iter().chain(policy);
        let streams = all.filter(|value| value.as_deref() == Some(STDIN)).count();
        if streams + usize::from(self.crd.as_ref().is_some_and(Place::is_stdin)) > 1 {
            bail!("only one value can be read from standard input");
        }
        let read = |value: &Option<String>| value.as_deref().map(read).transpose();
        if policy.iter().any(|value| value.is_some()) {
            return Ok(Bound::Policy(PolicyValues {
                object: read(&self.object)?,
                old_object: read(&self.old_object)?,
                request: read(&self.request)?,
                params: read(&self.params)?,
                namespace_object: read(&self.namespace_object)?,
            }));
        }
        let new = read(&self.new)?;
        let old = read(&self.old)?;
        let Some(crd) = &self.crd else { return Ok(Bound::Values { new, old }) };
        let path = self.path.as_deref().unwrap_or_default();
        let place = DefinedPlace::find(crd, path, new.as_ref().or(old.as_ref()), terminal)?;
        let new = new.map(|value| place.value(value)).transpose().context("--self")?;
        let old = old.map(|value| place.value(value)).transpose().context("--old")?;
        Ok(Bound::Defined { place: Box::new(place), new, old })
    }
}

/// Reads one value: from standard input, from a file, or from the argument itself.
pub(super) fn read(value: &str) -> anyhow::Result<Value> {
    let (name, bytes) = match value {
        STDIN => ("standard input".to_owned(), read_limited(io::stdin().lock())),
        path if is_file(path) => (path.to_owned(), File::open(path).and_then(read_limited)),
        text => ("the value".to_owned(), Ok(text.as_bytes().to_vec())),
    };
    decode(&bytes.with_context(|| name.clone())?).with_context(|| name)
}

fn decode(bytes: &[u8]) -> anyhow::Result<Value> {
    Ok(match Format::guess(bytes) {
        Format::Json => sprag_decode::json::decode(bytes)?,
        Format::Yaml => sprag_decode::yaml::decode(bytes)?,
    })
}
