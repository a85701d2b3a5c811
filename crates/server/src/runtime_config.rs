//! Versions of the API that are served or hidden by upstream's flag `--runtime-config`.

use sprag_rest::Definition;

use crate::error::Error;

/// Switches of versions of the API.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuntimeConfig {
    switches: Vec<(String, bool)>,
}

impl RuntimeConfig {
    /// Reads switches like `batch/v1=false` and `api/all=true`.
    pub(crate) fn parse(switches: &[String]) -> Result<RuntimeConfig, Error> {
        let parse = |switch: &String| {
            let (key, value) = switch.split_once('=').unwrap_or((switch, ""));
            match value {
                "" | "true" => Ok((key.trim().to_owned(), true)),
                "false" => Ok((key.trim().to_owned(), false)),
                // As upstream's resourceconfig.getRuntimeConfigValue.
                _ => Err(Error::Usage(format!(
                    "invalid value of runtime-config {key}={value}: it must be true or false"
                ))),
            }
        };
        let switches = switches.iter().filter(|switch| !switch.trim().is_empty()).map(parse);
        Ok(RuntimeConfig { switches: switches.collect::<Result<_, _>>()? })
    }

    /// Hides what is switched off.
    pub(crate) fn apply(&self, definitions: &mut [Definition]) {
        if self.switches.is_empty() {
            return;
        }
        for (key, _) in self.switches.iter().filter(|(key, on)| *on && !key.starts_with("api/")) {
            let is_served = |definition: &Definition| {
                definition.versions.iter().any(|version| covers(key, definition, &version.name))
            };
            if !definitions.iter().any(is_served) {
                tracing::warn!("--runtime-config: {key} is not served");
            }
        }
        for definition in definitions {
            let served: Vec<bool> =
                definition.versions.iter().map(|version| self.serves(definition, &version.name)).collect();
            for (version, served) in definition.versions.iter_mut().zip(served) {
                version.served &= served;
            }
        }
    }

    /// As upstream's `resourceconfig.MergeAPIResourceConfigs`: what says more about a version counts more.
    fn serves(&self, definition: &Definition, version: &str) -> bool {
        let stability = ["alpha", "beta"].into_iter().find(|stability| version.contains(stability)).unwrap_or("ga");
        let group = definition.group();
        let resource = &definition.resource.resource;
        let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
        let keys =
            [format!("{group_version}/{resource}"), group_version, format!("api/{stability}"), "api/all".to_owned()];
        let switch = |key: &String| self.switches.iter().rev().find(|(switched, _)| switched == key).map(|(_, on)| *on);
        keys.iter().find_map(switch).unwrap_or(true)
    }
}

fn covers(key: &str, definition: &Definition, version: &str) -> bool {
    let group = definition.group();
    let resource = &definition.resource.resource;
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    key == group_version || key == format!("{group_version}/{resource}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(switches: &[&str], group: &str, resource: &str) -> bool {
        let switches: Vec<String> = switches.iter().map(|switch| (*switch).to_owned()).collect();
        let mut definitions = sprag_kinds::definitions();
        RuntimeConfig::parse(&switches).unwrap().apply(&mut definitions);
        let found = definitions.iter().find(|found| found.group() == group && found.resource.resource == resource);
        found.unwrap().versions.iter().any(|version| version.served)
    }

    #[test]
    fn versions_are_switched_off_by_what_says_most() {
        assert!(served(&[], "batch", "jobs"));
        assert!(!served(&["batch/v1=false"], "batch", "jobs"));
        assert!(served(&["batch/v1=false"], "apps", "deployments"));
        assert!(!served(&["batch/v1/jobs=false"], "batch", "jobs"));
        assert!(served(&["batch/v1/jobs=false"], "batch", "cronjobs"));
        assert!(served(&["api/all=false", "batch/v1=true"], "batch", "jobs"));
        assert!(!served(&["api/all=false", "batch/v1"], "apps", "deployments"));
        assert!(!served(&["api/ga=false", "api/all=true"], "", "pods"));
        assert!(!served(&["v1=false"], "", "pods"));
        let wrong = RuntimeConfig::parse(&["batch/v1=maybe".to_owned()]).unwrap_err().to_string();
        assert_eq!(wrong, "invalid value of runtime-config batch/v1=maybe: it must be true or false");
    }
}
