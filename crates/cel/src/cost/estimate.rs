//! The estimate of what an expression costs at least and at most, before anything is known but types.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sprag_value::Text;

use super::path::{Path, Paths};
use super::{
    Argument, Bounds, CallEstimate, CallSite, CostNode, LIST_CREATE, MAP_CREATE, STRING_TRAVERSAL, STRUCT_CREATE,
};
use crate::check::{Checked, Kind, Reference, TypeId};
use crate::decl::TypeProvider;
use crate::overload::{Estimate, Overload};
use crate::syntax::{Comprehension, Expr, ExprId, Literal};

/// The sizes of what is in a list or map.
#[derive(Clone, Copy)]
struct EntrySizes {
    is_list: bool,
    key: Bounds,
    value: Bounds,
}

/// A loop variable.
struct Local<'c> {
    name: &'c str,
    path: Option<Path>,
    size: Option<Bounds>,
    entries: Option<EntrySizes>,
}

/// The part of the range that a loop variable stands for.
#[derive(Clone, Copy)]
enum Role {
    /// The only variable: elements of a list, keys of a map.
    Single,
    Key,
    Value,
}

pub(super) struct Estimator<'c> {
    checked: &'c Checked,
    types: &'c dyn TypeProvider,
    paths: Paths,
    expr_paths: Vec<Option<Path>>,
    sizes: Vec<Option<Bounds>>,
    entries: Vec<Option<EntrySizes>>,
    locals: Vec<Local<'c>>,
    /// Costs of finished parts whose parent is not finished, if they are to be explained.
    explained: Option<Vec<CostNode>>,
    /// The number of iterations of the loop that was estimated last.
    times: Option<Bounds>,
    /// Paths whose declared sizes were looked up, if they are to be listed.
    looked_up: Option<RefCell<BTreeSet<Vec<Text>>>>,
    /// A path whose value has one element at most, whatever is declared.
    limited: Option<&'c [Text]>,
}

/// The paths, below their variable, of values without which the estimate would be lower: those whose declared sizes it grows
/// with.
pub(super) fn drivers(checked: &Checked, types: &dyn TypeProvider) -> Vec<Vec<Text>> {
    let mut estimator = Estimator::new(checked, types, false);
    estimator.looked_up = Some(RefCell::default());
    let cost = estimator.cost(checked.ast.root()).max;
    let looked_up = estimator.looked_up.map(RefCell::into_inner).unwrap_or_default();
    let with_limit = |path: &[Text]| {
        let estimator = Estimator { limited: Some(path), ..Estimator::new(checked, types, false) };
        estimator.run().0.max
    };
    // A sum that has reached the largest number cannot tell what it grows with.
    looked_up.into_iter().filter(|path| cost == u64::MAX || with_limit(path) < cost).collect()
}

impl<'c> Estimator<'c> {
    pub(super) fn new(checked: &'c Checked, types: &'c dyn TypeProvider, explain: bool) -> Self {
        let count = checked.ast.len();
        Self {
            checked,
            types,
            paths: Paths::default(),
            expr_paths: vec![None; count],
            sizes: vec![None; count],
            entries: vec![None; count],
            locals: Vec::new(),
            explained: explain.then(Vec::new),
            times: None,
            looked_up: None,
            limited: None,
        }
    }

    /// The cost of the whole expression, and where it comes from if that was asked for.
    pub(super) fn run(mut self) -> (Bounds, Option<CostNode>) {
        let cost = self.cost(self.checked.ast.root());
        (cost, self.explained.and_then(|mut nodes| nodes.pop()))
    }

    fn cost(&mut self, id: ExprId) -> Bounds {
        let parts = self.explained.as_ref().map(Vec::len);
        self.times = None;
        let cost = self.cost_of(id);
        if let (Some(parts), Some(explained)) = (parts, &mut self.explained) {
            let children = explained.split_off(parts);
            let offset = self.checked.ast.offset(id);
            let label = self.checked.ast.label(id);
            explained.push(CostNode { offset, label, cost, times: self.times, children });
            self.times = None;
        }
        cost
    }

