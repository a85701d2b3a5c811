//! The way a text came to be read, and the reasons why what was found is not validated.

/// The way a text came to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It was named, or comes from standard input: what it has must be objects.
    Named,
    /// It is the output of a program that renders templates.
    Rendered,
    /// It was found in a folder, which may hold other things than manifests.
    Found,
    /// It was found and is not read.
    Passed(Passed),
}

/// The reason why a file or object that was found in a folder is not validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Passed {
    /// It has no `apiVersion` and `kind`.
    NotManifest,
    /// It is a template.
    Template,
    /// It is a patch or another part of a kustomization.
    KustomizePart,
    /// It configures a program: kustomize, kind, kubeadm.
    Program,
    /// The API server answers it and does not store it: a review, an eviction.
    Answered,
    /// Its kind has no definition here.
    Unknown,
    /// `.gitignore`, `.helmignore` or a dot folder.
    Ignored,
}

impl Passed {
    /// All reasons, in the order they are listed in.
    pub const ALL: [Passed; 7] = [
        Passed::NotManifest,
        Passed::Template,
        Passed::KustomizePart,
        Passed::Program,
        Passed::Answered,
        Passed::Unknown,
        Passed::Ignored,
    ];

    /// Its name in documents for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Passed::NotManifest => "notManifests",
            Passed::Template => "templates",
            Passed::KustomizePart => "kustomizeParts",
            Passed::Program => "programs",
            Passed::Answered => "answered",
            Passed::Unknown => "withoutDefinition",
            Passed::Ignored => "ignored",
        }
    }
}
