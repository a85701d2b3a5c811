//! Resource quantities: `100m`, `1.5Gi`, `2e3`.

mod decimal;
mod parse;
mod wire;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use self::decimal::Decimal;
use crate::Text;

/// The smallest step of a quantity, as a power of ten; finer amounts are rounded up to it.
const NANO: i32 = -9;

/// The notation of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `12M`, a multiple of a power of ten.
    #[default]
    DecimalSi,
    /// `12Mi`, a multiple of a power of 1024.
    BinarySi,
    /// `12e6`.
    DecimalExponent,
}

/// A fixed-point number with a unit suffix, printed in the same family of suffixes it was read in.
///
/// Equality, order and hash go by the amount: `1` and `1000m` are equal.
///
/// ```
/// use sprag_value::Quantity;
/// let half: Quantity = "0.5Gi".parse()?;
/// assert_eq!(half.to_string(), "512Mi");
/// assert_eq!(half, "536870912".parse()?);
/// # Ok::<(), sprag_value::ParseQuantityError>(())
/// ```
#[derive(Clone, Default)]
pub struct Quantity {
    amount: Amount,
    format: Format,
    /// The text it was read from when that counts as canonical, otherwise empty. The reference keeps it too, and so
    /// prints `+1` and `1.500` unchanged.
    text: Text,
}

/// The two forms of the reference. They matter beyond speed: [`Quantity::as_i64`] knows only the small one.
#[derive(Clone, Debug)]
enum Amount {
    /// `value × 10^scale`.
    Small {
        value: i64,
        scale: i32,
    },
    Big(Decimal),
}

impl Default for Amount {
    fn default() -> Self {
        Self::Small { value: 0, scale: 0 }
    }
}

/// Errors of texts that are not quantities, with the messages of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// Characters that do not form a number and a suffix.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// A number without digits.
    #[error("unable to parse numeric part of quantity")]
    Numeric,
    /// A suffix that does not exist.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

impl Quantity {
    /// The whole number `value`.
    pub fn new(value: i64, format: Format) -> Self {
        Self::scaled(value, 0, format)
    }

    /// `value / 1000`.
    pub fn milli(value: i64, format: Format) -> Self {
        Self::scaled(value, -3, format)
    }

    /// `value × 10^scale`.
    pub fn scaled(value: i64, scale: i32, format: Format) -> Self {
        Self { amount: Amount::Small { value, scale }, format, text: Text::new() }
    }

    fn cached(amount: Amount, format: Format, text: &str) -> Self {
        Self { amount, format, text: text.into() }
    }

    /// The family of suffixes it is printed in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Compares it with zero.
    pub fn sign(&self) -> Ordering {
        match &self.amount {
            Amount::Small { value, .. } => value.cmp(&0),
            Amount::Big(decimal) => decimal.sign(),
        }
    }

    /// True if it is zero.
    pub fn is_zero(&self) -> bool {
        self.sign().is_eq()
    }

    /// The amount as an integer when the reference's fast form holds one; amounts it keeps as big decimals, such as
    /// numbers of 19 digits, are refused even when they are whole.
    pub fn as_i64(&self) -> Option<i64> {
        match self.amount {
            Amount::Small { value, scale } => times_ten(value, u32::try_from(scale).ok()?),
            Amount::Big(_) => None,
        }
    }

    /// The whole amount, rounded away from zero; see `scaled_value` for amounts beyond 64 bits.
    pub fn value(&self) -> i64 {
        self.scaled_value(0)
    }

