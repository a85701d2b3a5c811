//! IP addresses of services, each the name of an object.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_checks::At;
use sprag_checks::object_meta::{Usage, path_segment};
use sprag_field::{Error, Errors};
use sprag_rest::{Definition, Entropy, NameGenerator, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use crate::columns::text;
use crate::core::ip::strict_ip_flaw;
use crate::meta::{validate_finalizers, validate_generate_name};
use crate::program;
use crate::views::networking_v1::{IPAddress, ParentReference};

/// The definition of `ipaddresses`.
pub(super) fn ip_addresses(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate_parent(address(new).spec().parent_ref(), &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &ip_name, errors);
            validate_finalizers(new, errors);
            validate_parent(address(new).spec().parent_ref(), &cx.root(), errors);
            validate_finalizers(new, errors);
            address(new).spec().check_parent_ref_update(address(old).spec(), &cx.root().child("spec"), errors);
        })
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "IPAddress").strategy(strategy).define();
    definition.short_names = vec!["ip".to_owned()];
    definition.name_rule = Arc::new(ip_name);
    definition.name_generator = Arc::new(AsItIs);
    // As upstream, whose table has no age.
    definition.versions[0].columns =
        vec![text("ParentRef", "Object that the address belongs to.", |object| parent(address(object)).into())];
    definition
}

fn address(object: &Value) -> IPAddress<'_> {
    View::view(Some(object))
}

/// Takes the base of a name as the name, as upstream's `ipaddress.noopNameGenerator`.
struct AsItIs;

impl NameGenerator for AsItIs {
    fn generate(&self, base: &str, _: &dyn Entropy) -> String {
        base.to_owned()
    }
}

/// As upstream's `validation.ValidateIPAddressName`: a base for names is judged as a name is.
fn ip_name(name: &str, _: Usage, report: &mut dyn FnMut(Cow<'static, str>)) {
    if let Some(flaw) = strict_ip_flaw(name) {
        report(flaw);
    }
}

/// As upstream's `validation.validateIPAddressParentReference`.
fn validate_parent(parent: Option<ParentReference<'_>>, root: &At<'_>, errors: &mut Errors) {
    let at = root.child("spec");
    let at = at.child("parentRef");
    let Some(parent) = parent else {
        return errors.push(Error::required(&at, "").with_covered_by_declarative());
    };
    if !parent.group().is_empty() {
        parent.check_group(&at, errors);
    }
    for (member, text) in [("resource", parent.resource()), ("name", parent.name())] {
        let at = at.child(member);
        if text.is_empty() {
            errors.push(Error::required(&at, "").with_covered_by_declarative());
        } else {
            path_segment(text, Usage::Name, &mut |detail| errors.push(Error::invalid(&at, text, detail)));
        }
    }
    if !parent.namespace().is_empty() {
        parent.check_namespace(&at, errors);
    }
}

/// As upstream's `printers.printIPAddress`.
fn parent(address: IPAddress<'_>) -> String {
    let Some(parent) = address.spec().parent_ref() else { return "<none>".to_owned() };
    let mut text = parent.resource().to_lowercase();
    let group = parent.group();
    if !group.is_empty() {
        text = format!("{text}.{}", group.to_lowercase());
    }
    if !parent.namespace().is_empty() {
        text = format!("{text}/{}", parent.namespace());
    }
    format!("{text}/{}", parent.name())
}
