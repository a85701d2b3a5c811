//! The grammar as a network of states, which is what ANTLR works on at run time.

use std::sync::OnceLock;

use super::grammar::{Item, Lookahead, RULES, Rule};
use crate::syntax::lexer::Kind;

/// The number of a state.
pub(super) type StateId = usize;

/// A set of token kinds, with a place for "the rule may end here".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenSet(u64);

impl TokenSet {
    const EPSILON: TokenSet = TokenSet(1 << 63);

    pub(super) fn of(kind: Kind) -> Self {
        Self(1 << kind as u64)
    }

    pub(super) fn all(kinds: &[Kind]) -> Self {
        kinds.iter().fold(Self::default(), |set, kind| set.union(Self::of(*kind)))
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn contains(self, kind: Kind) -> bool {
        self.0 & Self::of(kind).0 != 0
    }

    /// True if the rule may end here.
    pub(super) fn ends_rule(self) -> bool {
        self.0 & Self::EPSILON.0 != 0
    }

    pub(super) fn without_end(self) -> Self {
        Self(self.0 & !Self::EPSILON.0)
    }

    /// The set as messages write it.
    pub(super) fn show(self) -> String {
        let names: Vec<&str> = NAMES.iter().filter(|(kind, _)| self.contains(*kind)).map(|(_, name)| *name).collect();
        match names.as_slice() {
            [name] => (*name).to_owned(),
            names => format!("{{{}}}", names.join(", ")),
        }
    }
}

/// Token kinds in the order of their numbers in ANTLR, with the names messages use.
const NAMES: [(Kind, &str); 36] = [
    (Kind::End, "<EOF>"),
    (Kind::Equals, "'=='"),
    (Kind::NotEquals, "'!='"),
    (Kind::In, "'in'"),
    (Kind::Less, "'<'"),
    (Kind::LessEquals, "'<='"),
    (Kind::GreaterEquals, "'>='"),
    (Kind::Greater, "'>'"),
    (Kind::And, "'&&'"),
    (Kind::Or, "'||'"),
    (Kind::LeftBracket, "'['"),
    (Kind::RightBracket, "']'"),
    (Kind::LeftBrace, "'{'"),
    (Kind::RightBrace, "'}'"),
    (Kind::LeftParen, "'('"),
    (Kind::RightParen, "')'"),
    (Kind::Dot, "'.'"),
    (Kind::Comma, "','"),
    (Kind::Minus, "'-'"),
    (Kind::Not, "'!'"),
    (Kind::Question, "'?'"),
    (Kind::Colon, "':'"),
    (Kind::Plus, "'+'"),
    (Kind::Star, "'*'"),
    (Kind::Slash, "'/'"),
    (Kind::Percent, "'%'"),
    (Kind::True, "'true'"),
    (Kind::False, "'false'"),
    (Kind::Null, "'null'"),
    (Kind::Float, "NUM_FLOAT"),
    (Kind::Int, "NUM_INT"),
    (Kind::Uint, "NUM_UINT"),
    (Kind::String, "STRING"),
    (Kind::Bytes, "BYTES"),
    (Kind::Ident, "IDENTIFIER"),
    (Kind::QuotedIdent, "ESC_IDENTIFIER"),
];

/// A way from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    /// Takes nothing. `outermost` names the rule that returns this way from a call without precedence.
    Empty {
        to: StateId,
        outermost: Option<Rule>,
    },
    Token {
        set: TokenSet,
        to: StateId,
    },
    Call {
        rule: Rule,
        follow: StateId,
    },
    Precedence {
        at_least: u8,
        to: StateId,
    },
}

/// The purpose of a state; errors are handled differently in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateKind {
    Basic,
    RuleStop,
    /// The start of alternatives, of an optional part or of the inside of a loop.
    Block,
    BlockEnd,
    LoopEntry,
    /// The end of one round of a loop.
    LoopBack,
}

