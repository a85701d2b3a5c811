//! Decimal numbers of any size, as far as quantities need them.

use std::cmp::Ordering;

/// The digits that a sum or a whole number may have; a longer one is refused instead of filling memory.
pub(super) const MAX_DIGITS: i64 = 4096;

/// `±digits × 10^exponent`. Invariant: no leading and no trailing zero digit, so equal numbers are equal fields; zero
/// has no digits, no sign and exponent 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Decimal {
    negative: bool,
    /// Values 0 to 9, most significant first.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    pub(super) fn from_int(value: i64, exponent: i32) -> Self {
        let digits = value.unsigned_abs().to_string().bytes().map(|digit| digit - b'0').collect();
        Self::new(value < 0, digits, i64::from(exponent))
    }

    /// `digits` holds values 0 to 9 with zeros anywhere.
    pub(super) fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Self::default();
        }
        Self { negative, digits, exponent }
    }

    pub(super) fn sign(&self) -> Ordering {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    pub(super) fn exponent(&self) -> i64 {
        self.exponent
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// The digits as text, without the sign.
    pub(super) fn digits(&self) -> String {
        self.digits.iter().map(|&digit| char::from(b'0' + digit)).collect()
    }

    pub(super) fn negate(mut self) -> Self {
        self.negative = !self.negative && !self.digits.is_empty();
        self
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.sign().cmp(&other.sign());
        if by_sign != Ordering::Equal {
            return by_sign;
        }
        let by_size = self.cmp_magnitude(other);
        if self.negative { by_size.reverse() } else { by_size }
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        self.top().cmp(&other.top()).then_with(|| self.digits.cmp(&other.digits))
    }

    /// The place of the first digit; no digits come last of all.
    fn top(&self) -> i64 {
        if self.digits.is_empty() { i64::MIN } else { self.exponent + count(&self.digits) }
    }

    /// The sum, or nothing when it has more than [`MAX_DIGITS`] digits.
    pub(super) fn add(&self, other: &Self) -> Option<Self> {
        if self.digits.is_empty() {
            return Some(other.clone());
        }
        if other.digits.is_empty() {
            return Some(self.clone());
        }
        let exponent = self.exponent.min(other.exponent);
        if self.top().max(other.top()) - exponent > MAX_DIGITS {
            return None;
        }
        let (large, small) = if self.cmp_magnitude(other).is_ge() { (self, other) } else { (other, self) };
        let mut sum = large.places_from(exponent);
        let addend = small.places_from(exponent);
        if large.negative == small.negative {
            add_places(&mut sum, &addend);
        } else {
            subtract_places(&mut sum, &addend);
        }
        sum.reverse();
        Some(Self::new(large.negative, sum, exponent))
    }

    /// The digits from the place `exponent` up, least significant first.
    fn places_from(&self, exponent: i64) -> Vec<u8> {
        let zeros = usize::try_from(self.exponent - exponent).unwrap_or(0);
        std::iter::repeat_n(0, zeros).chain(self.digits.iter().rev().copied()).collect()
    }

    /// The product with a power of ten.
    pub(super) fn scale(&self, exponent: i32) -> Self {
        let mut scaled = self.clone();
        if !scaled.digits.is_empty() {
            scaled.exponent += i64::from(exponent);
        }
        scaled
    }

    /// The product with a power of two of at most 2^60.
    pub(super) fn shift_left(&self, bits: u32) -> Self {
        let factor = 1_u64 << bits.min(60);
        let mut places = Vec::with_capacity(self.digits.len() + 19);
        let mut carry = 0_u128;
        for &digit in self.digits.iter().rev() {
            carry += u128::from(digit) * u128::from(factor);
            places.push((carry % 10) as u8);
            carry /= 10;
        }
        while carry > 0 {
            places.push((carry % 10) as u8);
            carry /= 10;
        }
        places.reverse();
        Self::new(self.negative, places, self.exponent)
    }

    /// Rounds away from zero to a multiple of `10^place`.
    pub(super) fn round_up(&self, place: i64) -> Self {
        let excess = place - self.exponent;
        if excess <= 0 {
            return self.clone();
        }
        let kept = usize::try_from(count(&self.digits) - excess).unwrap_or(0);
        let mut places: Vec<u8> = self.digits[..kept].iter().rev().copied().collect();
        add_places(&mut places, &[u8::from(!self.digits.is_empty())]);
        places.reverse();
        Self::new(self.negative, places, place)
    }

    /// The low 64 bits of the number of steps of `10^scale`, counted from steps of `10^own`, which there is a whole number of.
    // As upstream's scaledValue.
    pub(super) fn scaled_value(&self, own: i32, scale: i32) -> i64 {
        /// Powers of ten that an `i64` holds.
        const POWERS: i32 = 19;
        let unscaled = self.scale(-own);
        let places = scale - own;
        let power = |places: i32| 10_i64.wrapping_pow(places.unsigned_abs());
        if places <= 0 {
            return unscaled.low_bits().wrapping_mul(power(places));
        }
        // Also of large negative numbers.
        if places < POWERS && unscaled.cmp(&Self::from_int(i64::MAX, 0)).is_lt() {
            let number = unscaled.low_bits();
            let divisor = power(places);
            return number / divisor + i64::from(number % divisor != 0);
        }
        self.scale(-scale).low_bits()
    }

    /// The low 64 bits of the whole number rounded away from zero.
    fn low_bits(&self) -> i64 {
        let whole = self.round_up(0);
        let digits = whole.digits.iter().fold(0_i64, |value, &digit| value.wrapping_mul(10).wrapping_add(digit.into()));
        // Larger powers of ten have only zeros there.
        let zeros = u32::try_from(whole.exponent.min(64)).unwrap_or(0);
        let magnitude = digits.wrapping_mul(10_i64.wrapping_pow(zeros));
        if whole.negative { magnitude.wrapping_neg() } else { magnitude }
    }

    /// The whole number rounded away from zero, or nothing when it does not fit.
    pub(super) fn to_i128(&self) -> Option<i128> {
        let whole = self.round_up(0);
        let zeros = u32::try_from(whole.exponent).ok()?;
        let digits = whole
            .digits
            .iter()
            .try_fold(0_i128, |value, &digit| value.checked_mul(10)?.checked_add(i128::from(digit)))?;
        let magnitude = if digits == 0 { 0 } else { digits.checked_mul(10_i128.checked_pow(zeros)?)? };
        Some(if whole.negative { -magnitude } else { magnitude })
    }

    /// The digits of a whole number divided by 1024 as often as it goes, with the number of times. A number of more
    /// than [`MAX_DIGITS`] digits is not divided.
    pub(super) fn base_1024(&self) -> (String, u32) {
        let mut places = self.digits.clone();
        if self.top() <= MAX_DIGITS {
            places.extend(std::iter::repeat_n(0, usize::try_from(self.exponent).unwrap_or(0)));
        }
        let mut times = 0;
        while let Some(quotient) = exact_1024th(&places) {
            places = quotient;
            times += 1;
        }
        (places.iter().skip_while(|&&digit| digit == 0).map(|&digit| char::from(b'0' + digit)).collect(), times)
    }

    pub(super) fn to_f64(&self, scale: i64) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        let digits = if self.digits.is_empty() { "0".into() } else { self.digits() };
        format!("{sign}{digits}e{}", self.exponent + scale).parse().unwrap_or(f64::NAN)
    }
}

