//! A parsed piece of a pattern: what it matches, and the measures Go's limits are about.

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use crate::fold;

/// The height of the syntax tree above which Go refuses a pattern.
pub(crate) const MAX_HEIGHT: u32 = 1000;

/// Maximum nesting of operators that are compiled, where compiling recurses.
///
/// Groups count only in [`Capturing`](crate::Capturing), and an operator applied twice counts once.
pub const MAX_DEPTH: u32 = 200;

/// One operand on the parse stack.
#[derive(Debug)]
pub(crate) struct Expr {
    body: Body,
    kind: Kind,
    measure: Measure,
}

/// The measures that limits look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// The height of the tree as Go builds it.
    pub(crate) height: u32,
    /// The depth of what will be compiled.
    pub(crate) depth: u32,
    /// The number of copies that counted repetitions make of the innermost operand.
    pub(crate) copies: u32,
}

#[derive(Debug)]
enum Body {
    Text { text: String, fold: bool },
    Tree(Hir),
}

/// The kinds by which Go's parser flattens and merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Class,
    Empty,
    Concat,
    Alternate,
    Repeat(Operator, bool),
    Other,
}

/// A repetition operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `*`
    Star,
    /// `+`
    Plus,
    /// `?`
    Quest,
    /// `{min,max}`, without an upper bound if `max` is missing.
    Count {
        /// The least number of times.
        min: u32,
        /// The greatest number of times.
        max: Option<u32>,
    },
}

const LEAF: Measure = Measure { height: 1, depth: 1, copies: 1 };

impl Expr {
    /// Matches one character; in any case if `fold`.
    pub(crate) fn literal(c: char, fold: bool) -> Expr {
        Expr { body: Body::Text { text: c.into(), fold }, kind: Kind::Text, measure: LEAF }
    }

    /// Matches the empty text.
    pub(crate) fn empty() -> Expr {
        Expr { body: Body::Tree(Hir::empty()), kind: Kind::Empty, measure: LEAF }
    }

    /// Matches the empty text at certain places.
    pub(crate) fn look(look: Look) -> Expr {
        Expr { body: Body::Tree(Hir::look(look)), kind: Kind::Other, measure: LEAF }
    }

    /// Matches one character of a class; a class of one character, or of its two cases, is a literal.
    pub(crate) fn class(class: ClassUnicode) -> Expr {
        match *class.ranges() {
            [one] if one.start() == one.end() => Expr::literal(one.start(), false),
            [upper, lower]
                if upper.start() == upper.end()
                    && lower.start() == lower.end()
                    && fold::others(upper.start()) == [lower.start()] =>
            {
                Expr::literal(upper.start(), true)
            }
            _ => {
                let tree = Hir::class(Class::Unicode(class));
                Expr { body: Body::Tree(tree), kind: Kind::Class, measure: LEAF }
            }
        }
    }

    /// Matches never: a character that cannot occur in text.
    pub(crate) fn never() -> Expr {
        Expr { body: Body::Tree(Hir::fail()), kind: Kind::Class, measure: LEAF }
    }

    pub(crate) fn measure(&self) -> Measure {
        self.measure
    }

    /// Appends the text of `next` if both are texts of the same case rule; otherwise gives it back.
    pub(crate) fn absorb(&mut self, next: Expr) -> Option<Expr> {
        match (&mut self.body, next.body) {
            (Body::Text { text, fold }, Body::Text { text: more, fold: same }) if *fold == same => {
                text.push_str(&more);
                None
            }
            (_, body) => Some(Expr { body, ..next }),
        }
    }

    /// True if the next can be [absorbed](Expr::absorb).
    pub(crate) fn can_absorb(&self, next: &Expr) -> bool {
        match (&self.body, &next.body) {
            (Body::Text { fold, .. }, Body::Text { fold: same, .. }) => fold == same,
            _ => false,
        }
    }

    /// Matches this a number of times.
    pub(crate) fn repeat(self, operator: Operator, greedy: bool) -> Expr {
        let (min, max) = operator.bounds();
        let mut measure = self.measure;
        measure.height += 1;
        measure.copies = operator.copies(measure.copies);
        let kind = Kind::Repeat(operator, greedy);
        let squashes = kind == self.kind && !matches!(operator, Operator::Count { .. });
        if squashes {
            return Expr { measure, ..self };
        }
        measure.depth += 1;
        let tree = Hir::repetition(Repetition { min, max, greedy, sub: Box::new(self.into_hir()) });
        Expr { body: Body::Tree(tree), kind, measure }
    }

