//! Costs before anything runs: estimates of sizes, of calls, and of whole expressions.

pub mod charge;
mod estimate;
mod path;

use sprag_value::Text;

use crate::check::Checked;
use crate::decl::TypeProvider;
use crate::syntax::Literal;
use crate::types::Type;

/// The cost of walking one character of a string.
pub const STRING_TRAVERSAL: f64 = 0.1;
/// The cost of one character of a regular expression.
pub const REGEX_LENGTH: f64 = 0.25;
/// The cost of making a list.
pub const LIST_CREATE: u64 = 10;
/// The cost of making a map.
pub const MAP_CREATE: u64 = 30;
/// The cost of making an object.
pub const STRUCT_CREATE: u64 = 40;

/// Lower and upper bound of a size or a cost. Arithmetic saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lower bound.
    pub min: u64,
    /// Upper bound.
    pub max: u64,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { min: 0, max: u64::MAX };

    /// Exactly `value`.
    pub const fn fixed(value: u64) -> Self {
        Self { min: value, max: value }
    }

    /// Bound by bound sum.
    #[must_use]
    pub const fn add(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// Bound by bound product.
    #[must_use]
    pub const fn multiply(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Each bound times a factor, rounded up.
    #[must_use]
    pub fn scale(self, factor: f64) -> Self {
        Self { min: scale(self.min, factor), max: scale(self.max, factor) }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// A number times a factor, rounded up, saturating; the rounding is that of the reference.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the reference computes in doubles"
)]
pub fn scale(value: u64, factor: f64) -> u64 {
    let value = value as f64;
    if value > 0.0 && factor > 0.0 && value > u64::MAX as f64 / factor {
        return u64::MAX;
    }
    let result = (value * factor).ceil();
    if result >= 18_446_744_073_709_551_616.0 { u64::MAX } else { result as u64 }
}

/// The estimated cost of a call, arguments excluded, and the size of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEstimate {
    /// The cost of the call itself.
    pub cost: Bounds,
    /// The size of the result, where the rule knows it.
    pub size: Option<Bounds>,
}

impl CallEstimate {
    /// A cost without a statement about the result.
    pub const fn cost(cost: Bounds) -> Self {
        Self { cost, size: None }
    }

    /// A cost with the size of the result.
    pub const fn sized(cost: Bounds, size: Bounds) -> Self {
        Self { cost, size: Some(size) }
    }
}

/// An argument as a cost rule sees it.
pub struct Argument<'c> {
    /// Its type.
    pub ty: Type,
    /// Its value, if it is a literal.
    pub literal: Option<&'c Literal>,
    /// Its size, if that follows from the expression.
    pub computed: Option<Bounds>,
    /// Its size: computed, declared, or unknown.
    pub size: Bounds,
    /// Type and declared size of its elements, if it is a list.
    pub element: Option<(Type, Bounds)>,
}

/// A call as a cost rule sees it.
pub struct CallSite<'c> {
    /// The receiver of a member call.
    pub target: Option<Argument<'c>>,
    /// The other arguments.
    pub args: Vec<Argument<'c>>,
}

/// A part of an expression and what it is estimated to cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostNode {
    /// The reported position of the part, in code points.
    pub offset: u32,
    /// Its label: a name, an operator, `size()`, `loop`.
    pub label: String,
    /// Its cost, parts included.
    pub cost: Bounds,
    /// The number of runs of the last two parts but one, condition and step; for loops only.
    pub times: Option<Bounds>,
    /// The parts it consists of.
    pub children: Vec<CostNode>,
}

impl Checked {
    /// Returns the minimum and maximum cost of the expression, with sizes from declared types.
    pub fn cost(&self, types: &dyn TypeProvider) -> Bounds {
        estimate::Estimator::new(self, types, false).run().0
    }

    /// The values whose declared sizes the cost grows with, as paths below their variable: names of fields, `@items`, `@keys`
    /// and `@values`. A value that the expression does not read, or whose size does not matter, is not among them.
    pub fn cost_drivers(&self, types: &dyn TypeProvider) -> Vec<Vec<Text>> {
        estimate::drivers(self, types)
    }

    /// The cost, and where it comes from.
    pub fn explain_cost(&self, types: &dyn TypeProvider) -> Option<CostNode> {
        estimate::Estimator::new(self, types, true).run().1
    }
}
