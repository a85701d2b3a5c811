//! The places that texts come from: memory, or whatever a caller reads.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use crate::standing::Standing;

/// Texts of a workspace, which can be read more than once.
pub trait Source: Send + Sync {
    /// True if there are no texts.
    fn is_empty(&self) -> bool;

    /// The texts, in an order that is the same every time; each is opened when its turn comes.
    fn texts(&self) -> Box<dyn Iterator<Item = Text> + Send>;
}

/// A text to read.
pub struct Text {
    /// The name shown for it.
    pub name: Arc<str>,
    /// Its bytes, or why they cannot be read.
    pub reader: io::Result<Box<dyn Read + Send>>,
    /// True if it is the output of a program that renders templates.
    pub is_rendered: bool,
    /// The way it came to be read.
    pub standing: Standing,
}

/// Texts in memory, by name.
///
/// ```
/// use sprag_analysis::{Source, Texts};
///
/// let texts = Texts::new([("pod.yaml", "kind: Pod")]);
/// assert_eq!(&*texts.texts().next().unwrap().name, "pod.yaml");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<(Arc<str>, Arc<[u8]>)>);

impl Texts {
    /// Takes names and contents.
    pub fn new<N: Into<Arc<str>>, C: AsRef<[u8]>>(texts: impl IntoIterator<Item = (N, C)>) -> Texts {
        Texts(texts.into_iter().map(|(name, content)| (name.into(), content.as_ref().into())).collect())
    }
}

impl Source for Texts {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn texts(&self) -> Box<dyn Iterator<Item = Text> + Send> {
        let open = |(name, content)| Text {
            name,
            reader: Ok(Box::new(Cursor::new(content))),
            is_rendered: false,
            standing: Standing::Named,
        };
        Box::new(self.0.clone().into_iter().map(open))
    }
}