    /// Matches this and remembers what it matched, if `index` says where.
    pub(crate) fn group(self, index: Option<u32>) -> Expr {
        let mut measure = self.measure;
        measure.height += 1;
        let Some(index) = index else {
            return Expr { kind: Kind::Other, measure, body: self.body }.opaque();
        };
        measure.depth += 1;
        let tree = Hir::capture(Capture { index, name: None, sub: Box::new(self.into_hir()) });
        Expr { body: Body::Tree(tree), kind: Kind::Other, measure }
    }

    /// Keeps a text from being merged with its neighbours.
    fn opaque(self) -> Expr {
        let kind = self.kind;
        let measure = self.measure;
        Expr { body: Body::Tree(self.into_hir()), kind, measure }
    }

    /// Matches these one after the other.
    pub(crate) fn concat(mut parts: Vec<Expr>) -> Expr {
        if parts.len() <= 1 {
            return parts.pop().unwrap_or_else(Expr::empty);
        }
        let measure = around(&parts, Kind::Concat);
        let tree = Hir::concat(parts.into_iter().map(Expr::into_hir).collect());
        Expr { body: Body::Tree(tree), kind: Kind::Concat, measure }.joined()
    }

    /// Matches one of these, the earlier the better.
    pub(crate) fn alternate(mut parts: Vec<Expr>) -> Expr {
        if parts.len() <= 1 {
            return parts.pop().unwrap_or_else(Expr::empty);
        }
        let mut measure = around(&parts, Kind::Alternate);
        let mut kind = Kind::Alternate;
        // Go turns alternatives of one character each into a class, and repeated empty ones into one.
        for merged in [Kind::Class, Kind::Empty] {
            if parts.iter().all(|part| part.merges_as(merged)) {
                (measure.height, kind) = (LEAF.height, merged);
            }
        }
        let tree = Hir::alternation(parts.into_iter().map(Expr::into_hir).collect());
        Expr { body: Body::Tree(tree), kind, measure }.joined()
    }

    /// Corrects the depth where operands became one text or class.
    fn joined(mut self) -> Expr {
        let nests = matches!(&self.body, Body::Tree(tree) if !tree.kind().subs().is_empty());
        if !nests {
            self.measure.depth = LEAF.depth;
        }
        self
    }

    fn merges_as(&self, kind: Kind) -> bool {
        let single = match &self.body {
            Body::Text { text, .. } => text.chars().nth(1).is_none(),
            Body::Tree(_) => false,
        };
        self.kind == kind || kind == Kind::Class && single
    }

    /// True if the compiled form is this operator, as it may be inside a group that is not kept.
    fn compiles_as(&self, kind: Kind) -> bool {
        let Body::Tree(tree) = &self.body else { return false };
        match tree.kind() {
            HirKind::Concat(_) => kind == Kind::Concat,
            HirKind::Alternation(_) => kind == Kind::Alternate,
            _ => false,
        }
    }

    /// Converts to the form that the automaton is built from.
    pub(crate) fn into_hir(self) -> Hir {
        match self.body {
            Body::Tree(tree) => tree,
            Body::Text { text, fold: false } => Hir::literal(text.into_bytes()),
            Body::Text { text, fold: true } => Hir::concat(text.chars().map(any_case).collect()),
        }
    }
}

impl Operator {
    fn bounds(self) -> (u32, Option<u32>) {
        match self {
            Operator::Star => (0, None),
            Operator::Plus => (1, None),
            Operator::Quest => (0, Some(1)),
            Operator::Count { min, max } => (min, max),
        }
    }

    /// Returns the number of copies of the innermost operand, given the number inside this operator.
    fn copies(self, inner: u32) -> u32 {
        match self {
            Operator::Count { max: Some(0), .. } => 1,
            Operator::Count { min, max } => inner.saturating_mul(max.unwrap_or(min).max(1)),
            _ => inner,
        }
    }
}

/// The measure of an operator around its operands; operands of the same operator join it.
fn around(parts: &[Expr], kind: Kind) -> Measure {
    let mut measure = LEAF;
    for part in parts {
        measure.height = measure.height.max(part.measure.height + u32::from(part.kind != kind));
        measure.depth = measure.depth.max(part.measure.depth + u32::from(!part.compiles_as(kind)));
        measure.copies = measure.copies.max(part.measure.copies);
    }
    measure
}

fn any_case(c: char) -> Hir {
    let others = fold::others(c);
    if others.is_empty() {
        return Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    let members = others.iter().copied().chain([c]).map(|c| ClassUnicodeRange::new(c, c));
    Hir::class(Class::Unicode(ClassUnicode::new(members)))
}
