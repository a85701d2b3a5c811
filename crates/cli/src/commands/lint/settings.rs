//! The rules that run, and their levels.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use sprag_analysis::files::read_limited;
use sprag_analysis::nearest;
pub(crate) use sprag_lint::Chosen;
use sprag_lint::{ALL, Level, LintRule, Profile, Settings};

use super::LintArgs;
use crate::config::Lint;

/// The settings of the file.
pub(crate) fn of_file(config: &Lint, tags: &[PathBuf]) -> anyhow::Result<Chosen> {
    let args = LintArgs { tags: tags.to_vec(), ..LintArgs::default() };
    chosen(&args, config)
}

/// The settings of the file and of the command line together.
pub(super) fn chosen(args: &LintArgs, config: &Lint) -> anyhow::Result<Chosen> {
    let mut levels = BTreeMap::new();
    for (name, level) in &config.rules {
        levels.insert(rule(name)?.code, level_of(level).with_context(|| format!("lint.rules.{name}"))?);
    }
    for text in &args.rules {
        let (name, level) = text.split_once('=').ok_or_else(|| {
            anyhow!("--rule {text}: write RULE=LEVEL, such as {text}=error; the levels are off, warning and error")
        })?;
        levels.insert(rule(name)?.code, level_of(level).with_context(|| format!("--rule {text}"))?);
    }
    let profile = args.profile.as_ref().or(config.profile.as_ref());
    let profile = profile.map(|name| {
        Profile::named(name)
            .ok_or_else(|| anyhow!("lint.profile: there is no profile {name:?}; write kubernetes or crd"))
    });
    let exceptions = match args.exceptions.as_ref().or(config.exceptions.as_ref()) {
        None => Vec::new(),
        Some(file) => {
            let text = File::open(file).and_then(read_limited).with_context(|| file.display().to_string())?;
            let text = String::from_utf8(text).with_context(|| file.display().to_string())?;
            exceptions(&text).with_context(|| file.display().to_string())?
        }
    };
    let settings = Settings {
        forbidden: config.forbidden.clone(),
        preferred: config.preferred.clone(),
        naming: config.naming.clone(),
        exceptions,
        profile: profile.transpose()?,
    };
    Ok(Chosen { settings, registry: sprag_build::registry(&args.tags)?, levels })
}

/// The fields and types of a file of exceptions. Lines that are nothing of the kind are not repeated: it may be another file.
fn exceptions(text: &str) -> anyhow::Result<Vec<String>> {
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | ':');
    let lines = text.lines().map(str::trim).enumerate();
    let mut exceptions = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        if !line.contains('.') || !line.chars().all(is_path) {
            bail!("line {}: not a type or field, such as example.com/api/v1.WidgetSpec.size", index + 1);
        }
        exceptions.push(line.to_owned());
    }
    Ok(exceptions)
}

/// The rule of a name.
pub(super) fn rule(name: &str) -> anyhow::Result<&'static LintRule> {
    let name = name.trim();
    let Some(rule) = sprag_lint::find(name) else {
        let hint = nearest(name, ALL.iter().map(|rule| rule.name));
        let hint = hint.map_or(";".to_owned(), |known| format!("; did you mean {known:?}?"));
        bail!("there is no rule {name:?}{hint} `sprag docs lint` lists all")
    };
    Ok(rule)
}

fn level_of(name: &str) -> anyhow::Result<Level> {
    Level::named(name.trim()).ok_or_else(|| anyhow!("{name:?} is no level: off, warning or error"))
}
