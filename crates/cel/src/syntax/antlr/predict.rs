//! Predicts the alternative that ANTLR takes: all are followed at once until only one is left.
//!
//! First without regard to where the rule was called from; if that leaves a conflict, again with regard to it.

use super::context::{StackId, Stacks};
use super::grammar::Rule;
use super::network::{Edge, Network, StateId, StateKind};
use crate::syntax::lexer::{Kind, Token};

/// No alternative fits: the text between these tokens is to blame.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoViable {
    pub(super) start: usize,
    pub(super) offending: usize,
}

/// A place an alternative may have come to.
#[derive(Clone, Copy, Debug)]
struct Config {
    state: StateId,
    alternative: usize,
    stack: StackId,
    /// The lowest precedence that must be reached, if one is required.
    precedence: Option<u8>,
    /// The number of times the end of the decision's rule was passed.
    outer: u32,
    suppressed: bool,
}

impl Config {
    fn same_place(&self, other: &Self) -> bool {
        self.state == other.state && self.alternative == other.alternative && self.precedence == other.precedence
    }

    fn same(&self, other: &Self) -> bool {
        self.same_place(other) && self.stack == other.stack && self.suppressed == other.suppressed
    }
}

pub(super) struct Predictor<'n> {
    network: &'n Network,
    tokens: &'n [Token],
    start: usize,
    /// The precedence of the current rule.
    precedence: u8,
    stacks: Stacks,
    /// The rule of the decision, if the decision is its precedence loop.
    precedence_rule: Option<Rule>,
}

/// A walk without or with regard to the callers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Local,
    Full,
}

impl<'n> Predictor<'n> {
    pub(super) fn new(network: &'n Network, tokens: &'n [Token], start: usize, precedence: u8) -> Self {
        Self { network, tokens, start, precedence, stacks: Stacks::new(), precedence_rule: None }
    }

    /// The alternative to take at a decision; `callers` are the states from which rules were called, innermost last.
    pub(super) fn predict(&mut self, decision: StateId, callers: &[StateId]) -> Result<usize, NoViable> {
        let state = &self.network.states[decision];
        self.precedence_rule = state.precedence_loop.then_some(state.rule);
        let mut configs = self.start_configs(decision, StackId::EMPTY, Mode::Local);
        if self.precedence_rule.is_some() {
            configs = self.filter_precedence(&configs);
        }
        let mut at = self.start;
        loop {
            let Some(reached) = self.reach(&configs, self.tokens[at].kind, Mode::Local) else {
                let fault = NoViable { start: self.start, offending: at };
                return self.finished(&configs).ok_or(fault);
            };
            if let Some(only) = unique(&reached) {
                let fault = NoViable { start: self.start, offending: self.start };
                return self.passing(&reached, &[only]).first().copied().ok_or(fault);
            }
            if self.conflicts(&reached) {
                let alternatives = alternatives_of(&reached);
                if reached.iter().any(|config| config.precedence.is_some()) {
                    let passing = self.passing(&reached, &alternatives);
                    if let [only] = *passing {
                        return Ok(only);
                    }
                }
                return self.predict_full(decision, callers);
            }
            configs = reached;
            at = self.next(at);
        }
    }

    fn predict_full(&mut self, decision: StateId, callers: &[StateId]) -> Result<usize, NoViable> {
        let mut stack = StackId::EMPTY;
        for caller in callers {
            stack = self.stacks.push(stack, self.network.follow(*caller));
        }
        let mut configs = self.start_configs(decision, stack, Mode::Full);
        let mut at = self.start;
        loop {
            let Some(reached) = self.reach(&configs, self.tokens[at].kind, Mode::Full) else {
                // The reference has gone back to the start before it looks for the token to blame.
                let fault = NoViable { start: self.start, offending: self.start };
                return self.finished(&configs).ok_or(fault);
            };
            if let Some(only) = unique(&reached).or_else(|| single_viable(&reached)) {
                return Ok(only);
            }
            configs = reached;
            at = self.next(at);
        }
    }

    fn next(&self, at: usize) -> usize {
        if self.tokens[at].kind == Kind::End { at } else { at + 1 }
    }

    fn start_configs(&mut self, decision: StateId, stack: StackId, mode: Mode) -> Vec<Config> {
        let mut configs = Vec::new();
        let edges = self.network.states[decision].edges.clone();
        for (index, edge) in edges.iter().enumerate() {
            let Edge::Empty { to, .. } = *edge else { continue };
            let alternative = index + 1;
            let config = Config { state: to, alternative, stack, precedence: None, outer: 0, suppressed: false };
            let walk = Walk { collects: true, mode, end_is_empty: false };
            self.closure(config, &mut configs, &mut Vec::new(), walk, 0);
        }
        configs
    }

