//! The values of Go constants: expressions over literals, `iota`, conversions and other constants, those of other packages included
//! as far as they are given.

use std::collections::BTreeMap;

use crate::comment::Doc;
use crate::model::{Builtin, Const, ConstName, Literal, Package, TypeExpr, TypeName};
use crate::span::{Finding, Span};

use super::lexer::{Kind, Token};
use super::literal::{char_value, int_value, unquote};
use super::parser::Parser;
use super::types::predeclared;

/// Maximum nesting of expressions, references to other constants included.
const MAX_DEPTH: usize = 64;

/// Maximum number of tokens read to find the values of a package's constants.
pub const MAX_STEPS: usize = 10_000_000;

/// Maximum total bytes of a package's string constants, results of concatenation included.
pub const MAX_STRING_BYTES: usize = 64 << 20;

/// A constant whose value has not been worked out.
pub(super) struct RawConst {
    pub(super) name: String,
    /// Its declared type.
    pub(super) ty: Option<TypeExpr>,
    /// The tokens of its value.
    pub(super) value: (usize, usize),
    /// Its place in its group.
    pub(super) iota: i128,
    pub(super) doc: Doc,
    pub(super) span: Span,
}

/// Works out the constants of a package from those of its files.
pub(super) fn evaluate<'a>(
    files: impl Iterator<Item = (&'a Parser<'a>, &'a [RawConst])>,
    type_names: &'a [String],
    others: &'a [&'a Package],
) -> (Vec<Const>, Vec<Finding>) {
    let consts: Vec<_> = files.flat_map(|(file, consts)| consts.iter().map(move |raw| (file, raw))).collect();
    let by_name = consts.iter().enumerate().map(|(index, (_, raw))| (raw.name.as_str(), index)).collect();
    let states = vec![State::Unknown; consts.len()];
    let others = others
        .iter()
        .flat_map(|other| other.consts.iter().map(|item| ((other.path.as_str(), item.name.as_str()), item)));
    let others = others.collect();
    let mut evaluator =
        Evaluator { consts, type_names, others, by_name, states, depth: 0, steps: MAX_STEPS, bytes: MAX_STRING_BYTES };
    let all = (0..evaluator.consts.len()).map(|index| evaluator.constant(index)).collect();
    let mut findings = Vec::new();
    if evaluator.steps == 0 || evaluator.bytes == 0 {
        let span = evaluator.consts.first().map_or(Span::NONE, |(_, raw)| raw.span);
        findings.push(Finding::error(span, "constants of this package are too large to work out"));
    }
    (all, findings)
}

/// A value and its type, as far as they are known.
#[derive(Clone)]
struct Typed {
    /// `None` when it depends on a constant that is not known.
    value: Option<Literal>,
    /// `None` when it is untyped.
    ty: Option<TypeExpr>,
    /// The first constant of another package that it depends on and that is not known.
    needs: Option<ConstName>,
}

impl Typed {
    fn untyped(value: Literal) -> Self {
        Typed { value: Some(value), ty: None, needs: None }
    }
}

#[derive(Clone)]
enum State {
    Unknown,
    InProgress,
    Known(Option<Typed>),
}

struct Evaluator<'a> {
    consts: Vec<(&'a Parser<'a>, &'a RawConst)>,
    /// Types declared in the package, sorted.
    type_names: &'a [String],
    /// Constants of other packages, by package and name.
    others: BTreeMap<(&'a str, &'a str), &'a Const>,
    by_name: BTreeMap<&'a str, usize>,
    states: Vec<State>,
    depth: usize,
    steps: usize,
    bytes: usize,
}

/// A place in an expression.
struct Expression<'a> {
    file: &'a Parser<'a>,
    at: usize,
    end: usize,
    iota: i128,
}

impl<'a> Expression<'a> {
    fn peek(&self) -> Option<Token> {
        (self.at < self.end).then(|| self.file.token_at(self.at))
    }

    fn operator(&self) -> Option<&'a str> {
        self.peek().filter(|token| token.kind == Kind::Operator).map(|token| self.file.text_of(token))
    }

    fn eat(&mut self, operator: &str) -> Option<()> {
        (self.operator() == Some(operator)).then(|| self.at += 1)
    }
}

impl<'a> Evaluator<'a> {
    fn constant(&mut self, index: usize) -> Const {
        let found = self.resolve(index);
        let (_, raw) = self.consts[index];
        let Typed { value, ty: inferred, needs } = found.unwrap_or(Typed { value: None, ty: None, needs: None });
        Const {
            name: raw.name.clone(),
            ty: raw.ty.clone().or(inferred),
            value,
            needs,
            tags: raw.doc.tags.clone(),
            comment: raw.doc.whole.clone(),
            span: raw.span,
        }
    }

