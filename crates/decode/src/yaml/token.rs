//! Tokens of the scanner.

use std::borrow::Cow;

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Bytes before it.
    pub(super) offset: u32,
    /// Lines before it.
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

#[derive(Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    StreamEnd,
    Version(Version),
    TagDirective(Box<TagDirective<'a>>),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    FlowEntry,
    BlockEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag(Box<TagName<'a>>),
    Scalar { text: Cow<'a, str>, plain: bool },
}

/// The version of a `%YAML` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) major: u8,
    pub(super) minor: u8,
}

/// A `%TAG` directive: what a handle stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TagDirective<'a> {
    pub(super) handle: &'a str,
    pub(super) prefix: Cow<'a, str>,
}

/// A tag as written; a verbatim tag has no handle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TagName<'a> {
    pub(super) handle: &'a str,
    pub(super) suffix: Cow<'a, str>,
}