pub(super) struct State {
    pub(super) kind: StateKind,
    pub(super) rule: Rule,
    pub(super) edges: Vec<Edge>,
    /// The loop of a rule that takes a precedence.
    pub(super) precedence_loop: bool,
    /// The end of the alternatives that start here.
    pub(super) block_end: StateId,
}

impl State {
    /// True if no token is taken from here.
    pub(super) fn is_epsilon_only(&self) -> bool {
        !self.edges.iter().any(|edge| matches!(edge, Edge::Token { .. }))
    }
}

/// A part of a rule with its states.
pub(super) enum Step {
    Token {
        state: StateId,
        kind: Kind,
    },
    OneOf {
        state: StateId,
        set: TokenSet,
    },
    Call {
        state: StateId,
        rule: Rule,
        precedence: u8,
    },
    Optional {
        state: StateId,
        body: Vec<Step>,
    },
    Star {
        entry: StateId,
        back: StateId,
        block: StateId,
        lookahead: Lookahead,
        alternatives: Vec<Vec<Step>>,
    },
    Plus {
        block: StateId,
        back: StateId,
        lookahead: Lookahead,
        body: Vec<Step>,
    },
    Alternatives {
        state: StateId,
        lookahead: Lookahead,
        alternatives: Vec<Vec<Step>>,
    },
    /// Prediction has checked it already.
    Precedence,
}

/// The whole grammar.
pub(super) struct Network {
    pub(super) states: Vec<State>,
    pub(super) starts: Vec<StateId>,
    pub(super) stops: Vec<StateId>,
    pub(super) bodies: Vec<Vec<Step>>,
}

const ALL_RULES: [Rule; 17] = [
    Rule::Start,
    Rule::Expr,
    Rule::Or,
    Rule::And,
    Rule::Relation,
    Rule::Calc,
    Rule::Unary,
    Rule::Member,
    Rule::Primary,
    Rule::ExprList,
    Rule::ListInit,
    Rule::FieldInits,
    Rule::OptField,
    Rule::MapInits,
    Rule::EscapeIdent,
    Rule::OptExpr,
    Rule::Literal,
];

/// The network of the grammar.
pub(super) fn network() -> &'static Network {
    static NETWORK: OnceLock<Network> = OnceLock::new();
    NETWORK.get_or_init(build)
}

fn build() -> Network {
    let mut builder = Builder { states: Vec::new(), rule: Rule::Start };
    let mut ends = Vec::new();
    for rule in ALL_RULES {
        builder.rule = rule;
        ends.push((builder.state(StateKind::Basic), builder.state(StateKind::RuleStop)));
    }
    let mut bodies = Vec::new();
    for (rule, (start, stop)) in ALL_RULES.into_iter().zip(&ends) {
        builder.rule = rule;
        let mut steps = Vec::new();
        let end = builder.sequence(RULES[rule as usize], *start, &mut steps);
        builder.empty(end, *stop);
        bodies.push(steps);
    }
    let (starts, stops): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
    let mut network = Network { states: builder.states, starts, stops, bodies };
    network.skip_empty_edges();
    network.add_returns();
    network
}

impl Network {
    /// Lets edges lead past states that only lead on, as ANTLR does. Prediction notices: alternatives that return to
    /// the same state are in conflict.
    fn skip_empty_edges(&mut self) {
        let onward: Vec<Option<StateId>> = self
            .states
            .iter()
            .map(|state| match *state.edges {
                [Edge::Empty { to, .. }] if state.kind == StateKind::Basic => {
                    (self.states[to].kind != StateKind::RuleStop).then_some(to)
                }
                _ => None,
            })
            .collect();
        for state in &mut self.states {
            for edge in &mut state.edges {
                let (Edge::Token { to, .. } | Edge::Call { follow: to, .. } | Edge::Precedence { to, .. }) = edge
                else {
                    continue;
                };
                *to = onward[*to].unwrap_or(*to);
            }
        }
    }

