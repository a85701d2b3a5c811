//! Values of the Kubernetes library types.

use std::fmt;
use std::net::IpAddr;

use sprag_value::Quantity;

use super::Authz;
use crate::library::precedence;

/// A value of a library type.
#[derive(Clone, Copy, Debug)]
pub enum Opaque<'a> {
    /// `net.IP`.
    Ip(&'a IpAddr),
    /// `net.CIDR`.
    Cidr(&'a Cidr),
    /// `kubernetes.URL`.
    Url(&'a Url<'a>),
    /// `kubernetes.Quantity`.
    Quantity(&'a Quantity),
    /// A `kubernetes.Quantity` that arithmetic made. Upstream holds these in another way, and no quantity can be compared
    /// with one on the right.
    Computed(&'a Quantity),
    /// `kubernetes.Semver`.
    Semver(&'a Semver<'a>),
    /// `kubernetes.NamedFormat`.
    Format(&'static Format),
    /// `kubernetes.authorization.Authorizer` and what is made of it.
    Authz(&'a Authz<'a>),
}

impl Opaque<'_> {
    /// The run-time name of its type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) | Self::Computed(_) => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authz(value) => value.type_name(),
        }
    }

    /// The Go type behind it.
    pub(super) fn go_type(&self) -> &'static str {
        match self {
            Self::Ip(_) => "cel.IP",
            Self::Cidr(_) => "cel.CIDR",
            Self::Url(_) => "cel.URL",
            Self::Quantity(_) => "cel.Quantity",
            Self::Computed(_) => "*cel.Quantity",
            Self::Semver(_) => "cel.Semver",
            Self::Format(_) => "*cel.Format",
            Self::Authz(value) => value.go_type(),
        }
    }

    /// The size that cost rules use, where upstream's type has one: bytes of an address, bytes of a prefix.
    pub fn size(&self) -> Option<usize> {
        match self {
            Self::Ip(address) => Some(if address.is_ipv4() { 4 } else { 16 }),
            Self::Cidr(network) => Some(usize::from(network.bits).div_ceil(8)),
            _ => None,
        }
    }

    /// Equality of two library values; nothing if they cannot be compared.
    pub fn equals(&self, other: &Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a), Self::Cidr(b)) => a == b,
            (Self::Url(a), Self::Url(b)) => a.text == b.text,
            (Self::Quantity(a) | Self::Computed(a), Self::Quantity(b)) => a == b,
            (Self::Semver(a), Self::Semver(b)) => precedence(a, b).is_eq(),
            (Self::Format(a), Self::Format(b)) => a.name == b.name,
            _ => return None,
        })
    }
}

impl fmt::Display for Opaque<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => write!(f, "{address}"),
            Self::Cidr(network) => write!(f, "{}/{}", network.address, network.bits),
            Self::Url(url) => f.write_str(url.text),
            Self::Quantity(quantity) | Self::Computed(quantity) => write!(f, "{quantity}"),
            Self::Semver(version) => {
                write!(f, "{}.{}.{}", version.major, version.minor, version.patch)?;
                let part = |prefix, text: &str| if text.is_empty() { String::new() } else { format!("{prefix}{text}") };
                write!(f, "{}{}", part('-', version.pre), part('+', version.build))
            }
            Self::Format(format) => f.write_str(format.name),
            Self::Authz(value) => f.write_str(value.type_name()),
        }
    }
}

/// A network: an address and the number of leading bits that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// The address as written, host bits included.
    pub address: IpAddr,
    /// The prefix length.
    pub bits: u8,
}

/// A parsed URL. Parts that were absent are empty.
#[derive(Clone, Copy, Debug)]
pub struct Url<'a> {
    /// The whole, as Go prints it; equality goes by this.
    pub text: &'a str,
    /// `https`.
    pub scheme: &'a str,
    /// Host and port, brackets of an IPv6 address included.
    pub host: &'a str,
    /// The path, escaped.
    pub path: &'a str,
    /// The query without `?`.
    pub query: &'a str,
}

/// A semantic version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semver<'a> {
    /// Major version.
    pub major: u64,
    /// Minor version.
    pub minor: u64,
    /// Patch version.
    pub patch: u64,
    /// Pre-release part without the dash.
    pub pre: &'a str,
    /// Build part without the plus.
    pub build: &'a str,
}

/// A named string format of `format.named(...)`.
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// The function of `format` that yields it.
    pub function: &'static str,
    /// The size of the largest regular expression behind it, which cost rules use.
    pub max_regex_size: u64,
    /// Validates a text; returns no errors if it is valid.
    pub validate: fn(&str) -> Vec<String>,
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