    fn resolve(&mut self, index: usize) -> Option<Typed> {
        // Past the budget nothing is copied any more: copying alone would take forever.
        if self.bytes == 0 {
            return None;
        }
        match &self.states[index] {
            State::Known(value) => {
                let value = value.clone();
                return self.charge(value?);
            }
            State::InProgress => return None,
            State::Unknown => {}
        }
        self.states[index] = State::InProgress;
        let (file, raw) = self.consts[index];
        let (at, end) = raw.value;
        let mut expression = Expression { file, at, end, iota: raw.iota };
        let value = self.binary(&mut expression, 0).filter(|_| expression.at == expression.end);
        let value = value.map(|typed| Typed { ty: raw.ty.clone().or(typed.ty), ..typed });
        self.states[index] = State::Known(value.clone());
        value
    }

    /// Accounts for the size of a value about to be kept.
    fn charge(&mut self, typed: Typed) -> Option<Typed> {
        if let Some(Literal::String(text)) = &typed.value {
            let Some(left) = self.bytes.checked_sub(text.len()) else {
                self.bytes = 0;
                return None;
            };
            self.bytes = left;
        }
        Some(typed)
    }

    fn binary(&mut self, expression: &mut Expression<'a>, min: u8) -> Option<Typed> {
        let mut left = self.unary(expression)?;
        while let Some((operator, precedence)) = expression.operator().and_then(|op| Some((op, precedence(op)?))) {
            if precedence <= min {
                break;
            }
            expression.at += 1;
            let right = self.binary(expression, precedence)?;
            left = self.charge(apply(operator, left, right))?;
        }
        Some(left)
    }

    fn unary(&mut self, expression: &mut Expression<'a>) -> Option<Typed> {
        self.depth += 1;
        let value = if self.depth > MAX_DEPTH { None } else { self.operand(expression) };
        self.depth -= 1;
        value
    }

    fn operand(&mut self, expression: &mut Expression<'a>) -> Option<Typed> {
        self.steps = self.steps.checked_sub(1)?;
        let token = expression.peek()?;
        let text = expression.file.text_of(token);
        expression.at += 1;
        match token.kind {
            Kind::Number => Some(Typed::untyped(Literal::Int(int_value(text)?))),
            Kind::Char => Some(Typed::untyped(Literal::Int(char_value(text)?))),
            Kind::String => self.charge(Typed::untyped(Literal::String(unquote(text)?))),
            Kind::Operator if text == "(" => {
                let value = self.binary(expression, 0)?;
                expression.eat(")")?;
                Some(value)
            }
            Kind::Operator => negate(text, self.unary(expression)?),
            Kind::Word => self.word(expression, text),
            Kind::Semicolon | Kind::End => None,
        }
    }

    /// A constant's name, a conversion, or `len`.
    fn word(&mut self, expression: &mut Expression<'a>, name: &'a str) -> Option<Typed> {
        if expression.operator() == Some(".") {
            let package = expression.file.state.imports.path(name)?.to_owned();
            let name = expression.file.text_of(expression.file.token_at(expression.at + 1)).to_owned();
            expression.at += 2;
            if expression.operator() != Some("(") {
                let found = self.of_other(ConstName { package, name });
                return self.charge(found);
            }
            return self
                .convert(expression, TypeExpr::Named(TypeName { package: Some(package), name, args: Vec::new() }));
        }
        if expression.operator() == Some("(") {
            if name == "len" {
                return self.length(expression);
            }
            return self.convert(expression, self.local_type(name)?);
        }
        if let Some(&index) = self.by_name.get(name) {
            return self.resolve(index);
        }
        Some(Typed::untyped(match name {
            "iota" => Literal::Int(expression.iota),
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            _ => return None,
        }))
    }

    /// A constant of another package; its type is that package's where it is declared there.
    fn of_other(&self, name: ConstName) -> Typed {
        let Some(item) = self.others.get(&(name.package.as_str(), name.name.as_str())).copied() else {
            return Typed { value: None, ty: None, needs: Some(name) };
        };
        let ty = match item.ty.clone() {
            Some(TypeExpr::Named(ty)) => {
                Some(TypeExpr::Named(TypeName { package: ty.package.or(Some(name.package)), ..ty }))
            }
            ty => ty,
        };
        Typed { value: item.value.clone(), ty, needs: item.needs.clone() }
    }

    fn local_type(&self, name: &str) -> Option<TypeExpr> {
        if self.type_names.binary_search_by(|known| known.as_str().cmp(name)).is_ok() {
            return Some(TypeExpr::Named(TypeName { package: None, name: name.to_owned(), args: Vec::new() }));
        }
        predeclared(name)
    }

