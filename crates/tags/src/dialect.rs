//! The two readings of the tags, and how one is chosen.

use std::fmt;
use std::str::FromStr;

use sprag_idl::Syntax;
use sprag_idl::model::Language;

use crate::types::PackageInfo;

/// The document that defines the meaning of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The behaviour of the reference generator.
    Kubernetes,
    /// The behaviour that KEP-5073 describes.
    Kep,
}

/// The package tag that chooses a dialect: `+sprag:dialect=kep`.
pub const DIALECT_TAG: &str = "sprag:dialect";

impl Dialect {
    /// The dialect of a package: its tag, or the default of its language.
    pub fn of(package: &PackageInfo) -> Result<Dialect, UnknownDialect> {
        for line in &package.tags {
            if sprag_idl::tag_name(&line.text) == Some(DIALECT_TAG) {
                return sprag_idl::raw_value(&line.text).unwrap_or_default().trim().parse();
            }
        }
        Ok(match package.language {
            Language::Go => Dialect::Kubernetes,
            Language::Rust => Dialect::Kep,
        })
    }

    /// The spelling rules that go with the dialect.
    pub fn syntax(self) -> Syntax {
        match self {
            Dialect::Kubernetes => Syntax::Kubernetes,
            Dialect::Kep => Syntax::Kep,
        }
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        match text {
            "kep" => Ok(Dialect::Kep),
            "kubernetes" => Ok(Dialect::Kubernetes),
            _ => Err(UnknownDialect(text.to_owned())),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Kubernetes => "kubernetes",
            Dialect::Kep => "kep",
        })
    }
}

/// A dialect name that is neither `kep` nor `kubernetes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown dialect {:?}: use `kep` or `kubernetes`", self.0)
    }
}

impl std::error::Error for UnknownDialect {}
