//! From tokens to tree. Accepts what the grammar of cel-go accepts and positions nodes where it does.

use sprag_value::Text;

use super::ast::{Ast, Entry, Expr, ExprId, Field, Literal};
use super::lexer::{Kind, Token};
use super::macros::{self, Dialect};
use super::source::Issues;
use super::unescape::unescape;

/// Nesting of one grammar rule, and the length of a chain of selections or of sums.
pub const MAX_RECURSION: u32 = 250;

/// Nodes of a tree after macro expansion. Macros that repeat their receiver could otherwise double it at each step.
pub const MAX_NODES: usize = 250_000;

/// Words that are not variable names.
pub(crate) const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The reasons why parsing ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The text does not fit the grammar.
    Syntax,
    /// A limit; the issue has been reported.
    Limit,
}

/// A parsed part: its node, and how deep the reference recurses to visit it.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) id: ExprId,
    height: u32,
}

type Parsed<T = Part> = Result<T, Stop>;

pub(super) struct Parser<'s> {
    source: &'s str,
    tokens: &'s [Token],
    at: usize,
    pub(super) dialect: Dialect,
    pub(super) tree: Tree,
    pub(super) issues: &'s mut Issues,
    depth: Depth,
}

/// The nodes made so far.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Expr>,
    offsets: Vec<u32>,
}

impl Tree {
    #[expect(clippy::cast_possible_truncation, reason = "the number of nodes is limited")]
    pub(super) fn add(&mut self, expr: Expr, offset: u32) -> ExprId {
        self.nodes.push(expr);
        self.offsets.push(offset);
        ExprId(self.nodes.len() as u32 - 1)
    }

    pub(super) fn expr(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn offset(&self, id: ExprId) -> u32 {
        self.offsets[id.0 as usize]
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() > MAX_NODES
    }
}

/// The current nesting depth of each rule that can nest or chain.
#[derive(Clone, Copy, Default)]
struct Depth {
    expr: u32,
    relation: u32,
    calc: u32,
    member: u32,
}

/// Parses tokens; `None` when the reference would give up or the text is not an expression.
pub(crate) fn parse(source: &str, tokens: &[Token], dialect: Dialect, issues: &mut Issues) -> Result<Ast, Stop> {
    let nodes = Vec::with_capacity(tokens.len() * 2);
    let tree = Tree { nodes, offsets: Vec::with_capacity(tokens.len() * 2) };
    let mut parser = Parser { source, tokens, at: 0, dialect, tree, issues, depth: Depth::default() };
    let root = parser.expr()?;
    parser.expect(Kind::End)?;
    if root.height > MAX_RECURSION {
        parser.issues.report(None, "max recursion depth exceeded");
        return Err(Stop::Limit);
    }
    Ok(Ast { nodes: parser.tree.nodes, offsets: parser.tree.offsets, root: root.id })
}

impl<'s> Parser<'s> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn kind_at(&self, ahead: usize) -> Kind {
        self.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn take(&mut self, kind: Kind) -> Option<Token> {
        (self.kind() == kind).then(|| self.next())
    }

    fn expect(&mut self, kind: Kind) -> Parsed<Token> {
        self.take(kind).ok_or(Stop::Syntax)
    }

    fn text(&self, token: Token) -> &'s str {
        token.text(self.source)
    }