    fn cost_of(&mut self, id: ExprId) -> Bounds {
        match self.checked.ast.expr(id) {
            Expr::Unspecified | Expr::Literal(_) => Bounds::fixed(0),
            Expr::Ident(name) => {
                let path = match self.local(name) {
                    Some(local) => local.path,
                    None => Some(self.paths.start(name)),
                };
                self.set_path(id, path);
                Bounds::fixed(1)
            }
            Expr::Select { operand, field, test } => self.select(id, *operand, field, *test),
            Expr::Call { target, args, .. } => self.call(id, *target, args),
            Expr::List { elements, .. } => self.list(id, elements),
            Expr::Map(entries) => {
                let pairs: Vec<(ExprId, ExprId)> = entries.iter().map(|entry| (entry.key, entry.value)).collect();
                self.map(id, &pairs)
            }
            Expr::Struct { fields, .. } => {
                let sum = fields.iter().fold(Bounds::fixed(0), |sum, field| sum.add(self.cost(field.value)));
                sum.add(Bounds::fixed(STRUCT_CREATE))
            }
            Expr::Comprehension(fold) if self.is_bind(fold) => self.bind(id, fold),
            Expr::Comprehension(fold) => self.comprehension(id, fold),
        }
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) -> Bounds {
        let cost = self.cost(operand);
        if test {
            return cost;
        }
        let path = self.path(operand);
        let path = self.paths.append(path, field);
        self.set_path(id, Some(path));
        match self.checked.kind(operand) {
            Kind::Map(..) | Kind::Object(_) => cost.add(Bounds::fixed(1)),
            _ => cost,
        }
    }

    fn list(&mut self, id: ExprId, elements: &[ExprId]) -> Bounds {
        let mut cost = Bounds::fixed(LIST_CREATE);
        let mut value = nothing(elements.is_empty());
        for &element in elements {
            cost = cost.add(self.cost(element));
            value = value.union(self.size_or_unknown(element));
        }
        self.entries[id.index()] = Some(EntrySizes { is_list: true, key: Bounds::fixed(1), value });
        cost
    }

    fn map(&mut self, id: ExprId, entries: &[(ExprId, ExprId)]) -> Bounds {
        let mut cost = Bounds::fixed(MAP_CREATE);
        let mut key_size = nothing(entries.is_empty());
        let mut value_size = nothing(entries.is_empty());
        for &(key, value) in entries {
            cost = cost.add(self.cost(key)).add(self.cost(value));
            key_size = key_size.union(self.size_or_unknown(key));
            value_size = value_size.union(self.size_or_unknown(value));
        }
        self.entries[id.index()] = Some(EntrySizes { is_list: false, key: key_size, value: value_size });
        cost
    }

    fn is_bind(&self, fold: &Comprehension) -> bool {
        let empty = matches!(self.checked.ast.expr(fold.range), Expr::List { elements, .. } if elements.is_empty());
        empty && matches!(self.checked.ast.expr(fold.condition), Expr::Literal(Literal::Bool(false)))
    }

    fn bind(&mut self, id: ExprId, fold: &'c Comprehension) -> Bounds {
        let cost = self.cost(fold.range).add(self.cost(fold.init));
        self.push_accumulator(fold);
        let cost = cost.add(self.cost(fold.result));
        self.locals.pop();
        self.copy_sizes(id, fold.result);
        cost
    }