    /// A thousand times the amount, rounded away from zero.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(-3)
    }

    /// The amount in steps of `10^scale`, rounded away from zero. Beyond 64 bits it is what the reference's arithmetic leaves
    /// of it, which may be anything; rules of upstream depend on it.
    // As upstream's Quantity.ScaledValue.
    fn scaled_value(&self, scale: i32) -> i64 {
        match &self.amount {
            Amount::Small { value, scale: own } => {
                let steps = i64::from(*own) - i64::from(scale);
                match u32::try_from(steps) {
                    // As upstream's positiveScaleInt64, whose caller ignores that the product is too large.
                    Ok(steps @ (1 | 2 | 3 | 6 | 9)) if *value != i64::MIN => value.wrapping_mul(10_i64.pow(steps)),
                    Ok(steps) => times_ten(*value, steps).unwrap_or(0),
                    Err(_) => divided_by_ten(*value, steps.unsigned_abs()),
                }
            }
            Amount::Big(decimal) => {
                let own = if self.is_capped(decimal) { 0 } else { NANO };
                decimal.scaled_value(own, scale)
            }
        }
    }

    /// The nearest float, give or take a rounding step, computed as the reference does.
    pub fn as_approximate_f64(&self) -> f64 {
        match &self.amount {
            #[expect(clippy::cast_precision_loss, reason = "asked for")]
            Amount::Small { value, scale } => *value as f64 * pow10(*scale),
            Amount::Big(decimal) if self.is_capped(decimal) => decimal.to_f64(0),
            Amount::Big(decimal) => decimal.to_f64(i64::from(-NANO)) * pow10(NANO),
        }
    }

    /// The sum. It takes the suffixes of the first summand, or of the second when the first is zero. Nothing when the
    /// result would have thousands of digits.
    #[must_use]
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        let format = if self.is_zero() { other.format } else { self.format };
        let amount = match add_small(&self.amount, &other.amount) {
            Some(amount) => amount,
            None => Amount::Big(self.decimal().add(&other.decimal())?),
        };
        Some(Self { amount, format, text: Text::new() })
    }

    /// The difference; otherwise like [`Quantity::checked_add`].
    #[must_use]
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.checked_add(&other.negated())
    }

    /// The amount rounded away from zero to a multiple of `10^scale`, as upstream's `Quantity.RoundUp`.
    ///
    /// ```
    /// use sprag_value::Quantity;
    ///
    /// let fine: Quantity = "1500u".parse()?;
    /// assert_eq!(fine.rounded_up(-3).to_string(), "2m");
    /// # Ok::<(), sprag_value::ParseQuantityError>(())
    /// ```
    #[must_use]
    pub fn rounded_up(&self, scale: i32) -> Self {
        let amount = match &self.amount {
            Amount::Small { scale: own, .. } if *own >= scale => return self.clone(),
            Amount::Small { .. } => Amount::Small { value: self.scaled_value(scale), scale },
            Amount::Big(decimal) => Amount::Big(decimal.round_up(scale.into())),
        };
        Self { amount, format: self.format, text: Text::new() }
    }

    /// The same amount with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        let amount = match &self.amount {
            Amount::Small { value, scale } => match value.checked_neg() {
                Some(value) => Amount::Small { value, scale: *scale },
                None => Amount::Big(self.decimal().negate()),
            },
            Amount::Big(decimal) => Amount::Big(decimal.clone().negate()),
        };
        Self { amount, format: self.format, text: Text::new() }
    }

    /// True if it was cut down to 64 bits, after which the reference counts in units instead of nano.
    /// The same with its text, which the reference keeps once a quantity was printed.
    #[must_use]
    pub fn printed(mut self) -> Self {
        self.text = self.to_string().into();
        self
    }

    /// The struct as Go's `%#v` prints it, private fields included; `address` stands for where a pointer points to.
    ///
    /// ```
    /// use sprag_value::Quantity;
    /// let half: Quantity = "500m".parse()?;
    /// assert!(half.to_go_syntax("0x1").starts_with("resource.Quantity{i:resource.int64Amount{value:500, scale:-3}, "));
    /// # Ok::<(), sprag_value::ParseQuantityError>(())
    /// ```
    pub fn to_go_syntax(&self, address: &str) -> String {
        let (value, scale, decimal) = match &self.amount {
            Amount::Small { value, scale } => (*value, *scale, "nil"),
            Amount::Big(_) => (0, 0, address),
        };
        let format = match self.format {
            Format::DecimalSi => "DecimalSI",
            Format::BinarySi => "BinarySI",
            Format::DecimalExponent => "DecimalExponent",
        };
        format!(
            "resource.Quantity{{i:resource.int64Amount{{value:{value}, scale:{scale}}}, \
             d:resource.infDecAmount{{Dec:(*inf.Dec)({decimal})}}, s:{:?}, Format:{format:?}}}",
            &*self.text
        )
    }

    fn is_capped(&self, decimal: &Decimal) -> bool {
        self.format == Format::BinarySi && decimal.to_i128().is_some_and(|value| value.abs() == i64::MAX.into())
    }

    fn decimal(&self) -> Decimal {
        match &self.amount {
            Amount::Small { value, scale } => Decimal::from_int(*value, *scale),
            Amount::Big(decimal) => decimal.clone(),
        }
    }
}

