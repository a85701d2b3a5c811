//! Points in time and durations as Kubernetes writes them. Knows no clock and no time zone but UTC.

mod civil;
mod duration;
mod layout;

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize, Serializer};

pub use self::duration::{Duration, ParseDurationError};
pub use self::layout::ParseTimeError;
use self::layout::Precision;

/// Seconds from the zero time of Go, the first day of the year 1, to 1970.
const ZERO_SECONDS: i64 = -62_135_596_800;

/// A point in time, written with a precision of seconds in UTC. The default is Go's zero time, which is written as
/// null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    seconds: i64,
    nanos: u32,
}

/// A point in time, written with a precision of microseconds in UTC. The default is Go's zero time, which is written
/// as null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroTime {
    seconds: i64,
    nanos: u32,
}

macro_rules! point_in_time {
    ($name:ident, $precision:expr) => {
        impl $name {
            /// The point `seconds` and `nanos` after the start of 1970.
            pub fn from_unix(seconds: i64, nanos: u32) -> Self {
                let carry = i64::from(nanos / 1_000_000_000);
                Self { seconds: seconds.saturating_add(carry), nanos: nanos % 1_000_000_000 }
            }

            /// Whole seconds since the start of 1970.
            pub fn unix_seconds(self) -> i64 {
                self.seconds
            }

            /// Nanoseconds within the second.
            pub fn subsec_nanos(self) -> u32 {
                self.nanos
            }

            /// True if this is Go's zero time, the start of the year 1.
            pub fn is_zero(self) -> bool {
                self == Self::default()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self { seconds: ZERO_SECONDS, nanos: 0 }
            }
        }

        impl std::str::FromStr for $name {
            type Err = ParseTimeError;

            fn from_str(text: &str) -> Result<Self, ParseTimeError> {
                let (seconds, nanos) = layout::parse(text, $precision)?;
                Ok(Self { seconds, nanos })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                layout::write(f, self.seconds, self.nanos, $precision)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.is_zero() { serializer.serialize_none() } else { serializer.collect_str(self) }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(FromText(Self::default()))
            }
        }
    };
}

point_in_time!(Time, Precision::Seconds);
point_in_time!(MicroTime, Precision::Micros);

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FromText(Self::default()))
    }
}

/// Reads a string; null is the value inside.
struct FromText<T>(T);

impl<T> Visitor<'_> for FromText<T>
where
    T: std::str::FromStr<Err: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_none<E: Error>(self) -> Result<T, E> {
        Ok(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests;