    /// The name of a field in backticks.
    fn quoted(&mut self, token: Token) -> &'s str {
        if !self.dialect.backticks {
            self.issues.report(Some(token.offset), "unsupported syntax: '`'");
        }
        unquote(self.text(token))
    }

    fn enter(&mut self, rule: fn(&mut Depth) -> &mut u32) -> Parsed<()> {
        let count = rule(&mut self.depth);
        *count += 1;
        if *count > MAX_RECURSION {
            self.issues.report(None, format!("expression recursion limit exceeded: {MAX_RECURSION}"));
            return Err(Stop::Limit);
        }
        Ok(())
    }

    pub(super) fn node(&mut self, expr: Expr, offset: u32, children: u32) -> Part {
        Part { id: self.tree.add(expr, offset), height: children }
    }

    fn fault(&mut self, offset: u32, message: impl Into<String>) -> Part {
        self.issues.report(Some(offset), message);
        self.node(Expr::Unspecified, offset, 0)
    }

    fn expr(&mut self) -> Parsed {
        self.enter(|depth| &mut depth.expr)?;
        let condition = self.logical(Kind::Or)?;
        let result = match self.take(Kind::Question) {
            None => condition,
            Some(question) => {
                let truthy = self.logical(Kind::Or)?;
                self.expect(Kind::Colon)?;
                let falsy = self.expr()?;
                self.operator("_?_:_", question, &[condition, truthy, falsy])
            }
        };
        self.depth.expr -= 1;
        Ok(result)
    }

    /// A chain of `||` over chains of `&&`, each turned into a balanced tree.
    fn logical(&mut self, kind: Kind) -> Parsed {
        let first = self.logical_term(kind)?;
        if self.kind() != kind {
            return Ok(first);
        }
        let mut terms = vec![first];
        let mut offsets = Vec::new();
        while let Some(operator) = self.take(kind) {
            offsets.push(operator.offset);
            terms.push(self.logical_term(kind)?);
        }
        let name = if kind == Kind::Or { "_||_" } else { "_&&_" };
        Ok(self.balance(name, &terms, &offsets))
    }

    fn logical_term(&mut self, kind: Kind) -> Parsed {
        if kind == Kind::Or { self.logical(Kind::And) } else { self.relation() }
    }

    fn balance(&mut self, name: &str, terms: &[Part], offsets: &[u32]) -> Part {
        if let [term] = terms {
            return *term;
        }
        let middle = offsets.len() / 2;
        let left = self.balance(name, &terms[..=middle], &offsets[..middle]);
        let right = self.balance(name, &terms[middle + 1..], &offsets[middle + 1..]);
        let call = Expr::Call { function: name.into(), target: None, args: vec![left.id, right.id] };
        self.node(call, offsets[middle], left.height.max(right.height))
    }

    fn relation(&mut self) -> Parsed {
        self.enter(|depth| &mut depth.relation)?;
        let mut left = self.calc(1)?;
        while let Some(name) = relation_operator(self.kind()) {
            let operator = self.next();
            // The right side is a relation of its own to the grammar, one that does not chain.
            self.enter(|depth| &mut depth.relation)?;
            let right = self.calc(1)?;
            self.depth.relation -= 1;
            left = self.operator(name, operator, &[left, right]);
        }
        self.depth.relation -= 1;
        Ok(left)
    }

    fn calc(&mut self, precedence: u8) -> Parsed {
        self.enter(|depth| &mut depth.calc)?;
        let mut left = self.unary()?;
        while let Some((name, binds)) = calc_operator(self.kind()) {
            if binds < precedence {
                break;
            }
            let operator = self.next();
            let right = self.calc(binds + 1)?;
            left = self.operator(name, operator, &[left, right]);
        }
        self.depth.calc -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let kind = self.kind();
        let name = match kind {
            Kind::Not => "!_",
            Kind::Minus if matches!(self.kind_at(1), Kind::Int | Kind::Float) => return self.member(),
            Kind::Minus => "-_",
            _ => return self.member(),
        };
        let first = self.peek();
        let mut count = 0;
        while self.take(kind).is_some() {
            count += 1;
        }
        let operand = self.member()?;
        if count % 2 == 0 {
            return Ok(operand);
        }
        let call = Expr::Call { function: name.into(), target: None, args: vec![operand.id] };
        Ok(self.node(call, first.offset, operand.height))
    }

    fn member(&mut self) -> Parsed {
        self.enter(|depth| &mut depth.member)?;
        let mut left = self.primary()?;
        loop {
            left = match self.kind() {
                Kind::Dot => self.select_or_call(left)?,
                Kind::LeftBracket => self.index(left)?,
                _ => break,
            };
        }
        self.depth.member -= 1;
        Ok(left)
    }

    fn select_or_call(&mut self, operand: Part) -> Parsed {
        let dot = self.next();
        let optional = self.take(Kind::Question).is_some();
        if !optional && self.kind() == Kind::Ident && self.kind_at(1) == Kind::LeftParen {
            return self.member_call(operand);
        }
        let name = self.next();
        let field = match name.kind {
            Kind::Ident => self.text(name),
            Kind::QuotedIdent => self.quoted(name),
            _ => return Err(Stop::Syntax),
        };
        let height = operand.height + 1;
        if !optional {
            let select = Expr::Select { operand: operand.id, field: field.into(), test: false };
            return Ok(self.node(select, dot.offset, height));
        }
        if !self.dialect.optionals {
            return Ok(self.fault(dot.offset, "unsupported syntax '.?'"));
        }
        let field = self.tree.add(Expr::Literal(Literal::String(field.into())), name.offset);
        let call = Expr::Call { function: "_?._".into(), target: None, args: vec![operand.id, field] };
        Ok(self.node(call, dot.offset, height))
    }

    fn member_call(&mut self, operand: Part) -> Parsed {
        let name = self.next();
        let open = self.next();
        let args = self.arguments()?;
        let height = tallest(&args).max(operand.height) + 1;
        self.call_or_macro(self.text(name).into(), Some(operand), &args, open.offset, height)
    }

    fn index(&mut self, operand: Part) -> Parsed {
        let open = self.next();
        let optional = self.take(Kind::Question).is_some();
        let index = self.expr()?;
        self.expect(Kind::RightBracket)?;
        if optional && !self.dialect.optionals {
            return Ok(self.fault(open.offset, "unsupported syntax '[?'"));
        }
        Ok(self.operator(if optional { "_[?_]" } else { "_[_]" }, open, &[operand, index]))
    }

    fn operator(&mut self, name: &'static str, token: Token, args: &[Part]) -> Part {
        let call = Expr::Call { function: name.into(), target: None, args: args.iter().map(|part| part.id).collect() };
        self.node(call, token.offset, tallest(args) + 1)
    }

    fn call_or_macro(&mut self, name: Text, target: Option<Part>, args: &[Part], offset: u32, height: u32) -> Parsed {
        let ids: Vec<ExprId> = args.iter().map(|part| part.id).collect();
        let receiver = target.map(|part| part.id);
        match macros::expand(self, &name, receiver, &ids, offset) {
            Some(id) if !self.tree.is_full() => Ok(Part { id, height }),
            Some(_) => {
                self.issues.report(None, format!("expression has more than {MAX_NODES} nodes"));
                Err(Stop::Limit)
            }
            None => Ok(self.node(Expr::Call { function: name, target: receiver, args: ids }, offset, height)),
        }
    }

    /// The arguments of a call whose opening parenthesis has been read.
    fn arguments(&mut self) -> Parsed<Vec<Part>> {
        let mut args = Vec::new();
        if self.take(Kind::RightParen).is_some() {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.take(Kind::Comma).is_none() {
                self.expect(Kind::RightParen)?;
                return Ok(args);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        match self.kind() {
            Kind::LeftParen => {
                self.next();
                let inner = self.expr()?;
                self.expect(Kind::RightParen)?;
                Ok(inner)
            }
            Kind::LeftBracket => self.list(),
            Kind::LeftBrace => self.map(),
            Kind::Dot | Kind::Ident => self.name(),
            _ => self.literal(),
        }
    }

    /// A variable, a call, or an object literal.
    fn name(&mut self) -> Parsed {
        if self.is_object_literal() {
            return self.object();
        }
        let start = self.peek();
        let dotted = self.take(Kind::Dot).is_some();
        let name = self.expect(Kind::Ident)?;
        let text = self.text(name);
        let open = self.take(Kind::LeftParen);
        let args = if open.is_some() { self.arguments()? } else { Vec::new() };
        if RESERVED.contains(&text) {
            return Ok(self.fault(start.offset, format!("reserved identifier: {text}")));
        }
        let text: Text = if dotted { format!(".{text}").into() } else { text.into() };
        match open {
            None => Ok(self.node(Expr::Ident(text), name.offset, 0)),
            Some(open) => self.call_or_macro(text, None, &args, open.offset, tallest(&args)),
        }
    }

    fn is_object_literal(&self) -> bool {
        let mut ahead = usize::from(self.kind() == Kind::Dot);
        while self.kind_at(ahead) == Kind::Ident {
            match self.kind_at(ahead + 1) {
                Kind::LeftBrace => return true,
                Kind::Dot => ahead += 2,
                _ => return false,
            }
        }
        false
    }

    fn object(&mut self) -> Parsed {
        let mut name = String::new();
        while self.kind() != Kind::LeftBrace {
            let token = self.next();
            name.push_str(self.text(token));
        }
        let open = self.next();
        let mut fields = Vec::new();
        let mut height = 0;
        let mut more = !matches!(self.kind(), Kind::RightBrace | Kind::Comma);
        while more {
            if let Some((field, part)) = self.field()? {
                fields.push(field);
                height = part.height.max(height);
            }
            more = self.another(Kind::RightBrace);
        }
        self.take(Kind::Comma);
        self.expect(Kind::RightBrace)?;
        Ok(self.node(Expr::Struct { name: name.into(), fields }, open.offset, height))
    }

    fn field(&mut self) -> Parsed<Option<(Field, Part)>> {
        let start = self.peek();
        let optional = self.take(Kind::Question).is_some();
        let name = self.next();
        let text = match name.kind {
            Kind::Ident => self.text(name),
            Kind::QuotedIdent => self.quoted(name),
            _ => return Err(Stop::Syntax),
        };
        let colon = self.expect(Kind::Colon)?;
        let value = self.expr()?;
        if optional && !self.dialect.optionals {
            self.fault(start.offset, "unsupported syntax '?'");
            return Ok(None);
        }
        Ok(Some((Field { name: text.into(), value: value.id, optional, offset: colon.offset }, value)))
    }

    fn list(&mut self) -> Parsed {
        let open = self.next();
        let mut parts = Vec::new();
        let mut optional = Vec::new();
        let mut more = !matches!(self.kind(), Kind::RightBracket | Kind::Comma);
        while more {
            if let Some(mark) = self.take(Kind::Question) {
                if self.dialect.optionals {
                    optional.push(u32::try_from(parts.len()).unwrap_or(u32::MAX));
                } else {
                    self.fault(mark.offset, "unsupported syntax '?'");
                }
            }
            parts.push(self.expr()?);
            more = self.another(Kind::RightBracket);
        }
        self.take(Kind::Comma);
        self.expect(Kind::RightBracket)?;
        let elements = parts.iter().map(|part| part.id).collect();
        Ok(self.node(Expr::List { elements, optional }, open.offset, tallest(&parts)))
    }

    fn map(&mut self) -> Parsed {
        let open = self.next();
        let mut entries = Vec::new();
        let mut height = 0;
        let mut more = !matches!(self.kind(), Kind::RightBrace | Kind::Comma);
        while more {
            let start = self.peek();
            let optional = self.take(Kind::Question).is_some();
            let reported = self.issues.list().len();
            let key = self.expr()?;
            self.expect(Kind::Colon)?;
            let value = self.expr()?;
            if optional && !self.dialect.optionals {
                // Errors inside such an entry are not reported.
                self.issues.truncate(reported);
                self.fault(start.offset, "unsupported syntax '?'");
            } else {
                entries.push(Entry { key: key.id, value: value.id, optional });
                height = key.height.max(value.height).max(height);
            }
            more = self.another(Kind::RightBrace);
        }
        self.take(Kind::Comma);
        self.expect(Kind::RightBrace)?;
        Ok(self.node(Expr::Map(entries), open.offset, height))
    }

    /// True if a comma and another part follow, and not a comma before the end.
    fn another(&mut self, close: Kind) -> bool {
        let more = self.kind() == Kind::Comma && self.kind_at(1) != close;
        if more {
            self.next();
        }
        more
    }

    fn literal(&mut self) -> Parsed {
        let start = self.peek();
        let negative = self.take(Kind::Minus).is_some();
        let token = self.next();
        let text = self.text(token);
        let literal = match token.kind {
            Kind::Int => int(text, negative).ok_or("invalid int literal"),
            Kind::Float => double(text, negative).ok_or("invalid double literal"),
            _ if negative => return Err(Stop::Syntax),
            Kind::Uint => uint(&text[..text.len() - 1]).ok_or("invalid uint literal"),
            Kind::String => unescape(text, false).map(|bytes| string(&bytes)),
            Kind::Bytes => unescape(&text[1..], true).map(|bytes| Literal::Bytes(bytes.into())),
            Kind::True => Ok(Literal::Bool(true)),
            Kind::False => Ok(Literal::Bool(false)),
            Kind::Null => Ok(Literal::Null),
            _ => return Err(Stop::Syntax),
        };
        match literal {
            Ok(literal) => Ok(self.node(Expr::Literal(literal), start.offset, 0)),
            Err(message) => Ok(self.fault(start.offset, message)),
        }
    }
}

fn tallest(parts: &[Part]) -> u32 {
    parts.iter().map(|part| part.height).max().unwrap_or(0)
}

fn relation_operator(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Less => "_<_",
        Kind::LessEquals => "_<=_",
        Kind::Greater => "_>_",
        Kind::GreaterEquals => "_>=_",
        Kind::Equals => "_==_",
        Kind::NotEquals => "_!=_",
        Kind::In => "@in",
        _ => return None,
    })
}

fn calc_operator(kind: Kind) -> Option<(&'static str, u8)> {
    Some(match kind {
        Kind::Star => ("_*_", 2),
        Kind::Slash => ("_/_", 2),
        Kind::Percent => ("_%_", 2),
        Kind::Plus => ("_+_", 1),
        Kind::Minus => ("_-_", 1),
        _ => return None,
    })
}

fn unquote(text: &str) -> &str {
    &text[1..text.len() - 1]
}

fn int(text: &str, negative: bool) -> Option<Literal> {
    let sign = if negative { "-" } else { "" };
    let value = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(&format!("{sign}{hex}"), 16).ok()?,
        None if negative => format!("-{text}").parse().ok()?,
        None => text.parse().ok()?,
    };
    Some(Literal::Int(value))
}

fn uint(text: &str) -> Option<Literal> {
    let value = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    Some(Literal::Uint(value))
}

fn double(text: &str, negative: bool) -> Option<Literal> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    Some(Literal::Double(if negative { -value } else { value }))
}

/// Text without escapes of bytes is UTF-8.
fn string(bytes: &[u8]) -> Literal {
    Literal::String(String::from_utf8_lossy(bytes).into())
}