    /// Connects the end of each rule with what follows its calls.
    fn add_returns(&mut self) {
        let mut returns = Vec::new();
        for (state, body) in self.states.iter().enumerate() {
            for edge in &body.edges {
                if let Edge::Call { rule, follow } = *edge {
                    let outermost = (rule.has_precedence() && self.call_precedence(state) == 0).then_some(rule);
                    returns.push((rule, Edge::Empty { to: follow, outermost }));
                }
            }
        }
        for (rule, edge) in returns {
            let stop = self.stops[rule as usize];
            self.states[stop].edges.push(edge);
        }
    }

    /// The precedence with which the rule called from a state is called.
    fn call_precedence(&self, state: StateId) -> u8 {
        fn find(steps: &[Step], wanted: StateId) -> Option<u8> {
            steps.iter().find_map(|step| match step {
                Step::Call { state, precedence, .. } => (*state == wanted).then_some(*precedence),
                Step::Optional { body, .. } | Step::Plus { body, .. } => find(body, wanted),
                Step::Star { alternatives, .. } | Step::Alternatives { alternatives, .. } => {
                    alternatives.iter().find_map(|body| find(body, wanted))
                }
                _ => None,
            })
        }
        self.bodies.iter().find_map(|body| find(body, state)).unwrap_or(0)
    }

    /// The tokens that can come next from a state, within its rule.
    pub(super) fn next_tokens(&self, state: StateId) -> TokenSet {
        let mut set = TokenSet::default();
        self.look(state, &mut Vec::new(), &mut vec![false; self.states.len()], &mut set);
        set
    }

    /// Collects tokens; `calls` are the states to return to.
    fn look(&self, state: StateId, calls: &mut Vec<StateId>, busy: &mut Vec<bool>, set: &mut TokenSet) {
        if self.states[state].kind == StateKind::RuleStop {
            match calls.pop() {
                Some(back) => {
                    self.look(back, calls, &mut vec![false; self.states.len()], set);
                    calls.push(back);
                }
                None => *set = set.union(TokenSet::EPSILON),
            }
            return;
        }
        if std::mem::replace(&mut busy[state], true) {
            return;
        }
        for edge in &self.states[state].edges {
            match *edge {
                Edge::Token { set: tokens, .. } => *set = set.union(tokens),
                Edge::Empty { to, .. } | Edge::Precedence { to, .. } => self.look(to, calls, busy, set),
                Edge::Call { rule, follow } => {
                    // No rule can start with itself, so calls end.
                    calls.push(follow);
                    self.look(self.starts[rule as usize], calls, &mut vec![false; self.states.len()], set);
                    calls.pop();
                }
            }
        }
    }

    /// The tokens that can come next from a state when its rule was called from these states, innermost last.
    pub(super) fn next_tokens_in(&self, state: StateId, callers: &[StateId]) -> TokenSet {
        let mut expected = self.next_tokens(state);
        let mut callers = callers.iter().rev();
        while expected.ends_rule() {
            expected = expected.without_end();
            expected = match callers.next() {
                Some(caller) => expected.union(self.next_tokens(self.follow(*caller))),
                None => return expected.union(TokenSet::of(Kind::End)),
            };
        }
        expected
    }

    /// Returns the state that a call made in a state returns to.
    pub(super) fn follow(&self, state: StateId) -> StateId {
        match self.states[state].edges.first() {
            Some(Edge::Call { follow, .. }) => *follow,
            _ => state,
        }
    }

    /// Returns the state after the only edge of a state, past a token.
    pub(super) fn after(&self, state: StateId) -> StateId {
        match self.states[state].edges.first() {
            Some(Edge::Token { to, .. } | Edge::Empty { to, .. } | Edge::Precedence { to, .. }) => *to,
            Some(Edge::Call { follow, .. }) => *follow,
            None => state,
        }
    }
}

struct Builder {
    states: Vec<State>,
    rule: Rule,
}

impl Builder {
    fn state(&mut self, kind: StateKind) -> StateId {
        self.states.push(State { kind, rule: self.rule, edges: Vec::new(), precedence_loop: false, block_end: 0 });
        self.states.len() - 1
    }

    fn empty(&mut self, from: StateId, to: StateId) {
        self.states[from].edges.push(Edge::Empty { to, outermost: None });
    }