    /// Drops the loop alternative where precedence forbids it, and the exit where the loop leads to the same place.
    fn filter_precedence(&mut self, configs: &[Config]) -> Vec<Config> {
        let mut kept = Vec::new();
        let mut inside: Vec<(StateId, StackId)> = Vec::new();
        for config in configs.iter().filter(|config| config.alternative == 1) {
            if config.precedence.is_some_and(|at_least| at_least < self.precedence) {
                continue;
            }
            inside.push((config.state, config.stack));
            self.add(&mut kept, Config { precedence: None, ..*config }, Mode::Local);
        }
        for config in configs.iter().filter(|config| config.alternative != 1) {
            let known = inside.iter().rev().find(|(state, _)| *state == config.state);
            if !config.suppressed && known.is_some_and(|(_, stack)| *stack == config.stack) {
                continue;
            }
            self.add(&mut kept, *config, Mode::Local);
        }
        kept
    }

    fn add(&mut self, configs: &mut Vec<Config>, config: Config, mode: Mode) {
        match configs.iter_mut().find(|known| known.same_place(&config)) {
            Some(known) => {
                known.stack = self.stacks.merge(known.stack, config.stack, mode == Mode::Local);
                known.outer = known.outer.max(config.outer);
                known.suppressed |= config.suppressed;
            }
            None => configs.push(config),
        }
    }

    fn reach(&mut self, configs: &[Config], kind: Kind, mode: Mode) -> Option<Vec<Config>> {
        let mut moved = Vec::new();
        let mut stopped = Vec::new();
        let is_end = kind == Kind::End;
        for config in configs {
            let state = &self.network.states[config.state];
            if state.kind == StateKind::RuleStop {
                if mode == Mode::Full || is_end {
                    stopped.push(*config);
                }
                continue;
            }
            for edge in state.edges.clone() {
                if let Edge::Token { set, to } = edge
                    && set.contains(kind)
                {
                    self.add(&mut moved, Config { state: to, ..*config }, mode);
                }
            }
        }
        let mut reached = Vec::new();
        if stopped.is_empty() && !is_end && (moved.len() == 1 || unique(&moved).is_some()) {
            reached = moved;
        } else {
            let mut busy = Vec::new();
            for config in &moved {
                let walk = Walk { collects: false, mode, end_is_empty: is_end };
                self.closure(*config, &mut reached, &mut busy, walk, 0);
            }
            if is_end {
                reached.retain(|config| self.network.states[config.state].kind == StateKind::RuleStop);
            }
        }
        let has_stop = reached.iter().any(|config| self.network.states[config.state].kind == StateKind::RuleStop);
        if mode == Mode::Local || !has_stop {
            for config in stopped {
                self.add(&mut reached, config, mode);
            }
        }
        (!reached.is_empty()).then_some(reached)
    }

    fn conflicts(&self, configs: &[Config]) -> bool {
        if configs.iter().all(|config| self.network.states[config.state].kind == StateKind::RuleStop) {
            return true;
        }
        let conflict = configs.iter().any(|a| {
            configs.iter().any(|b| a.state == b.state && a.stack == b.stack && a.alternative != b.alternative)
        });
        let alone = configs
            .iter()
            .any(|a| configs.iter().filter(|b| b.state == a.state).all(|b| b.alternative == a.alternative));
        conflict && !alone
    }

    /// The alternatives whose required precedence is reached.
    fn passing(&self, configs: &[Config], alternatives: &[usize]) -> Vec<usize> {
        let passes = |alternative: &usize| {
            configs
                .iter()
                .filter(|config| config.alternative == *alternative)
                .any(|config| config.precedence.is_none_or(|at_least| at_least >= self.precedence))
        };
        alternatives.iter().copied().filter(passes).collect()
    }

    /// The first alternative that could end the rule of the decision.
    fn finished(&self, configs: &[Config]) -> Option<usize> {
        let ends = |config: &&Config| {
            let stop = self.network.states[config.state].kind == StateKind::RuleStop;
            config.outer > 0 || (stop && self.stacks.has_bottom(config.stack))
        };
        let valid = |config: &&Config| config.precedence.is_none_or(|at_least| at_least >= self.precedence);
        let first = |configs: Vec<&Config>| configs.iter().map(|config| config.alternative).min();
        first(configs.iter().filter(valid).filter(ends).collect())
            .or_else(|| first(configs.iter().filter(|config| !valid(config)).filter(ends).collect()))
    }