    fn comprehension(&mut self, id: ExprId, fold: &'c Comprehension) -> Bounds {
        let cost = self.cost(fold.range).add(self.cost(fold.init));
        self.push_accumulator(fold);
        match &fold.var2 {
            Some(var2) => {
                self.push_variable(&fold.var, fold.range, Role::Key);
                self.push_variable(var2, fold.range, Role::Value);
                // Names are looked up from the end; the first variable is gone before the second.
            }
            None => self.push_variable(&fold.var, fold.range, Role::Single),
        }
        let step = self.cost(fold.condition);
        let step = self.cost(fold.step).add(step);
        self.locals.truncate(self.locals.len() - 1 - usize::from(fold.var2.is_some()));
        let cost = cost.add(self.cost(fold.result));
        self.locals.pop();
        let times = self.size_or_unknown(fold.range);
        match self.checked.ast.expr(fold.init) {
            Expr::Literal(_) => self.sizes[id.index()] = self.size(fold.init).or(self.sizes[id.index()]),
            Expr::List { .. } | Expr::Map(_) => {
                self.sizes[id.index()] = Some(times);
                self.entries[id.index()] = self.entry_sizes(fold.step).or(self.entries[id.index()]);
            }
            _ => {}
        }
        self.times = Some(times);
        cost.add(times.multiply(step))
    }

    fn push_accumulator(&mut self, fold: &'c Comprehension) {
        let path = self.path(fold.init);
        let entries = self.entry_sizes(fold.init);
        let size = self.size(fold.init);
        self.locals.push(Local { name: &fold.accu, path, size, entries });
    }

    fn push_variable(&mut self, name: &'c str, range: ExprId, role: Role) {
        let sizes = self.entry_sizes(range);
        let is_list = sizes.map_or_else(|| matches!(self.checked.kind(range), Kind::List(_)), |sizes| sizes.is_list);
        let (part, size) = match (role, is_list) {
            (Role::Single | Role::Value, true) => ("@items", sizes.map(|sizes| sizes.value)),
            (Role::Single | Role::Key, false) => ("@keys", sizes.map(|sizes| sizes.key)),
            (Role::Key, true) => ("@indices", sizes.map(|sizes| sizes.key)),
            (Role::Value, false) => ("@values", sizes.map(|sizes| sizes.value)),
        };
        let path = self.path(range);
        let path = Some(self.paths.append(path, part));
        self.locals.push(Local { name, path, size, entries: None });
    }

