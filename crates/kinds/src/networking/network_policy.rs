//! Network policies: traffic that pods may receive and send.

use sprag_checks::At;
use sprag_field::{BadValue, Error, Errors, Path};
use sprag_rest::{Column, Definition, Fact, FeatureGates, Release, Releases, StrategyConfig, selector_text};
use sprag_value::Value;
use sprag_value::view::{IntOrStr, List, View};

use super::GROUP;
use crate::columns::text;
use crate::core::internal::{Form, internal_value};
use crate::core::ip::{Cidr, LegacyIps, cidr_warnings, validate_cidr};
use crate::core::persistent_volume_claim::member;
use crate::meta::{is_valid_selector, validate_finalizers, validate_label_selector};
use crate::program;
use crate::views::networking_v1::{IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec};

const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];

/// The number of directions.
const MAX_POLICY_TYPES: usize = 2;

/// The definition of `networkpolicies`.
pub(super) fn network_policies(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .rules_again(Releases::until(Release::V1_35))
        .metadata_as_new([Releases::until(Release::V1_35)])
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(policy(new).spec(), &PolicyOptions::new(cx.gates), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_finalizers(new, errors);
            let options = PolicyOptions::new(cx.gates).for_update(policy(old).spec(), &cx.root());
            validate_spec(policy(new).spec(), &options, &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(policy(new).spec()))
        .warnings_on_update(|_, new, _| warnings(policy(new).spec()))
        .counts_unprinted();
    let resource = program::resource(release, GROUP, "v1", "NetworkPolicy").complete(complete);
    let mut definition = resource.strategy(strategy).define();
    definition.short_names = vec!["netpol".to_owned()];
    definition.versions[0].columns = vec![
        text("Pod-Selector", "Pods that the policy applies to.", |object| pod_selector(object).into()),
        Column::age(),
    ];
    definition
}

fn policy(object: &Value) -> NetworkPolicy<'_> {
    View::view(Some(object))
}

/// As upstream's `metav1.FormatLabelSelector`.
fn pod_selector(object: &Value) -> String {
    match selector_text(object.lookup(&["spec", "podSelector"])) {
        Ok(text) if text.is_empty() => "<none>".to_owned(),
        Ok(text) => text,
        Err(_) => "<error>".to_owned(),
    }
}

/// As upstream's `SetDefaults_NetworkPolicy` and `SetDefaults_NetworkPolicyPort`.
fn complete(object: &mut Value) {
    let spec = policy(object).spec();
    let lacks_types = spec.policy_types().is_empty();
    let has_egress = !spec.egress().is_empty();
    member(object, "spec", |spec| {
        if lacks_types {
            let types = ["Ingress", "Egress"].into_iter().take(1 + usize::from(has_egress));
            spec.insert("policyTypes", types.map(Value::from).collect::<Vec<_>>());
        }
    });
}

/// The rules of the gates in force, and relaxations for values that the old object already has, as upstream's
/// `validation.NetworkPolicyValidationOptions`.
struct PolicyOptions<'v> {
    allow_bad_label_values: bool,
    known_cidrs: Vec<&'v str>,
    ips: LegacyIps,
}

impl<'v> PolicyOptions<'v> {
    /// The options for a new object.
    fn new(gates: &FeatureGates) -> PolicyOptions<'v> {
        PolicyOptions { allow_bad_label_values: false, known_cidrs: Vec::new(), ips: LegacyIps::of(gates) }
    }

    /// The options for an update of an object with this spec.
    fn for_update(self, old: NetworkPolicySpec<'v>, root: &At<'_>) -> PolicyOptions<'v> {
        let blocks = peers(old).filter_map(|(.., peer)| peer.ip_block());
        PolicyOptions {
            allow_bad_label_values: !is_valid_selector(old.pod_selector(), root),
            known_cidrs: blocks.flat_map(|block| std::iter::once(block.cidr()).chain(block.except().iter())).collect(),
            ..self
        }
    }
}

