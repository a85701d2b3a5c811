//! The time of day as objects and events have it.

use std::time::{SystemTime, UNIX_EPOCH};

use sprag_value::MicroTime;

pub(crate) fn now() -> MicroTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    MicroTime::from_unix(i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos())
}