    fn call(&mut self, id: ExprId, target: Option<ExprId>, args: &[ExprId]) -> Bounds {
        let overloads: &'c [&'static Overload] = match self.checked.reference(id) {
            Reference::Overloads(overloads) => overloads,
            _ => &[],
        };
        if overloads.first().is_some_and(|overload| overload.function == "dyn") {
            let cost = self.cost(args[0]).add(Bounds::fixed(1));
            self.copy_sizes(id, args[0]);
            return cost;
        }
        let mut nodes = Vec::with_capacity(args.len());
        let mut costs = Vec::with_capacity(args.len());
        for &arg in args {
            costs.push(self.cost(arg));
            nodes.push((arg, self.size(arg)));
        }
        let target = target.map(|target| {
            let cost = self.cost(target);
            (cost, (target, self.size(target)))
        });
        let base = target.map_or(Bounds::fixed(0), |(cost, _)| cost);
        let site = Site { id, target: target.map(|(_, node)| node), args: &nodes, costs: &costs };
        base.add(self.call_cost(&site, overloads))
    }

    fn call_cost(&mut self, site: &Site<'_>, overloads: &[&'static Overload]) -> Bounds {
        let mut cost = Bounds { min: u64::MAX, max: 0 };
        let mut size: Option<Bounds> = None;
        for overload in overloads {
            let estimate = self.overload_cost(site, overload);
            cost = cost.union(estimate.cost);
            size = match (size, estimate.size) {
                (Some(size), Some(other)) => Some(size.union(other)),
                (size, other) => size.or(other),
            };
            if let Some(part) = indexed_part(overload.id) {
                let operand = site.args[0].0;
                size = self.entry_sizes(operand).map(|sizes| sizes.value);
                let path = self.path(operand);
                let path = self.paths.append(path, part);
                self.set_path(site.id, Some(path));
            }
            if size.is_none() {
                size = self.size(site.id);
            }
        }
        if overloads.is_empty() {
            // The selection of an optional field.
            cost = site.sum().add(Bounds::fixed(1));
            size = self.size(site.id);
        }
        if size.is_some() {
            self.sizes[site.id.index()] = size;
        }
        cost
    }

    fn overload_cost(&mut self, site: &Site<'_>, overload: &Overload) -> CallEstimate {
        match overload.id {
            "logical_or" | "logical_and" => {
                let left = site.costs[0];
                let right = site.costs[1];
                CallEstimate::cost(Bounds { min: left.min, max: left.add(right).max })
            }
            "conditional" => self.conditional(site),
            "add_string" | "add_bytes" | "add_list" => self.sum(site, overload.id == "add_list"),
            _ => {
                let estimate = match overload.estimate {
                    Estimate::One => None,
                    Estimate::By(rule) => rule(&self.call_site(site)),
                };
                let estimate = estimate.unwrap_or(CallEstimate::cost(Bounds::fixed(1)));
                CallEstimate { cost: estimate.cost.add(site.sum()), size: estimate.size }
            }
        }
    }

    fn conditional(&mut self, site: &Site<'_>) -> CallEstimate {
        let truthy = site.args[1];
        let falsy = site.args[2];
        let size = or_unknown(truthy.1).union(or_unknown(falsy.1));
        if let Some(entries) = union_entries(self.entry_sizes(truthy.0), self.entry_sizes(falsy.0)) {
            self.entries[site.id.index()] = Some(entries);
        }
        CallEstimate::sized(site.costs[0].add(site.costs[1].union(site.costs[2])), size)
    }

    fn sum(&mut self, site: &Site<'_>, is_list: bool) -> CallEstimate {
        let left = site.args[0];
        let right = site.args[1];
        let size = or_unknown(left.1).add(or_unknown(right.1));
        if let Some(entries) = union_entries(self.entry_sizes(left.0), self.entry_sizes(right.0)) {
            self.entries[site.id.index()] = Some(entries);
        }
        let cost = if is_list { Bounds::fixed(1) } else { size.scale(STRING_TRAVERSAL) };
        CallEstimate::sized(cost.add(site.sum()), size)
    }

    fn call_site(&self, site: &Site<'_>) -> CallSite<'c> {
        CallSite {
            target: site.target.map(|node| self.argument(node)),
            args: site.args.iter().map(|node| self.argument(*node)).collect(),
        }
    }

    fn argument(&self, (id, computed): SizedExpr) -> Argument<'c> {
        let literal = if let Expr::Literal(literal) = self.checked.ast.expr(id) { Some(literal) } else { None };
        let ty = self.checked.ty(id);
        Argument {
            ty: self.checked.types.resolve(ty),
            literal,
            computed,
            size: or_unknown(computed),
            element: self.element(id, ty),
        }
    }

    /// Type and declared size of what is in a list.
    fn element(&self, id: ExprId, ty: TypeId) -> Option<(crate::types::Type, Bounds)> {
        let (Kind::List(part) | Kind::Optional(part) | Kind::TypeOf(part) | Kind::Map(part, _)) =
            self.checked.types.kind(ty)
        else {
            return None;
        };
        // Accumulators have no place in the input.
        let names = self.path(id).map(|path| self.paths.names(path));
        let names = names.filter(|names| names.first().is_none_or(|name| *name != *crate::syntax::ACCUMULATOR));
        let size = names.and_then(|names| self.declared_size(names.iter().map(Text::as_str).chain(["@items"])));
        Some((self.checked.types.resolve(part), or_unknown(size)))
    }

    /// The declared size of what a path leads to.
    fn declared_size<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Option<Bounds> {
        let mut decl = self.types.variable_sizes(names.next().unwrap_or_default())?;
        let mut path = Vec::new();
        for name in names {
            decl = match name {
                "@items" | "@values" => decl.element.as_deref()?,
                "@keys" => decl.key.as_deref()?,
                name => self.types.member_sizes(decl, name)?,
            };
            if self.looked_up.is_some() || self.limited.is_some() {
                path.push(Text::from(name));
            }
        }
        let is_limited = self.limited.is_some_and(|limited| *limited == *path);
        if let Some(looked_up) = &self.looked_up {
            looked_up.borrow_mut().insert(path);
        }
        Some(Bounds { min: 0, max: if is_limited { decl.max_elements.min(1) } else { decl.max_elements } })
    }

    fn local(&self, name: &str) -> Option<&Local<'c>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn path(&self, id: ExprId) -> Option<Path> {
        if let Expr::Ident(name) = self.checked.ast.expr(id)
            && let Some(local) = self.local(name)
        {
            return local.path;
        }
        self.expr_paths[id.index()]
    }

    fn set_path(&mut self, id: ExprId, path: Option<Path>) {
        self.expr_paths[id.index()] = path;
    }

    fn size_or_unknown(&mut self, id: ExprId) -> Bounds {
        or_unknown(self.size(id))
    }

    fn copy_sizes(&mut self, to: ExprId, from: ExprId) {
        if let Some(size) = self.size(from) {
            self.sizes[to.index()] = Some(size);
        }
        if let Some(entries) = self.entry_sizes(from) {
            self.entries[to.index()] = Some(entries);
        }
    }

    fn size(&mut self, id: ExprId) -> Option<Bounds> {
        if let Some(size) = self.sizes[id.index()] {
            return Some(size);
        }
        if let Some(size) = literal_size(self.checked.ast.expr(id)) {
            return Some(Bounds::fixed(size));
        }
        if let Some(path) = self.path(id) {
            let names = self.paths.names(path).iter().map(Text::as_str);
            if let Some(size) = self.declared_size(names) {
                self.sizes[id.index()] = Some(size);
                return Some(size);
            }
        }
        if self.is_scalar(self.checked.ty(id)) {
            return Some(Bounds::fixed(1));
        }
        if let Expr::Ident(name) = self.checked.ast.expr(id) { self.local(name)?.size } else { None }
    }

    fn is_scalar(&self, ty: TypeId) -> bool {
        match self.checked.types.kind(ty) {
            Kind::Bool | Kind::Double | Kind::Duration | Kind::Int | Kind::Timestamp | Kind::Uint => true,
            Kind::Optional(inner) => self.is_scalar(inner),
            _ => false,
        }
    }

    fn entry_sizes(&self, id: ExprId) -> Option<EntrySizes> {
        if let Some(sizes) = self.entries[id.index()] {
            return Some(sizes);
        }
        if let Expr::Ident(name) = self.checked.ast.expr(id) { self.local(name)?.entries } else { None }
    }
}

