//! `+k8s:union`, `+k8s:memberOf`: unions whose members are named by group, wherever they stand in the kind.

use std::collections::BTreeSet;

use sprag_idl::{Finding, Tag};
use sprag_program::{Check, DefId, Demand, FieldRef, Literal, MemberPath, Members, Rule, Term, UnionRule};

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, Node, PlacedCheck, Prefix, Refusal};
use crate::registry::{ArgSpec, LiteralKind, Scope, Stability, TagRule};
use crate::tags::{item, union};

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:union",
        Stability::Alpha,
        &[Scope::Type, Scope::Field],
        "Declares a union whose members are the fields and list items tagged with memberOf in the same kind.",
        "+k8s:union(union: terminalStatus)",
        union,
    )
    .with_args(&[ArgSpec {
        name: Some("union"),
        kind: LiteralKind::String,
        required: true,
        docs: "The name of the group.",
    }])
    .kep_only(),
    TagRule::new(
        "k8s:memberOf",
        Stability::Alpha,
        &[Scope::Field, Scope::ListVal],
        "Makes the field, or the selected list item, a member of a group.",
        "+k8s:memberOf(group: terminalStatus)",
        member_of,
    )
    .with_args(&[ArgSpec {
        name: Some("group"),
        kind: LiteralKind::String,
        required: true,
        docs: "The name of the group.",
    }])
    .kep_only(),
];

/// A union declared by group.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredUnion {
    struct_def: DefId,
    group: String,
    prefix: Prefix,
    span: sprag_idl::Span,
}

/// A member of a group.
#[derive(Clone, Debug)]
pub(crate) struct GroupMember {
    field: FieldRef,
    group: String,
    item: Option<Vec<(String, Literal)>>,
    prefix: Prefix,
    span: sprag_idl::Span,
}

fn union(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let group = tag.named("union").ok_or("missing the name of the union")?.text();
    let struct_def = cx.member.map(|member| member.def).or(cx.def).ok_or("must be used on a type or a field")?;
    lowerer.records.declared_unions.push(DeclaredUnion {
        struct_def,
        group,
        prefix: cx.prefix.clone(),
        span: tag.span,
    });
    Ok(Lowered { noted: true, ..Lowered::default() })
}

fn member_of(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let group = tag.named("group").ok_or("missing the name of the group")?.text();
    let field = cx.member.or(cx.list_member).ok_or("must be used on a field or an item of a list field")?;
    let item = cx.selector.clone().filter(|terms| !terms.is_empty());
    let prefix = cx.prefix.clone();
    lowerer.records.group_members.push(GroupMember { field, group, item, prefix, span: tag.span });
    Ok(Lowered { noted: true, ..Lowered::default() })
}

/// The prefix of a union with one more member: its own, or else that of its members, which must agree with it and with each
/// other. One member cannot switch off, or enforce, the rule of the others.
fn join(union: &DeclaredUnion, members: Option<&Prefix>, member: &GroupMember) -> Result<Prefix, Refusal> {
    let group = &union.group;
    let own = &union.prefix;
    let prefix = &member.prefix;
    if own.has_mode() || prefix.has_mode() {
        return Err(format!("union {group:?} is about several fields and cannot depend on a mode").into());
    }
    let joined = if prefix.is_empty() { own } else { prefix };
    let is_same = own.is_empty() || prefix.is_empty() || own == prefix;
    if !is_same || members.is_some_and(|known| known != joined) {
        let others = members.unwrap_or(own);
        let message = format!(
            "members of union {group:?} must have the same prefix, and the union that prefix or none: this has {prefix}, \
             others have {others}"
        );
        return Err(Refusal::from(message).with_help(union::same_prefix_help(Dialect::Kep)));
    }
    Ok(joined.clone())
}