    fn convert(&mut self, expression: &mut Expression<'a>, ty: TypeExpr) -> Option<Typed> {
        let open = expression.peek()?;
        expression.eat("(")?;
        let inner = self.binary(expression, 0).filter(|_| expression.operator() == Some(")"));
        let Some(inner) = inner else {
            // The type is known even where the value is beyond the reader.
            expression.at = open.partner().filter(|close| *close < expression.end)? + 1;
            return Some(Typed { value: None, ty: Some(ty), needs: None });
        };
        expression.eat(")")?;
        // `string(65)` is a character, not a number with a string type.
        let to_text = matches!(ty, TypeExpr::Builtin(Builtin::String));
        let value = inner.value.filter(|value| !to_text || matches!(value, Literal::String(_)));
        Some(Typed { value, ty: Some(ty), needs: inner.needs })
    }

    fn length(&mut self, expression: &mut Expression<'a>) -> Option<Typed> {
        expression.eat("(")?;
        let inner = self.binary(expression, 0)?;
        expression.eat(")")?;
        let length = match inner.value {
            Some(Literal::String(text)) => i128::try_from(text.len()).ok().map(Literal::Int),
            _ => None,
        };
        Some(Typed { value: length, ty: Some(TypeExpr::Builtin(Builtin::Int)), needs: inner.needs })
    }
}

fn precedence(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
        "+" | "-" | "|" | "^" => 4,
        "*" | "/" | "%" | "<<" | ">>" | "&" | "&^" => 5,
        _ => return None,
    })
}

fn negate(operator: &str, operand: Typed) -> Option<Typed> {
    let value = match (operator, operand.value) {
        ("+" | "-" | "^" | "!", None) => None,
        ("+", Some(Literal::Int(value))) => Some(Literal::Int(value)),
        ("-", Some(Literal::Int(value))) => value.checked_neg().map(Literal::Int),
        ("^", Some(Literal::Int(value))) => Some(Literal::Int(complement(value, operand.ty.as_ref()))),
        ("!", Some(Literal::Bool(value))) => Some(Literal::Bool(!value)),
        _ => return None,
    };
    Some(Typed { value, ty: operand.ty, needs: operand.needs })
}

/// Bitwise complement, within the width of an unsigned type.
fn complement(value: i128, ty: Option<&TypeExpr>) -> i128 {
    let bits = match ty {
        Some(TypeExpr::Builtin(builtin)) => builtin.int_bits(),
        _ => None,
    };
    match bits {
        Some((bits, false)) => !value & ((1 << bits) - 1),
        _ => !value,
    }
}

fn apply(operator: &str, left: Typed, right: Typed) -> Typed {
    let ty = match operator {
        "<<" | ">>" => left.ty,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => None,
        _ => left.ty.or(right.ty),
    };
    let value = left.value.zip(right.value).and_then(|(left, right)| combine(operator, left, right));
    Typed { value, ty, needs: left.needs.or(right.needs) }
}

fn combine(operator: &str, left: Literal, right: Literal) -> Option<Literal> {
    match (left, right) {
        (Literal::Int(left), Literal::Int(right)) => compare(operator, &left, &right)
            .map(Literal::Bool)
            .or_else(|| arithmetic(operator, left, right).map(Literal::Int)),
        (Literal::String(left), Literal::String(right)) => match compare(operator, &left, &right) {
            Some(outcome) => Some(Literal::Bool(outcome)),
            None => (operator == "+" && left.len() + right.len() <= MAX_STRING_BYTES)
                .then(|| Literal::String(left + &right)),
        },
        (Literal::Bool(left), Literal::Bool(right)) => Some(Literal::Bool(match operator {
            "&&" => left && right,
            "||" => left || right,
            "==" => left == right,
            "!=" => left != right,
            _ => return None,
        })),
        _ => None,
    }
}

fn compare<T: Ord>(operator: &str, left: &T, right: &T) -> Option<bool> {
    Some(match operator {
        "==" => left == right,
        "!=" => left != right,
        "<" => left < right,
        "<=" => left <= right,
        ">" => left > right,
        ">=" => left >= right,
        _ => return None,
    })
}

fn arithmetic(operator: &str, left: i128, right: i128) -> Option<i128> {
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "&" => Some(left & right),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&^" => Some(left & !right),
        "<<" => {
            let shift = u32::try_from(right).ok()?;
            let shifted = left.checked_shl(shift)?;
            (shifted >> shift == left).then_some(shifted)
        }
        ">>" => Some(left >> u32::try_from(right).ok()?.min(127)),
        _ => None,
    }
}