type SizedExpr = (ExprId, Option<Bounds>);

/// A call whose arguments have been estimated.
struct Site<'s> {
    id: ExprId,
    target: Option<SizedExpr>,
    args: &'s [SizedExpr],
    costs: &'s [Bounds],
}

impl Site<'_> {
    /// The cost of all arguments but the receiver.
    fn sum(&self) -> Bounds {
        self.costs.iter().fold(Bounds::fixed(0), |sum, cost| sum.add(*cost))
    }
}

/// The start of a union; that of nothing is zero.
fn nothing(is_final: bool) -> Bounds {
    Bounds { min: if is_final { 0 } else { u64::MAX }, max: 0 }
}

fn or_unknown(size: Option<Bounds>) -> Bounds {
    size.unwrap_or(Bounds::UNKNOWN)
}

fn indexed_part(id: &str) -> Option<&'static str> {
    match id {
        "index_list" => Some("@items"),
        "index_map" => Some("@values"),
        _ => None,
    }
}

fn union_entries(a: Option<EntrySizes>, b: Option<EntrySizes>) -> Option<EntrySizes> {
    let a = a?;
    let b = b?;
    Some(EntrySizes { is_list: a.is_list, key: a.key.union(b.key), value: a.value.union(b.value) })
}

fn literal_size(expr: &Expr) -> Option<u64> {
    Some(match expr {
        Expr::Literal(Literal::String(text)) => text.chars().count() as u64,
        Expr::Literal(Literal::Bytes(bytes)) => bytes.len() as u64,
        Expr::Literal(_) => 1,
        Expr::List { elements, .. } => elements.len() as u64,
        Expr::Map(entries) => entries.len() as u64,
        _ => return None,
    })
}