    /// Adds all places that can be reached without a token.
    fn closure(&mut self, config: Config, configs: &mut Vec<Config>, busy: &mut Vec<Config>, walk: Walk, depth: i32) {
        let mut pending = vec![config];
        while let Some(config) = pending.pop() {
            if self.network.states[config.state].kind != StateKind::RuleStop {
                self.follow(config, configs, busy, walk, depth);
                continue;
            }
            if config.stack == StackId::EMPTY {
                match walk.mode {
                    Mode::Full => self.add(configs, config, walk.mode),
                    Mode::Local => self.follow(config, configs, busy, walk, depth),
                }
                continue;
            }
            let frames: Vec<_> = self.stacks.frames(config.stack).collect();
            for (state, below) in frames {
                match (state, walk.mode) {
                    (Some(state), _) => {
                        pending.push(Config { state, stack: below, suppressed: false, ..config });
                    }
                    (None, Mode::Full) => {
                        self.add(configs, Config { stack: StackId::EMPTY, ..config }, walk.mode);
                    }
                    (None, Mode::Local) => self.follow(config, configs, busy, walk, depth),
                }
            }
        }
    }

    fn follow(&mut self, config: Config, configs: &mut Vec<Config>, busy: &mut Vec<Config>, walk: Walk, depth: i32) {
        let network = self.network;
        let state = &network.states[config.state];
        if !state.is_epsilon_only() {
            self.add(configs, config, walk.mode);
        }
        for (index, edge) in state.edges.iter().enumerate() {
            if index == 0 && self.skips_loop(&config) {
                continue;
            }
            let Some(mut next) = self.step(&config, edge, walk, depth == 0) else { continue };
            let mut next_depth = depth;
            if state.kind == StateKind::RuleStop {
                if let (Edge::Empty { outermost: Some(rule), .. }, Some(decided)) = (edge, self.precedence_rule)
                    && *rule == decided
                {
                    next.suppressed = true;
                }
                next.outer += 1;
                if busy.iter().any(|known| known.same(&next)) {
                    continue;
                }
                busy.push(next);
                next_depth -= 1;
            } else if matches!(edge, Edge::Call { .. }) && next_depth >= 0 {
                next_depth += 1;
            } else if matches!(edge, Edge::Token { .. }) {
                if busy.iter().any(|known| known.same(&next)) {
                    continue;
                }
                busy.push(next);
            }
            self.closure(next, configs, busy, walk, next_depth);
        }
    }

    fn step(&mut self, config: &Config, edge: &Edge, walk: Walk, in_decision: bool) -> Option<Config> {
        match *edge {
            Edge::Empty { to, .. } => Some(Config { state: to, ..*config }),
            Edge::Call { rule, follow } => {
                let stack = self.stacks.push(config.stack, follow);
                Some(Config { state: self.network.starts[rule as usize], stack, ..*config })
            }
            Edge::Precedence { at_least, to } => {
                let next = Config { state: to, ..*config };
                match walk.mode {
                    _ if !(walk.collects && in_decision) => Some(next),
                    Mode::Full => (at_least >= self.precedence).then_some(next),
                    Mode::Local => {
                        let lowest = config.precedence.map_or(at_least, |known| known.min(at_least));
                        Some(Config { precedence: Some(lowest), ..next })
                    }
                }
            }
            Edge::Token { set, to } => {
                (walk.end_is_empty && set.contains(Kind::End)).then_some(Config { state: to, ..*config })
            }
        }
    }

    /// True if entering a precedence loop again only leads where its caller leads anyway.
    fn skips_loop(&self, config: &Config) -> bool {
        let state = &self.network.states[config.state];
        if state.kind != StateKind::LoopEntry || !state.precedence_loop || self.stacks.has_bottom(config.stack) {
            return false;
        }
        let Some(Edge::Empty { to: block, .. }) = state.edges.first() else { return false };
        let end = self.network.states[*block].block_end;
        self.stacks.frames(config.stack).all(|(back, _)| {
            let Some(back) = back else { return false };
            let returned = &self.network.states[back];
            let [Edge::Empty { to, .. }] = *returned.edges else { return false };
            returned.rule == state.rule && (back == end || to == end || to == config.state)
        })
    }
}

/// The collection of configurations.
#[derive(Clone, Copy)]
struct Walk {
    /// True if precedences are collected on the way.
    collects: bool,
    mode: Mode,
    /// True if the end of the text takes no token.
    end_is_empty: bool,
}

/// The alternative of all places, if there is only one.
fn unique(configs: &[Config]) -> Option<usize> {
    let first = configs.first()?.alternative;
    configs.iter().all(|config| config.alternative == first).then_some(first)
}

fn alternatives_of(configs: &[Config]) -> Vec<usize> {
    let mut all: Vec<usize> = configs.iter().map(|config| config.alternative).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The alternative that is first in every set of alternatives at one place, if it is always the same.
fn single_viable(configs: &[Config]) -> Option<usize> {
    let lowest = |place: &Config| {
        let same = configs.iter().filter(|config| config.state == place.state && config.stack == place.stack);
        same.map(|config| config.alternative).min()
    };
    let first = lowest(configs.first()?)?;
    configs.iter().all(|config| lowest(config) == Some(first)).then_some(first)
}