/// All peers, each with the names of the lists that it is in and its place there.
fn peers<'v>(
    spec: NetworkPolicySpec<'v>,
) -> impl Iterator<Item = ([&'static str; 2], [usize; 2], NetworkPolicyPeer<'v>)> {
    let at_peers = |names: [&'static str; 2], rule: usize, peers: List<'v, NetworkPolicyPeer<'v>>| {
        peers.iter().enumerate().map(move |(index, peer)| (names, [rule, index], peer))
    };
    let ingress = spec.ingress().iter().enumerate();
    let ingress = ingress.flat_map(move |(rule, ingress)| at_peers(["ingress", "from"], rule, ingress.from()));
    let egress = spec.egress().iter().enumerate();
    let egress = egress.flat_map(move |(rule, egress)| at_peers(["egress", "to"], rule, egress.to()));
    ingress.chain(egress)
}

/// As upstream's `validation.ValidateNetworkPolicySpec`.
fn validate_spec(spec: NetworkPolicySpec<'_>, options: &PolicyOptions<'_>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let selector = spec.pod_selector();
    validate_label_selector(selector, options.allow_bad_label_values, &at.child("podSelector"), errors);
    let rules = at.child("ingress");
    for (index, rule) in spec.ingress().iter().enumerate() {
        let at = rules.index(index);
        validate_ports(rule.ports(), &at.child("ports"), errors);
        validate_peers(rule.from(), &at.child("from"), options, errors);
    }
    let rules = at.child("egress");
    for (index, rule) in spec.egress().iter().enumerate() {
        let at = rules.index(index);
        validate_ports(rule.ports(), &at.child("ports"), errors);
        validate_peers(rule.to(), &at.child("to"), options, errors);
    }
    if spec.policy_types().len() > MAX_POLICY_TYPES {
        let shown = internal_value(spec.as_value().get("policyTypes"), Form::Plain);
        let detail = "may not specify more than two policyTypes";
        return errors.push(Error::invalid(&at.child("policyTypes"), shown, detail));
    }
    spec.check_policy_types(&at, errors);
}

fn validate_ports(ports: List<'_, NetworkPolicyPort<'_>>, at: &At<'_>, errors: &mut Errors) {
    for (index, port) in ports.iter().enumerate() {
        validate_port(port, &at.index(index), errors);
    }
}

/// As upstream's `validation.ValidateNetworkPolicyPort`.
fn validate_port(port: NetworkPolicyPort<'_>, at: &At<'_>, errors: &mut Errors) {
    if let Some(protocol) = port.protocol().filter(|protocol| !PROTOCOLS.contains(protocol)) {
        errors.push(Error::not_supported(&at.child("protocol"), BadValue::json_str(protocol), PROTOCOLS));
    }
    let at_end = at.child("endPort");
    let end = port.end_port();
    let refuse_end = |errors: &mut Errors, detail: &'static str| {
        errors.extend(end.map(|end| Error::invalid(&at_end, end, detail)));
    };
    match port.port() {
        None => refuse_end(errors, "may not be specified when `port` is not specified"),
        Some(IntOrStr::Str(_)) => {
            refuse_end(errors, "may not be specified when `port` is non-numeric");
            port.check_port(at, errors);
        }
        Some(IntOrStr::Int(first)) => {
            port.check_port(at, errors);
            if end.is_some_and(|end| end < first) {
                let shown = if errors.release().has(Fact::EndPortShowsPort) { Some(first) } else { end };
                let detail = "must be greater than or equal to `port`";
                errors.extend(shown.map(|shown| Error::invalid(&at_end, shown, detail)));
            }
            port.check_end_port(at, errors);
        }
    }
}

fn validate_peers(
    peers: List<'_, NetworkPolicyPeer<'_>>,
    at: &At<'_>,
    options: &PolicyOptions<'_>,
    errors: &mut Errors,
) {
    for (index, peer) in peers.iter().enumerate() {
        validate_peer(peer, &at.index(index), options, errors);
    }
}

/// As upstream's `validation.ValidateNetworkPolicyPeer`.
fn validate_peer(peer: NetworkPolicyPeer<'_>, at: &At<'_>, options: &PolicyOptions<'_>, errors: &mut Errors) {
    let selectors = [("podSelector", peer.pod_selector()), ("namespaceSelector", peer.namespace_selector())];
    let mut has_selector = false;
    for (member, selector) in selectors {
        if let Some(selector) = selector {
            has_selector = true;
            validate_label_selector(selector, options.allow_bad_label_values, &at.child(member), errors);
        }
    }
    let block = peer.ip_block();
    if let Some(block) = block {
        validate_block(block, &at.child("ipBlock"), options, errors);
    }
    match (has_selector, block.is_some()) {
        (false, false) => errors.push(Error::required(at, "must specify a peer")),
        (true, true) => errors.push(Error::forbidden(at, "may not specify both ipBlock and another peer")),
        _ => {}
    }
}

/// As upstream's `validation.ValidateIPBlock`: ranges that the old object has, wherever it has them, are let through.
fn validate_block(block: IPBlock<'_>, at: &Path<'_>, options: &PolicyOptions<'_>, errors: &mut Errors) {
    let known = &options.known_cidrs;
    let at_cidr = at.child("cidr");
    if block.cidr().is_empty() {
        return errors.push(Error::required(&at_cidr, "").with_covered_by_declarative());
    }
    if !known.contains(&block.cidr()) {
        validate_cidr(block.cidr(), options.ips, &at_cidr, errors);
    }
    let Some(cidr) = Cidr::parse_sloppy(block.cidr()) else { return };
    let at = at.child("except");
    for (index, except) in block.except().iter().enumerate() {
        let at = at.index(index);
        if !known.contains(&except) {
            validate_cidr(except, options.ips, &at, errors);
        }
        let Some(inner) = Cidr::parse_sloppy(except) else { continue };
        // As upstream, which compares the prefixes as they are written.
        if !cidr.canonical().contains(inner.canonical().address) || cidr.bits >= inner.bits {
            errors.push(Error::invalid(&at, except, "must be a strict subset of `cidr`"));
        }
    }
}

/// As upstream's `networkpolicy.networkPolicyWarnings`.
fn warnings(spec: NetworkPolicySpec<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let at = Path::new("spec");
    for ([rules, list], [rule, index], peer) in peers(spec) {
        let Some(block) = peer.ip_block() else { continue };
        let rules = at.child(rules);
        let rule = rules.index(rule);
        let list = rule.child(list);
        let peer = list.index(index);
        let at = peer.child("ipBlock");
        cidr_warnings(block.cidr(), &at.child("cidr"), &mut out);
        let at = at.child("except");
        for (index, except) in block.except().iter().enumerate() {
            cidr_warnings(except, &at.index(index), &mut out);
        }
    }
    out
}
