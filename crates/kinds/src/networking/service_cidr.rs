//! Service CIDRs: ranges from which services get their addresses.

use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig, SubresourceConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use crate::columns::text;
use crate::core::internal::{Field, Form, internal_value};
use crate::core::ip::{Cidr, is_ipv4, validate_strict_cidr};
use crate::meta::validate_finalizers;
use crate::program;
use crate::views::networking_v1::{ServiceCIDR, ServiceCIDRSpec};

/// `networking.ServiceCIDRSpec`.
const SPEC_FIELDS: &[Field] = &[("CIDRs", "cidrs", Form::Plain)];

/// The definition of `servicecidrs`.
pub(super) fn service_cidrs(release: Release) -> Definition {
    let status = SubresourceConfig::new().validate_update(|_, new, _, errors| validate_finalizers(new, errors));
    let strategy = StrategyConfig::new()
        .metadata_as_new([])
        .validate(|_, new, errors| {
            validate_finalizers(new, errors);
            validate_spec(cidr(new).spec(), errors);
        })
        .validate_update(|_, new, old, errors| {
            validate_finalizers(new, errors);
            validate_change(cidr(new).spec(), cidr(old).spec(), errors);
        })
        .status(status)
        .wipes_status_with("ServiceCIDRStatusFieldWiping")
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "ServiceCIDR").strategy(strategy).define();
    definition.versions[0].columns = vec![
        text("CIDRs", "Ranges of addresses.", |object| {
            cidr(object).spec().cidrs().iter().collect::<Vec<_>>().join(",").into()
        }),
        Column::age(),
    ];
    definition
}

fn cidr(object: &Value) -> ServiceCIDR<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.validateServiceCIDRSpec`.
fn validate_spec(spec: ServiceCIDRSpec<'_>, errors: &mut Errors) {
    let at = Path::new("spec");
    let cidrs = spec.cidrs();
    let at = at.child("cidrs");
    if cidrs.is_empty() {
        return errors.push(Error::required(&at, "at least one CIDR required"));
    }
    if cidrs.len() > 2 {
        let shown = internal_value(Some(spec.as_value()), Form::Struct(SPEC_FIELDS));
        return errors.push(Error::invalid(&at, shown, "may only hold up to 2 values"));
    }
    for (index, cidr) in cidrs.iter().enumerate() {
        validate_strict_cidr(cidr, &at.index(index), errors);
    }
    // As upstream's netutils.IPFamilyOfCIDRString.
    let families: Vec<_> =
        cidrs.iter().map(|cidr| Cidr::parse_sloppy(cidr).map(|cidr| is_ipv4(cidr.address))).collect();
    if matches!(families[..], [Some(one), Some(other)] if one == other) {
        let shown = internal_value(spec.as_value().get("cidrs"), Form::Plain);
        let detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
        errors.push(Error::invalid(&at, shown, detail));
    }
}

/// As upstream's `validation.ValidateServiceCIDRUpdate`.
fn validate_change(new: ServiceCIDRSpec<'_>, old: ServiceCIDRSpec<'_>, errors: &mut Errors) {
    let at = Path::new("spec");
    let at = at.child("cidrs");
    let cidrs = new.cidrs();
    let kept = old.cidrs();
    let is_extended = kept.len() == 1 && cidrs.len() == 2;
    if kept.len() != cidrs.len() && !is_extended {
        let shown = internal_value(new.as_value().get("cidrs"), Form::Plain);
        return errors.push(Error::invalid(&at, shown, "field is immutable"));
    }
    for (index, (cidr, old)) in cidrs.iter().zip(kept.iter()).enumerate() {
        if cidr != old {
            errors.push(Error::invalid(&at.index(index), cidr, "field is immutable"));
        }
    }
    if is_extended {
        validate_spec(new, errors);
    }
}
