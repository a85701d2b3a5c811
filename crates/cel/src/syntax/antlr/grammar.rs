//! The parser rules of cel-go's `parser/gen/CEL.g4`, as ANTLR has them.
//!
//! A rule that is left-recursive there (`relation: calc | relation op relation`) is a loop here, as ANTLR rewrites it:
//! the alternatives that are not recursive, then any number of the others, each guarded by its precedence. ANTLR counts
//! precedences from the last alternative, so the first binds tightest; the operand on the right asks for one more.

use Item::{Alternatives, Call, OneOf, Optional, Plus, Precedence, Star, Token};
use Lookahead::{Adaptive, Simple};

use crate::syntax::lexer::Kind;

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Start,
    Expr,
    Or,
    And,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    ExprList,
    ListInit,
    FieldInits,
    OptField,
    MapInits,
    EscapeIdent,
    OptExpr,
    Literal,
}

impl Rule {
    /// True if the rule was left-recursive and takes a precedence.
    pub(super) fn has_precedence(self) -> bool {
        matches!(self, Self::Relation | Self::Calc | Self::Member)
    }
}

/// The decision procedure of the generated parser: by the next token, or by unlimited lookahead. ANTLR generates
/// `Simple` where one token always settles it, else a call of `AdaptivePredict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookahead {
    Simple,
    Adaptive,
}