impl Lowerer<'_> {
    /// Gives every declared union its members, and reports members that no union of their kind declares.
    pub(crate) fn resolve_groups(&mut self, nodes: &mut [Option<Node>]) {
        let declared = std::mem::take(&mut self.records.declared_unions);
        let members = std::mem::take(&mut self.records.group_members);
        let mut used = vec![false; members.len()];
        for union in declared {
            let mut found: Vec<(String, MemberPath)> = Vec::new();
            let mut prefix = union.prefix.clone();
            for (at, member) in members.iter().enumerate().filter(|(_, member)| member.group == union.group) {
                let Some(fields) = self.path_between(union.struct_def, member.field) else { continue };
                let joined = join(&union, found.first().map(|_| &prefix), member);
                used[at] = true;
                match self.member_path(fields, member).and_then(|path| Ok((path, joined?))) {
                    Ok((path, joined)) => {
                        found.push(path);
                        prefix = joined;
                    }
                    Err(refusal) => self.refuse(refusal, member.span),
                }
            }
            found.sort_by_key(|(_, path)| path.fields.iter().map(|field| field.index).collect::<Vec<_>>());
            let (labels, paths): (Vec<String>, Vec<MemberPath>) = found.into_iter().unzip();
            if labels.is_empty() {
                let message = format!("union {:?} has no members in this kind", union.group);
                self.findings.push(Finding::error(union.span, message));
            } else if let Some(Some(node)) = nodes.get_mut(union.struct_def.index()) {
                let rule = UnionRule { demand: Demand::ExactlyOne, labels, members: Members::Paths(paths) };
                let check = PlacedCheck::under(&prefix, Check::new(Rule::Union(Box::new(rule))));
                node.lowered.checks.insert(0, check);
            }
        }
        for (member, _) in members.iter().zip(used).filter(|(_, used)| !used) {
            let message = format!(
                "group {:?} is not declared in this kind: add +k8s:union(union: {}) to a struct that holds the member",
                member.group, member.group
            );
            self.findings.push(Finding::error(member.span, message));
        }
    }

    fn member_path(&self, fields: Vec<FieldRef>, member: &GroupMember) -> Result<(String, MemberPath), Refusal> {
        let names: Vec<&str> = fields.iter().map(|field| self.universe.field(*field).field.path_name()).collect();
        let mut label = names.join(".");
        let item: Option<Vec<Term>> = match &member.item {
            None => None,
            Some(criteria) => {
                label = format!("{label}[{}]", item::selector_text(criteria));
                let list = self.universe.field(member.field).ty;
                let elem = self.universe.elem(list).ok_or("must be used on an item of a list")?;
                let keys = self.records.list(self.universe, &self.field_path(member.field), list);
                let named = |key: &FieldRef| {
                    let name = self.universe.field(*key).field.path_name();
                    criteria.iter().any(|(criterion, _)| criterion == name)
                };
                if !keys.is_some_and(|keys| keys.keys.iter().all(named)) {
                    return Err("an item of a group must name all keys of its list".into());
                }
                Some(item::select(self, elem, criteria.iter().map(|(key, value)| (key.as_str(), value)))?)
            }
        };
        Ok((label, MemberPath { fields, item }))
    }

    fn field_path(&self, field: FieldRef) -> String {
        format!("{}.{}", self.universe.def_name(field.def), self.universe.field(field).field.path_name())
    }

    /// The fields that lead from a struct to a field at or below it, through structs only.
    fn path_between(&self, from: DefId, to: FieldRef) -> Option<Vec<FieldRef>> {
        let mut seen = BTreeSet::from([from]);
        let mut queue = std::collections::VecDeque::from([(from, Vec::new())]);
        while let Some((def, path)) = queue.pop_front() {
            if def == to.def {
                return Some([path, vec![to]].concat());
            }
            for (index, field) in self.universe.fields(def).iter().enumerate() {
                if let Some(next) = self.universe.struct_of(field.ty)
                    && seen.insert(next)
                {
                    queue.push_back((next, [path.clone(), vec![FieldRef { def, index }]].concat()));
                }
            }
        }
        None
    }
}
