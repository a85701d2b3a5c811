//! Walks a text like the generated parser, and recovers from errors like ANTLR.

use super::grammar::{Lookahead, Rule};
use super::network::{Network, StateId, StateKind, Step, TokenSet, network};
use super::predict::{NoViable, Predictor};
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::parser::MAX_RECURSION;
use crate::syntax::source::{Issues, MAX_ERRORS};

/// Maximum number of recoveries.
const MAX_RECOVERIES: usize = 30;
/// Maximum number of tokens that one recovery skips.
const MAX_SKIPPED: usize = 256;

/// Reports what ANTLR reports.
pub(super) fn run(source: &str, tokens: &[Token], issues: &mut Issues) {
    let mut driver = Driver {
        network: network(),
        source,
        tokens,
        at: 0,
        state: 0,
        callers: Vec::new(),
        precedences: Vec::new(),
        depths: [0; 17],
        recovering: false,
        last_error: None,
        recoveries: 0,
        issues,
    };
    // Giving up has been reported where it happened.
    let _ = driver.rule(Rule::Start, 0, None);
}

/// The reasons why walking stops in the middle of a rule.
enum Halt {
    /// An error that the rule reports and recovers from.
    Fault(Fault),
    /// A limit; nothing more is reported.
    GiveUp,
}

#[derive(Clone, Copy)]
enum Fault {
    /// The next token is not among these.
    Mismatch {
        token: usize,
        expected: TokenSet,
    },
    NoViable(NoViable),
}

type Walked<T = ()> = Result<T, Halt>;

struct Driver<'s> {
    network: &'static Network,
    source: &'s str,
    tokens: &'s [Token],
    at: usize,
    state: StateId,
    /// The states from which the rules under way were called, innermost last.
    callers: Vec<StateId>,
    precedences: Vec<u8>,
    depths: [u32; 17],
    /// True if an error was reported and no token has matched since.
    recovering: bool,
    /// The position of the last error, and its states.
    last_error: Option<(usize, Vec<StateId>)>,
    recoveries: usize,
    issues: &'s mut Issues,
}

