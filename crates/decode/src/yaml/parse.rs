//! Tokens into events: the grammar of go-yaml v2.

use std::borrow::Cow;

use super::error::Problem;
use super::scan::Scanner;
use super::token::{Mark, TagDirective, TagName, Token, TokenKind, Version};

/// The prefix that `!!` stands for unless a directive changes it.
const STANDARD_PREFIX: &str = "tag:yaml.org,2002:";

/// One step through a document.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: EventKind<'a>,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

#[derive(Debug)]
pub(super) enum EventKind<'a> {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(&'a str),
    Scalar { properties: Option<Box<Properties<'a>>>, text: Cow<'a, str>, implicit: bool },
    SequenceStart(Option<Box<Properties<'a>>>),
    MappingStart(Option<Box<Properties<'a>>>),
    CollectionEnd,
}

/// Anchor and tag of a node.
#[derive(Debug, Default)]
pub(super) struct Properties<'a> {
    pub(super) anchor: Option<&'a str>,
    pub(super) tag: Option<Cow<'a, str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    BlockNode,
    End,
}

/// The collections that may start at a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Brackets only.
    Flow,
    /// Indented collections too.
    Block,
    /// Also a list that is not indented further than its key.
    BlockOrIndentless,
}

pub(super) struct Parser<'a> {
    pub(super) scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    tags: Vec<TagDirective<'a>>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Self {
        Self { scanner, state: State::ImplicitDocumentStart, states: Vec::new(), tags: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Result<Event<'a>, Problem> {
        match self.state {
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Context::Block),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => self.flow_pair_end(),
            State::FlowMappingFirstKey => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => self.flow_mapping_empty_value(),
            State::End => self.empty(EventKind::StreamEnd),
        }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// An event of no length where the next token starts.
    fn empty(&mut self, kind: EventKind<'a>) -> Result<Event<'a>, Problem> {
        let start = self.scanner.peek()?.start;
        Ok(Event { kind, start, end: start })
    }

    /// The null that stands where nothing was written.
    fn empty_scalar(mark: Mark) -> Event<'a> {
        let kind = EventKind::Scalar { properties: None, text: Cow::Borrowed(""), implicit: true };
        Event { kind, start: mark, end: mark }
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event<'a>, Problem> {
        while !implicit && self.scanner.peek()?.kind == TokenKind::DocumentEnd {
            self.scanner.take();
        }
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            TokenKind::StreamEnd => {
                self.state = State::End;
                return Ok(Event { kind: EventKind::StreamEnd, start, end: start });
            }
            TokenKind::Version(_) | TokenKind::TagDirective(_) | TokenKind::DocumentStart => {}
            _ if implicit => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                return Ok(Event { kind: EventKind::DocumentStart, start, end: start });
            }
            _ => {}
        }
        self.directives()?;
        let token = self.scanner.peek()?;
        if token.kind != TokenKind::DocumentStart {
            return Err(Problem::parser(token.start, "did not find expected <document start>"));
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        let end = self.scanner.take().end;
        Ok(Event { kind: EventKind::DocumentStart, start, end })
    }

    fn directives(&mut self) -> Result<(), Problem> {
        let mut version = false;
        loop {
            let token = self.scanner.peek()?;
            let start = token.start;
            match &token.kind {
                TokenKind::Version(_) if version => {
                    return Err(Problem::parser(start, "found duplicate %YAML directive"));
                }
                TokenKind::Version(found) if *found != (Version { major: 1, minor: 1 }) => {
                    return Err(Problem::parser(start, "found incompatible YAML document"));
                }
                TokenKind::Version(_) => version = true,
                TokenKind::TagDirective(directive) => {
                    let directive = (**directive).clone();
                    if self.tags.iter().any(|tag| tag.handle == directive.handle) {
                        return Err(Problem::parser(start, "found duplicate %TAG directive"));
                    }
                    self.tags.push(directive);
                }
                _ => return Ok(()),
            }
            self.scanner.take();
        }
    }

    fn document_content(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            TokenKind::Version(_)
            | TokenKind::TagDirective(_)
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.pop_state();
                Ok(Self::empty_scalar(start))
            }
            _ => self.node(Context::Block),
        }
    }

    fn document_end(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        if token.kind == TokenKind::DocumentEnd {
            self.scanner.take();
        }
        self.tags.clear();
        self.state = State::DocumentStart;
        Ok(Event { kind: EventKind::DocumentEnd, start, end: start })
    }

    fn node(&mut self, context: Context) -> Result<Event<'a>, Problem> {
        let start = self.scanner.peek()?.start;
        let mut properties = None;
        let mut end = start;
        if matches!(self.scanner.peek()?.kind, TokenKind::Anchor(_) | TokenKind::Tag(_)) {
            let found = properties.insert(Box::default());
            end = self.properties(found)?;
        }
        let tagged = properties.is_some();
        let token = self.scanner.peek()?;
        let token_start = token.start;
        let token_end = token.end;
        let block = context != Context::Flow;
        let (state, kind) = match &token.kind {
            TokenKind::Alias(_) if !tagged => return Ok(self.alias()),
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                (State::IndentlessSequenceEntry, EventKind::SequenceStart(properties))
            }
            TokenKind::Scalar { .. } => return Ok(self.scalar(properties, start)),
            TokenKind::FlowSequenceStart => (State::FlowSequenceFirstEntry, EventKind::SequenceStart(properties)),
            TokenKind::FlowMappingStart => (State::FlowMappingFirstKey, EventKind::MappingStart(properties)),
            TokenKind::BlockSequenceStart if block => (State::BlockSequenceEntry, EventKind::SequenceStart(properties)),
            TokenKind::BlockMappingStart if block => (State::BlockMappingKey, EventKind::MappingStart(properties)),
            _ if tagged => return Ok(self.empty_tagged(properties, start, end)),
            _ => return Err(Problem::parser(token_start, "did not find expected node content")),
        };
        if state != State::IndentlessSequenceEntry {
            self.scanner.take();
        }
        self.state = state;
        Ok(Event { kind, start, end: token_end })
    }

    fn alias(&mut self) -> Event<'a> {
        self.pop_state();
        let Token { kind, start, end } = self.scanner.take();
        let name = if let TokenKind::Alias(name) = kind { name } else { "" };
        Event { kind: EventKind::Alias(name), start, end }
    }

    fn scalar(&mut self, properties: Option<Box<Properties<'a>>>, start: Mark) -> Event<'a> {
        self.pop_state();
        let token = self.scanner.take();
        let (text, plain) =
            if let TokenKind::Scalar { text, plain } = token.kind { (text, plain) } else { (Cow::Borrowed(""), true) };
        let implicit = match properties.as_ref().and_then(|properties| properties.tag.as_deref()) {
            None => plain,
            Some(tag) => tag == "!",
        };
        Event { kind: EventKind::Scalar { properties, text, implicit }, start, end: token.end }
    }

    /// A node that has an anchor or a tag and nothing else.
    fn empty_tagged(&mut self, properties: Option<Box<Properties<'a>>>, start: Mark, end: Mark) -> Event<'a> {
        self.pop_state();
        let implicit = properties.as_ref().is_none_or(|properties| properties.tag.is_none());
        Event { kind: EventKind::Scalar { properties, text: Cow::Borrowed(""), implicit }, start, end }
    }

    /// An anchor and a tag in either order, at most one of each.
    fn properties(&mut self, properties: &mut Properties<'a>) -> Result<Mark, Problem> {
        let mut end = Mark::default();
        let mut tag = None;
        for _ in 0..2 {
            match &self.scanner.peek()?.kind {
                TokenKind::Anchor(name) if properties.anchor.is_none() => properties.anchor = Some(name),
                TokenKind::Tag(_) if tag.is_none() => {}
                _ => break,
            }
            let token = self.scanner.take();
            end = token.end;
            if let TokenKind::Tag(name) = token.kind {
                tag = Some((name, token.start));
            }
        }
        // The token behind the properties is looked at before the tag is.
        self.scanner.peek()?;
        if let Some((name, mark)) = tag {
            properties.tag = Some(self.resolve_tag(*name, mark)?);
        }
        Ok(end)
    }

    fn resolve_tag(&self, name: TagName<'a>, mark: Mark) -> Result<Cow<'a, str>, Problem> {
        let declared = self.tags.iter().find(|tag| tag.handle == name.handle).map(|tag| tag.prefix.as_ref());
        let prefix = match (declared, name.handle) {
            (_, "") => return Ok(name.suffix),
            (Some(prefix), _) => prefix,
            (None, "!") => "!",
            (None, "!!") => STANDARD_PREFIX,
            (None, _) => return Err(Problem::parser(mark, "found undefined tag handle")),
        };
        Ok(Cow::Owned(format!("{prefix}{}", name.suffix)))
    }

    fn block_sequence_entry(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let end = token.end;
        match token.kind {
            TokenKind::BlockEntry => {
                self.scanner.take();
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => {
                        self.state = State::BlockSequenceEntry;
                        Ok(Self::empty_scalar(end))
                    }
                    _ => {
                        self.states.push(State::BlockSequenceEntry);
                        self.node(Context::Block)
                    }
                }
            }
            TokenKind::BlockEnd => Ok(self.collection_end()),
            _ => Err(Problem::parser(start, "did not find expected '-' indicator")),
        }
    }

    /// The token at hand closes the collection.
    fn collection_end(&mut self) -> Event<'a> {
        self.pop_state();
        let token = self.scanner.take();
        Event { kind: EventKind::CollectionEnd, start: token.start, end: token.end }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let end = token.end;
        if !matches!(token.kind, TokenKind::BlockEntry) {
            self.pop_state();
            return Ok(Event { kind: EventKind::CollectionEnd, start, end: start });
        }
        self.scanner.take();
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.state = State::IndentlessSequenceEntry;
                Ok(Self::empty_scalar(end))
            }
            _ => {
                self.states.push(State::IndentlessSequenceEntry);
                self.node(Context::Block)
            }
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let end = token.end;
        match token.kind {
            TokenKind::Key => {
                self.scanner.take();
                self.block_mapping_part(end, State::BlockMappingValue)
            }
            TokenKind::BlockEnd => Ok(self.collection_end()),
            _ => Err(Problem::parser(start, "did not find expected key")),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let end = token.end;
        if !matches!(token.kind, TokenKind::Value) {
            self.state = State::BlockMappingKey;
            return Ok(Self::empty_scalar(start));
        }
        self.scanner.take();
        self.block_mapping_part(end, State::BlockMappingKey)
    }

    /// A key or a value, which may be left out.
    fn block_mapping_part(&mut self, end: Mark, then: State) -> Result<Event<'a>, Problem> {
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.state = then;
                Ok(Self::empty_scalar(end))
            }
            _ => {
                self.states.push(then);
                self.node(Context::BlockOrIndentless)
            }
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'a>, Problem> {
        if self.flow_separator(first, &TokenKind::FlowSequenceEnd, "did not find expected ',' or ']'")? {
            return Ok(self.collection_end());
        }
        if matches!(self.scanner.peek()?.kind, TokenKind::Key) {
            self.state = State::FlowPairKey;
            let token = self.scanner.take();
            let kind = EventKind::MappingStart(None);
            return Ok(Event { kind, start: token.start, end: token.end });
        }
        self.states.push(State::FlowSequenceEntry);
        self.node(Context::Flow)
    }

    /// Takes the comma before an entry; whether the collection ends instead.
    fn flow_separator(&mut self, first: bool, closing: &TokenKind<'_>, missing: &'static str) -> Result<bool, Problem> {
        let token = self.scanner.peek()?;
        if token.kind == *closing {
            return Ok(true);
        }
        if !first {
            if token.kind != TokenKind::FlowEntry {
                return Err(Problem::parser(token.start, missing));
            }
            self.scanner.take();
        }
        Ok(self.scanner.peek()?.kind == *closing)
    }

    fn flow_pair_key(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let end = token.end;
        match token.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                self.scanner.take();
                self.state = State::FlowPairValue;
                Ok(Self::empty_scalar(end))
            }
            _ => {
                self.states.push(State::FlowPairValue);
                self.node(Context::Flow)
            }
        }
    }

    fn flow_pair_value(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        if matches!(token.kind, TokenKind::Value) {
            self.scanner.take();
            if !matches!(self.scanner.peek()?.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                self.states.push(State::FlowPairEnd);
                return self.node(Context::Flow);
            }
        }
        self.state = State::FlowPairEnd;
        Ok(Self::empty_scalar(start))
    }

    fn flow_pair_end(&mut self) -> Result<Event<'a>, Problem> {
        self.state = State::FlowSequenceEntry;
        self.empty(EventKind::CollectionEnd)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'a>, Problem> {
        if self.flow_separator(first, &TokenKind::FlowMappingEnd, "did not find expected ',' or '}'")? {
            return Ok(self.collection_end());
        }
        if !matches!(self.scanner.peek()?.kind, TokenKind::Key) {
            self.states.push(State::FlowMappingEmptyValue);
            return self.node(Context::Flow);
        }
        self.scanner.take();
        self.flow_mapping_part(State::FlowMappingValue, true)
    }

    fn flow_mapping_value(&mut self) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        if !matches!(token.kind, TokenKind::Value) {
            self.state = State::FlowMappingKey;
            return Ok(Self::empty_scalar(start));
        }
        self.scanner.take();
        self.flow_mapping_part(State::FlowMappingKey, false)
    }

    /// A key or a value, which may be left out.
    fn flow_mapping_part(&mut self, then: State, is_key: bool) -> Result<Event<'a>, Problem> {
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            TokenKind::Value if is_key => {}
            TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {}
            _ => {
                self.states.push(then);
                return self.node(Context::Flow);
            }
        }
        self.state = then;
        Ok(Self::empty_scalar(start))
    }

    fn flow_mapping_empty_value(&mut self) -> Result<Event<'a>, Problem> {
        let start = self.scanner.peek()?.start;
        self.state = State::FlowMappingKey;
        Ok(Self::empty_scalar(start))
    }
}