fn add_small(a: &Amount, b: &Amount) -> Option<Amount> {
    let (&Amount::Small { value: a, scale: a_scale }, &Amount::Small { value: b, scale: b_scale }) = (a, b) else {
        return None;
    };
    if b == 0 {
        return Some(Amount::Small { value: a, scale: a_scale });
    }
    if a == 0 {
        return Some(Amount::Small { value: b, scale: b_scale });
    }
    let scale = a_scale.min(b_scale);
    let steps = |own: i32| u32::try_from(i64::from(own) - i64::from(scale)).ok();
    let value = times_ten(a, steps(a_scale)?)?.checked_add(times_ten(b, steps(b_scale)?)?)?;
    Some(Amount::Small { value, scale })
}

fn times_ten(value: i64, times: u32) -> Option<i64> {
    if value == 0 { Some(0) } else { value.checked_mul(10_i64.checked_pow(times)?) }
}

/// Rounds away from zero.
fn divided_by_ten(value: i64, times: u64) -> i64 {
    let divisor = u32::try_from(times).ok().and_then(|times| 10_i64.checked_pow(times));
    match divisor {
        Some(divisor) => value / divisor + (value % divisor).signum(),
        None => value.signum(),
    }
}

/// Powers of ten as Go's `math.Pow10` has them: one product or quotient of two table entries.
fn pow10(exponent: i32) -> f64 {
    let table = |exponent: u32| format!("1e{exponent}").parse().unwrap_or(f64::INFINITY);
    let size = exponent.unsigned_abs();
    match exponent {
        0..=308 => table(size / 32 * 32) * table(size % 32),
        -323..0 => format!("1e-{}", size / 32 * 32).parse().unwrap_or(0.0) / table(size % 32),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        parse::parse(text)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (&Amount::Small { value: a, scale: a_scale }, &Amount::Small { value: b, scale: b_scale }) =
            (&self.amount, &other.amount)
        {
            if a_scale == b_scale {
                return a.cmp(&b);
            }
            let steps = a_scale.abs_diff(b_scale);
            if steps <= MAX_WIDE_STEPS {
                let factor = 10_i128.pow(steps);
                let a = i128::from(a);
                let b = i128::from(b);
                return if a_scale > b_scale { (a * factor).cmp(&b) } else { a.cmp(&(b * factor)) };
            }
        }
        self.decimal().cmp(&other.decimal())
    }
}

/// An `i64` times this power of ten fits an `i128`.
const MAX_WIDE_STEPS: u32 = 18;

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.decimal().hash(state);
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() { self.write_canonical(f) } else { f.write_str(&self.text) }
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Quantity {
    fn write_canonical(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        if let Some(whole) = self.as_i64().filter(|whole| whole.unsigned_abs() >= 1024)
            && self.format == Format::BinarySi
        {
            let times = whole.trailing_zeros() / 10;
            return write!(f, "{}{}", whole >> (10 * times), BINARY_SUFFIXES[times as usize]);
        }
        let amount = self.decimal();
        let sign = if amount.sign().is_lt() { "-" } else { "" };
        if self.format == Format::BinarySi && amount.is_integer() && !is_below_1024(&amount) {
            let (digits, times) = amount.base_1024();
            let suffix = BINARY_SUFFIXES.get(times as usize).unwrap_or(&"");
            return write!(f, "{sign}{digits}{suffix}");
        }
        let places = amount.exponent().rem_euclid(3);
        let zeros = ["", "0", "00"][usize::try_from(places).unwrap_or(0)];
        let exponent = amount.exponent() - places;
        write!(f, "{sign}{}{zeros}", amount.digits())?;
        match self.format {
            Format::DecimalExponent if exponent == 0 => Ok(()),
            Format::DecimalExponent => write!(f, "e{exponent}"),
            Format::DecimalSi | Format::BinarySi => f.write_str(suffix_of_exponent(exponent)),
        }
    }
}

fn is_below_1024(amount: &Decimal) -> bool {
    let limit = Decimal::from_int(1024, 0);
    amount.cmp(&limit).is_lt() && amount.cmp(&limit.negate()).is_gt()
}

const BINARY_SUFFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const DECIMAL_SUFFIXES: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];

fn exponent_of_suffix(suffix: &str) -> Option<i32> {
    DECIMAL_SUFFIXES.iter().find(|(name, _)| *name == suffix).map(|(_, exponent)| *exponent)
}

/// Amounts from 10^21 on have no suffix; the reference prints their digits bare, and so does this.
fn suffix_of_exponent(exponent: i64) -> &'static str {
    DECIMAL_SUFFIXES.iter().find(|(_, known)| i64::from(*known) == exponent).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests;