    /// Adds items one after the other; returns the state after the last.
    fn sequence(&mut self, items: &'static [Item], from: StateId, steps: &mut Vec<Step>) -> StateId {
        let mut at = from;
        for item in items {
            // A state of its own for each item, so that each has one edge only.
            let state = self.state(StateKind::Basic);
            self.empty(at, state);
            at = self.item(item, state, steps);
        }
        at
    }

    fn item(&mut self, item: &'static Item, state: StateId, steps: &mut Vec<Step>) -> StateId {
        match item {
            Item::Token(kind) => {
                steps.push(Step::Token { state, kind: *kind });
                self.token(state, TokenSet::of(*kind))
            }
            Item::OneOf(kinds) => {
                let set = TokenSet::all(kinds);
                steps.push(Step::OneOf { state, set });
                self.token(state, set)
            }
            Item::Call(rule, precedence) => {
                steps.push(Step::Call { state, rule: *rule, precedence: *precedence });
                let follow = self.state(StateKind::Basic);
                self.states[state].edges.push(Edge::Call { rule: *rule, follow });
                follow
            }
            Item::Precedence(at_least) => {
                steps.push(Step::Precedence);
                let to = self.state(StateKind::Basic);
                self.states[state].edges.push(Edge::Precedence { at_least: *at_least, to });
                to
            }
            Item::Optional(body) => {
                let end = self.state(StateKind::BlockEnd);
                let bodies = self.block(state, &[body], end);
                self.empty(state, end);
                steps.extend(bodies.into_iter().map(|body| Step::Optional { state, body }));
                end
            }
            Item::Alternatives(lookahead, alternatives) => {
                let end = self.state(StateKind::BlockEnd);
                let alternatives = self.block(state, alternatives, end);
                steps.push(Step::Alternatives { state, lookahead: *lookahead, alternatives });
                end
            }
            Item::Star(lookahead, alternatives) => self.star(state, *lookahead, alternatives, steps),
            Item::Plus(lookahead, body) => self.plus(state, *lookahead, body, steps),
        }
    }

    fn token(&mut self, state: StateId, set: TokenSet) -> StateId {
        let to = self.state(StateKind::Basic);
        self.states[state].edges.push(Edge::Token { set, to });
        to
    }

    fn block(&mut self, block: StateId, bodies: &[&'static [Item]], end: StateId) -> Vec<Vec<Step>> {
        self.states[block].kind = StateKind::Block;
        self.states[block].block_end = end;
        let mut alternatives = Vec::new();
        for body in bodies {
            let mut steps = Vec::new();
            let last = self.sequence(body, block, &mut steps);
            self.empty(last, end);
            alternatives.push(steps);
        }
        alternatives
    }

    fn star(
        &mut self,
        entry: StateId,
        lookahead: Lookahead,
        bodies: &'static [&'static [Item]],
        steps: &mut Vec<Step>,
    ) -> StateId {
        self.states[entry].kind = StateKind::LoopEntry;
        self.states[entry].precedence_loop = self.rule.has_precedence();
        let block = self.state(StateKind::Block);
        let end = self.state(StateKind::BlockEnd);
        let back = self.state(StateKind::LoopBack);
        let after = self.state(StateKind::Basic);
        self.empty(entry, block);
        self.empty(entry, after);
        let alternatives = self.block(block, bodies, end);
        self.empty(end, back);
        self.empty(back, entry);
        steps.push(Step::Star { entry, back, block, lookahead, alternatives });
        after
    }

    fn plus(&mut self, block: StateId, lookahead: Lookahead, body: &'static [Item], steps: &mut Vec<Step>) -> StateId {
        let end = self.state(StateKind::BlockEnd);
        let back = self.state(StateKind::LoopBack);
        let after = self.state(StateKind::Basic);
        let bodies = self.block(block, &[body], end);
        self.empty(end, back);
        self.empty(back, block);
        self.empty(back, after);
        steps.extend(bodies.into_iter().map(|body| Step::Plus { block, back, lookahead, body }));
        after
    }
}
