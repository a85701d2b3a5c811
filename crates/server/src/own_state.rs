//! The state of a server, for parts of it that are made before the state is.

use std::sync::{Arc, OnceLock, Weak};

use crate::server::State;

/// The state of the server that a part belongs to, once that is there.
#[derive(Default)]
pub(crate) struct OwnState(OnceLock<Weak<State>>);

impl OwnState {
    /// Sets the state.
    pub(crate) fn set(&self, state: &Arc<State>) {
        let _ = self.0.set(Arc::downgrade(state));
    }

    /// Returns the state, while the server runs.
    pub(crate) fn get(&self) -> Option<Arc<State>> {
        self.0.get().and_then(Weak::upgrade)
    }
}
