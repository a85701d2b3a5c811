//! The facts in which releases differ beyond declarations. A fact is here because recorded answers differ.

use crate::release::Release::V1_36;
use crate::releases::Releases;

/// Defines the facts: a sentence, the releases it is true of, and upstream's symbol or pull request.
macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $name:ident: $range:ident($release:expr), $upstream:literal;)+) => {
        /// Something that code does in some releases only; the name says what is true of those.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fact {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Fact {
            /// All facts.
            pub const ALL: &[Fact] = &[$(Fact::$name),+];

            /// The releases in which it holds.
            pub const fn releases(self) -> Releases {
                match self {
                    $(Fact::$name => Releases::$range($release),)+
                }
            }

            /// Upstream's symbol or pull request.
            pub const fn upstream(self) -> &'static str {
                match self {
                    $(Fact::$name => $upstream,)+
                }
            }
        }
    };
}

facts! {
    /// Rules of the object as a new one run twice on update: in the strategy and in the function for updates that it calls.
    JudgesNewObjectTwice: until(V1_36), "persistentvolume.persistentvolumeStrategy.ValidateUpdate and its like";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_divides_the_releases() {
        for fact in Fact::ALL {
            assert!(!fact.releases().is_all() && !fact.releases().is_none(), "{fact:?}");
            assert!(!fact.upstream().is_empty(), "{fact:?}");
        }
    }
}