impl Driver<'_> {
    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn consume(&mut self) {
        if self.kind() != Kind::End {
            self.at += 1;
        }
    }

    fn rule(&mut self, rule: Rule, precedence: u8, caller: Option<StateId>) -> Result<(), Halt> {
        self.callers.extend(caller);
        self.state = self.network.starts[rule as usize];
        if rule.has_precedence() {
            self.precedences.push(precedence);
        }
        self.depths[rule as usize] += 1;
        if self.depths[rule as usize] > MAX_RECURSION {
            self.issues.report(None, format!("expression recursion limit exceeded: {MAX_RECURSION}"));
            return Err(Halt::GiveUp);
        }
        match self.steps(&self.network.bodies[rule as usize]) {
            Err(Halt::Fault(fault)) => {
                self.report_fault(fault)?;
                self.recover()?;
            }
            Err(Halt::GiveUp) => return Err(Halt::GiveUp),
            Ok(()) => {}
        }
        self.depths[rule as usize] -= 1;
        if rule.has_precedence() {
            self.precedences.pop();
        }
        if let Some(caller) = caller {
            self.callers.pop();
            self.state = caller;
        }
        Ok(())
    }

    fn steps(&mut self, steps: &'static [Step]) -> Walked {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &'static Step) -> Walked {
        match step {
            Step::Precedence => Ok(()),
            Step::Token { state, kind } => self.expect(*state, TokenSet::of(*kind)),
            Step::OneOf { state, set } => self.expect(*state, *set),
            Step::Call { state, rule, precedence } => {
                self.state = *state;
                self.rule(*rule, *precedence, Some(*state))
            }
            Step::Optional { state, body } => {
                self.sync(*state)?;
                if self.starts(body) { self.steps(body) } else { Ok(()) }
            }
            Step::Alternatives { state, lookahead, alternatives } => {
                self.sync(*state)?;
                let chosen = self.choose(*state, *lookahead, alternatives)?;
                self.steps(&alternatives[chosen])
            }
            Step::Star { entry, back, block, lookahead, alternatives } => {
                self.sync(*entry)?;
                while self.goes_on(*entry, *lookahead, &alternatives[0])? {
                    self.round(*block, alternatives)?;
                    self.sync(*back)?;
                }
                Ok(())
            }
            Step::Plus { block, back, lookahead, body } => {
                self.sync(*block)?;
                loop {
                    self.steps(body)?;
                    self.sync(*back)?;
                    if !self.goes_on(*back, *lookahead, body)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// One round of a loop.
    fn round(&mut self, block: StateId, alternatives: &'static [Vec<Step>]) -> Walked {
        let mut chosen = 0;
        if alternatives.len() > 1 {
            self.sync(block)?;
            chosen = self.choose(block, Lookahead::Adaptive, alternatives)?;
        }
        self.steps(&alternatives[chosen])
    }

    /// True if the next token can start the steps.
    fn starts(&self, body: &'static [Step]) -> bool {
        let state = match body.first() {
            Some(Step::Token { state, .. } | Step::OneOf { state, .. } | Step::Call { state, .. }) => *state,
            _ => return false,
        };
        self.network.next_tokens(state).contains(self.kind())
    }

    /// Reports whether a loop is entered (again).
    fn goes_on(&mut self, decision: StateId, lookahead: Lookahead, body: &'static [Step]) -> Walked<bool> {
        match lookahead {
            Lookahead::Simple => Ok(self.starts(body)),
            Lookahead::Adaptive => Ok(self.predict(decision)? == 1),
        }
    }

    fn choose(&mut self, decision: StateId, lookahead: Lookahead, bodies: &'static [Vec<Step>]) -> Walked<usize> {
        match lookahead {
            Lookahead::Adaptive => Ok(self.predict(decision)? - 1),
            Lookahead::Simple => {
                let here = NoViable { start: self.at, offending: self.at };
                let fits = bodies.iter().position(|body| self.starts(body));
                fits.ok_or(Halt::Fault(Fault::NoViable(here)))
            }
        }
    }

    fn predict(&mut self, decision: StateId) -> Walked<usize> {
        let precedence = self.precedences.last().copied().unwrap_or(0);
        let mut predictor = Predictor::new(self.network, self.tokens, self.at, precedence);
        predictor.predict(decision, &self.callers).map_err(|fault| Halt::Fault(Fault::NoViable(fault)))
    }

    /// The tokens that may come next here.
    fn expected(&self) -> TokenSet {
        self.network.next_tokens_in(self.state, &self.callers)
    }

    fn mismatch(&self) -> Halt {
        Halt::Fault(Fault::Mismatch { token: self.at, expected: self.expected() })
    }

    fn expect(&mut self, state: StateId, set: TokenSet) -> Walked {
        self.state = state;
        if set.contains(self.kind()) {
            self.matched();
            self.consume();
            return Ok(());
        }
        self.count_recovery()?;
        if self.delete_token()? {
            self.consume();
            return Ok(());
        }
        let after = self.network.next_tokens_in(self.network.after(self.state), &self.callers);
        if after.contains(self.kind()) {
            return self.report_missing();
        }
        Err(self.mismatch())
    }

    fn matched(&mut self) {
        self.recovering = false;
        self.last_error = None;
    }

    /// Makes sure that the next token fits a decision, if need be by skipping tokens.
    fn sync(&mut self, state: StateId) -> Walked {
        self.state = state;
        if self.recovering {
            return Ok(());
        }
        let next = self.network.next_tokens(state);
        if next.ends_rule() || next.contains(self.kind()) {
            return Ok(());
        }
        match self.network.states[state].kind {
            StateKind::Block | StateKind::LoopEntry => {
                if self.delete_token()? {
                    Ok(())
                } else {
                    Err(self.mismatch())
                }
            }
            StateKind::LoopBack => {
                self.report_unwanted()?;
                let until = self.expected().union(self.recovery_set());
                self.skip_until(until, usize::MAX)
            }
            _ => Ok(()),
        }
    }

    /// Skips one token if the one after it fits.
    fn delete_token(&mut self) -> Walked<bool> {
        let next = self.tokens.get(self.at + 1).map_or(Kind::End, |token| token.kind);
        if !self.expected().contains(next) {
            return Ok(false);
        }
        self.report_unwanted()?;
        self.consume();
        self.matched();
        Ok(true)
    }

    fn count_recovery(&mut self) -> Walked {
        if self.recoveries == MAX_RECOVERIES {
            self.notify(self.at, &format!("error recovery attempt limit exceeded: {MAX_RECOVERIES}"))?;
            return Err(Halt::GiveUp);
        }
        self.recoveries += 1;
        Ok(())
    }

    /// Skips tokens until one can follow a rule under way.
    fn recover(&mut self) -> Walked {
        self.count_recovery()?;
        let mut skipped = 0;
        match &mut self.last_error {
            Some((at, states)) if *at == self.at && states.contains(&self.state) => {
                self.consume();
                skipped = 1;
            }
            _ => {}
        }
        let states = self.last_error.take().map_or_else(Vec::new, |(_, states)| states);
        self.last_error = Some((self.at, [states, vec![self.state]].concat()));
        self.skip_until(self.recovery_set(), MAX_SKIPPED - skipped)
    }

    fn recovery_set(&self) -> TokenSet {
        let follow = |caller: &StateId| self.network.next_tokens(self.network.follow(*caller)).without_end();
        self.callers.iter().map(follow).fold(TokenSet::default(), TokenSet::union)
    }

    fn skip_until(&mut self, set: TokenSet, limit: usize) -> Walked {
        let mut skipped = 0;
        while self.kind() != Kind::End && !set.contains(self.kind()) {
            if skipped == limit {
                let message = format!("error recovery token lookahead limit exceeded: {MAX_SKIPPED}");
                self.issues.report(None, message);
                return Err(Halt::GiveUp);
            }
            skipped += 1;
            self.consume();
        }
        Ok(())
    }

    fn report_fault(&mut self, fault: Fault) -> Walked {
        if std::mem::replace(&mut self.recovering, true) {
            return Ok(());
        }
        match fault {
            Fault::Mismatch { token, expected } => {
                let message = format!("mismatched input {} expecting {}", self.shown(token), expected.show());
                self.notify(token, &message)
            }
            Fault::NoViable(NoViable { start, offending }) => {
                let is_end = self.tokens[start].kind == Kind::End;
                let text = if is_end { "<EOF>".to_owned() } else { self.between(start, offending) };
                let message = reserved_word(&text).map_or_else(
                    || format!("no viable alternative at input {}", quote(&text)),
                    |word| format!("mismatched input '{word}' expecting IDENTIFIER"),
                );
                self.notify(offending, &message)
            }
        }
    }

    fn report_unwanted(&mut self) -> Walked {
        if std::mem::replace(&mut self.recovering, true) {
            return Ok(());
        }
        let message = format!("extraneous input {} expecting {}", self.shown(self.at), self.expected().show());
        self.notify(self.at, &message)
    }

    fn report_missing(&mut self) -> Walked {
        if std::mem::replace(&mut self.recovering, true) {
            return Ok(());
        }
        let message = format!("missing {} at {}", self.expected().show(), self.shown(self.at));
        self.notify(self.at, &message)
    }

    fn notify(&mut self, token: usize, message: &str) -> Walked {
        let offset = self.tokens[token].offset;
        if self.issues.list().len() >= MAX_ERRORS {
            self.issues.report(Some(offset), format!("Syntax error: More than {MAX_ERRORS} syntax errors"));
            return Err(Halt::GiveUp);
        }
        self.issues.report(Some(offset), format!("Syntax error: {message}"));
        Ok(())
    }

    fn shown(&self, token: usize) -> String {
        let token = self.tokens[token];
        if token.kind == Kind::End { "'<EOF>'".to_owned() } else { quote(token.text(self.source)) }
    }

    /// The text from one token to another, the end of the text excluded. What is not a token is not part of it.
    fn between(&self, start: usize, end: usize) -> String {
        let mut text = String::new();
        let mut at = self.tokens[start].start as usize;
        for token in &self.tokens[start..=end] {
            let gap = &self.source[at..token.start as usize];
            text.push_str(if token.kind == Kind::End { hidden_prefix(gap) } else { gap_text(gap) });
            text.push_str(token.text(self.source));
            at = token.end as usize;
        }
        text
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}

/// The keyword in a text like `.true`, which has a message of its own.
fn reserved_word(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    chars.next().filter(|char| *char != '\n')?;
    let word = chars.as_str();
    matches!(word, "true" | "false" | "null").then_some(word)
}

/// White space and comments between two tokens; anything else there is no token.
fn gap_text(gap: &str) -> &str {
    if gap.trim().is_empty() || gap.contains("//") { gap } else { hidden_prefix(gap) }
}

/// The white space that a text starts with.
fn hidden_prefix(text: &str) -> &str {
    &text[..text.len() - text.trim_start().len()]
}