/// A part of a rule.
#[derive(Debug)]
pub(super) enum Item {
    Token(Kind),
    OneOf(&'static [Kind]),
    /// Another rule, with a precedence.
    Call(Rule, u8),
    Optional(&'static [Item]),
    Star(Lookahead, &'static [&'static [Item]]),
    Plus(Lookahead, &'static [Item]),
    Alternatives(Lookahead, &'static [&'static [Item]]),
    /// Goes on only if the rule was called with at most this precedence.
    Precedence(u8),
}

/// The bodies of the rules, in the order of [`Rule`]. The line before each is the rule in `CEL.g4`, without its labels.
pub(super) static RULES: [&[Item]; 17] = [
    // start: expr EOF
    &[Call(Rule::Expr, 0), Token(Kind::End)],
    // expr: conditionalOr ('?' conditionalOr ':' expr)?
    &[
        Call(Rule::Or, 0),
        Optional(&[Token(Kind::Question), Call(Rule::Or, 0), Token(Kind::Colon), Call(Rule::Expr, 0)]),
    ],
    // conditionalOr: conditionalAnd ('||' conditionalAnd)*
    &[Call(Rule::And, 0), Star(Simple, &[&[Token(Kind::Or), Call(Rule::And, 0)]])],
    // conditionalAnd: relation ('&&' relation)*
    &[Call(Rule::Relation, 0), Star(Simple, &[&[Token(Kind::And), Call(Rule::Relation, 0)]])],
    // relation: calc | relation ('<'|'<='|'>='|'>'|'=='|'!='|'in') relation
    &[Call(Rule::Calc, 0), Star(Adaptive, &[&[Precedence(1), OneOf(COMPARISONS), Call(Rule::Relation, 2)]])],
    // calc: unary | calc ('*'|'/'|'%') calc | calc ('+'|'-') calc
    &[
        Call(Rule::Unary, 0),
        Star(
            Adaptive,
            &[
                &[Precedence(2), OneOf(&[Kind::Star, Kind::Slash, Kind::Percent]), Call(Rule::Calc, 3)],
                &[Precedence(1), OneOf(&[Kind::Minus, Kind::Plus]), Call(Rule::Calc, 2)],
            ],
        ),
    ],
    // unary: member | '!'+ member | '-'+ member
    &[Alternatives(
        Adaptive,
        &[
            &[Call(Rule::Member, 0)],
            &[Plus(Simple, &[Token(Kind::Not)]), Call(Rule::Member, 0)],
            &[Plus(Adaptive, &[Token(Kind::Minus)]), Call(Rule::Member, 0)],
        ],
    )],
    // member: primary | member '.' '?'? escapeIdent | member '.' IDENTIFIER '(' exprList? ')' | member '[' '?'? expr ']'
    &[Call(Rule::Primary, 0), Star(Adaptive, MEMBERS)],
    // primary: see `PRIMARIES`
    &[Alternatives(Adaptive, PRIMARIES)],
    // exprList: expr (',' expr)*
    &[Call(Rule::Expr, 0), Star(Simple, &[&[Token(Kind::Comma), Call(Rule::Expr, 0)]])],
    // listInit: optExpr (',' optExpr)*
    &[Call(Rule::OptExpr, 0), Star(Adaptive, &[&[Token(Kind::Comma), Call(Rule::OptExpr, 0)]])],
    // fieldInitializerList: optField ':' expr (',' optField ':' expr)*
    &[
        Call(Rule::OptField, 0),
        Token(Kind::Colon),
        Call(Rule::Expr, 0),
        Star(Adaptive, &[&[Token(Kind::Comma), Call(Rule::OptField, 0), Token(Kind::Colon), Call(Rule::Expr, 0)]]),
    ],
    // optField: '?'? escapeIdent
    &[Optional(&[Token(Kind::Question)]), Call(Rule::EscapeIdent, 0)],
    // mapInitializerList: optExpr ':' expr (',' optExpr ':' expr)*
    &[
        Call(Rule::OptExpr, 0),
        Token(Kind::Colon),
        Call(Rule::Expr, 0),
        Star(Adaptive, &[&[Token(Kind::Comma), Call(Rule::OptExpr, 0), Token(Kind::Colon), Call(Rule::Expr, 0)]]),
    ],
    // escapeIdent: IDENTIFIER | ESC_IDENTIFIER
    &[Alternatives(Simple, &[&[Token(Kind::Ident)], &[Token(Kind::QuotedIdent)]])],
    // optExpr: '?'? expr
    &[Optional(&[Token(Kind::Question)]), Call(Rule::Expr, 0)],
    // literal: see `LITERALS`
    &[Alternatives(Adaptive, LITERALS)],
];

const COMPARISONS: &[Kind] =
    &[Kind::Equals, Kind::NotEquals, Kind::In, Kind::Less, Kind::LessEquals, Kind::GreaterEquals, Kind::Greater];

/// The alternatives of `member` that are left-recursive.
const MEMBERS: &[&[Item]] = &[
    &[Precedence(3), Token(Kind::Dot), Optional(&[Token(Kind::Question)]), Call(Rule::EscapeIdent, 0)],
    &[
        Precedence(2),
        Token(Kind::Dot),
        Token(Kind::Ident),
        Token(Kind::LeftParen),
        Optional(&[Call(Rule::ExprList, 0)]),
        Token(Kind::RightParen),
    ],
    &[
        Precedence(1),
        Token(Kind::LeftBracket),
        Optional(&[Token(Kind::Question)]),
        Call(Rule::Expr, 0),
        Token(Kind::RightBracket),
    ],
];

/// The alternatives of `primary`: a name, a call, an expression in parentheses, a list, a map, a message, a literal.
const PRIMARIES: &[&[Item]] = &[
    &[Optional(&[Token(Kind::Dot)]), Token(Kind::Ident)],
    &[
        Optional(&[Token(Kind::Dot)]),
        Token(Kind::Ident),
        Token(Kind::LeftParen),
        Optional(&[Call(Rule::ExprList, 0)]),
        Token(Kind::RightParen),
    ],
    &[Token(Kind::LeftParen), Call(Rule::Expr, 0), Token(Kind::RightParen)],
    &[
        Token(Kind::LeftBracket),
        Optional(&[Call(Rule::ListInit, 0)]),
        Optional(&[Token(Kind::Comma)]),
        Token(Kind::RightBracket),
    ],
    &[
        Token(Kind::LeftBrace),
        Optional(&[Call(Rule::MapInits, 0)]),
        Optional(&[Token(Kind::Comma)]),
        Token(Kind::RightBrace),
    ],
    &[
        Optional(&[Token(Kind::Dot)]),
        Token(Kind::Ident),
        Star(Simple, &[&[Token(Kind::Dot), Token(Kind::Ident)]]),
        Token(Kind::LeftBrace),
        Optional(&[Call(Rule::FieldInits, 0)]),
        Optional(&[Token(Kind::Comma)]),
        Token(Kind::RightBrace),
    ],
    &[Call(Rule::Literal, 0)],
];

/// The alternatives of `literal`.
const LITERALS: &[&[Item]] = &[
    &[Optional(&[Token(Kind::Minus)]), Token(Kind::Int)],
    &[Token(Kind::Uint)],
    &[Optional(&[Token(Kind::Minus)]), Token(Kind::Float)],
    &[Token(Kind::String)],
    &[Token(Kind::Bytes)],
    &[Token(Kind::True)],
    &[Token(Kind::False)],
    &[Token(Kind::Null)],
];
