//! Names of resources and kinds, and generated names of objects.

use std::borrow::Cow;
use std::fmt;

use sprag_checks::object_meta::Usage;
use sprag_field::quote;
use sprag_value::Text;

/// A resource of a group: `widgets.example.com`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    /// The API group, empty for the core group.
    pub group: String,
    /// The plural name.
    pub resource: String,
}

/// A kind in one version of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupVersionKind {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// The name of upstream's internal version.
pub(crate) const INTERNAL: &str = "__internal";

/// Reports each flaw of a name in Kubernetes' words; see [`sprag_checks::object_meta`] for the usual ones.
pub type NameRule = dyn Fn(&str, Usage, &mut dyn FnMut(Cow<'static, str>)) + Send + Sync;

/// Makes up a name that begins with a given text.
pub trait NameGenerator: Send + Sync {
    /// A name that begins with `base`, as far as there is room for it. Every call may yield another.
    fn generate(&self, base: &str, entropy: &dyn Entropy) -> String;
}

/// A source of randomness.
pub trait Entropy: Send + Sync {
    /// Fills the bytes.
    fn fill(&self, bytes: &mut [u8]);
}

/// The usual names: the base and five random characters that form no words.
#[derive(Clone, Copy, Debug, Default)]
pub struct SimpleNameGenerator;

/// The most characters a generated name has.
const MAX_NAME: usize = 63;
const SUFFIX: usize = 5;
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

impl GroupResource {
    /// The resource with this plural name.
    pub fn new(group: impl Into<String>, resource: impl Into<String>) -> GroupResource {
        GroupResource { group: group.into(), resource: resource.into() }
    }
}

impl GroupVersionKind {
    /// The kind of this name.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> GroupVersionKind {
        GroupVersionKind { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// The `apiVersion` of the kind.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Upstream's error for a kind that is not registered in the scheme at this position of its source.
    pub fn not_registered(&self, place_in_source: &str) -> String {
        let version = match self.version.as_str() {
            INTERNAL => format!("the internal version of group {}", quote::go(&self.group)),
            _ => format!("version {}", quote::go(&self.api_version())),
        };
        format!("no kind {} is registered for {version} in scheme {place_in_source:?}", quote::go(&self.kind))
    }
}

/// The `apiVersion` of a group and version.
pub fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// The group and version of an `apiVersion`.
pub fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

impl NameGenerator for SimpleNameGenerator {
    fn generate(&self, base: &str, entropy: &dyn Entropy) -> String {
        let mut name = truncated(base, MAX_NAME - SUFFIX).to_owned();
        let mut random = [0; SUFFIX];
        entropy.fill(&mut random);
        name.extend(random.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])));
        name
    }
}

/// The beginning of a text that fits into so many bytes.
fn truncated(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// A random uid, in the form of a version 4 UUID.
pub fn new_uid(entropy: &dyn Entropy) -> Text {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut uid = [b'-'; 36];
    // Dashes stand before the bytes 4, 6, 8 and 10.
    for (at, byte) in bytes.into_iter().enumerate() {
        let place = 2 * at + (at / 2).clamp(1, 5) - 1;
        uid[place] = b"0123456789abcdef"[usize::from(byte >> 4)];
        uid[place + 1] = b"0123456789abcdef"[usize::from(byte & 0xf)];
    }
    Text::from(std::str::from_utf8(&uid).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Constant(u8);

    impl Entropy for Constant {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn generated_names_fit_into_a_label() {
        let generate = |base: &str| SimpleNameGenerator.generate(base, &Constant(1));
        assert_eq!(generate("web-"), "web-ccccc");
        assert_eq!(generate(&"x".repeat(80)), format!("{}ccccc", "x".repeat(58)));
        assert_eq!(generate(&"ä".repeat(40)), format!("{}ccccc", "ä".repeat(29)));
        assert_eq!(SimpleNameGenerator.generate("", &Constant(255)), "qqqqq");
    }

    #[test]
    fn uids_are_random_uuids() {
        assert_eq!(new_uid(&Constant(0)).as_str(), "00000000-0000-4000-8000-000000000000");
        assert_eq!(new_uid(&Constant(255)).as_str(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }

    #[test]
    fn api_versions_are_joined_and_split() {
        assert_eq!(GroupVersionKind::new("apps", "v1", "Deployment").api_version(), "apps/v1");
        assert_eq!(api_version("", "v1"), "v1");
        assert_eq!((split_api_version("apps/v1"), split_api_version("v1")), (("apps", "v1"), ("", "v1")));
        assert_eq!(GroupResource::new("apps", "deployments").to_string(), "deployments.apps");
    }
}