fn count(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

/// Adds in place; both least significant first.
fn add_places(sum: &mut Vec<u8>, addend: &[u8]) {
    let mut carry = 0;
    for at in 0..sum.len().max(addend.len()) {
        if at == sum.len() {
            sum.push(0);
        }
        let place = sum[at] + addend.get(at).unwrap_or(&0) + carry;
        sum[at] = place % 10;
        carry = place / 10;
    }
    if carry > 0 {
        sum.push(carry);
    }
}

/// Subtracts in place; both least significant first, `from` the larger number.
fn subtract_places(from: &mut [u8], subtrahend: &[u8]) {
    let mut borrow = 0;
    for (at, place) in from.iter_mut().enumerate() {
        let taken = subtrahend.get(at).unwrap_or(&0) + borrow;
        borrow = u8::from(*place < taken);
        *place = *place + 10 * borrow - taken;
    }
}

/// The number divided by 1024 when that leaves no remainder and the number is not zero; most significant first.
fn exact_1024th(places: &[u8]) -> Option<Vec<u8>> {
    let mut remainder = 0_u32;
    let quotient: Vec<u8> = places
        .iter()
        .map(|&digit| {
            remainder = remainder * 10 + u32::from(digit);
            let place = remainder / 1024;
            remainder %= 1024;
            place.to_le_bytes()[0]
        })
        .collect();
    (remainder == 0 && quotient.iter().any(|&digit| digit != 0)).then_some(quotient)
}
