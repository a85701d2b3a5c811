//! The health of the control plane, as component statuses tell it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sprag_kinds::component_status;
use sprag_rest::Observe;
use sprag_value::Value;

use crate::health;
use crate::own_state::OwnState;

/// Components beside the server, by where they answer health checks.
// As upstream's componentStatusStorage.serversToValidate.
const CONTROLLER_MANAGER: (&str, &str) = ("controller-manager", "https://127.0.0.1:10257/healthz");
const SCHEDULER: (&str, &str) = ("scheduler", "https://127.0.0.1:10259/healthz");
/// The store, which upstream counts by the addresses that were given for it.
const STORE: &str = "etcd-0";
/// Timeout of one health check.
// As upstream's componentstatus.probeTimeOut.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks the components beside the server that it is a part of.
pub(crate) struct Components(pub(crate) Arc<OwnState>);

impl Components {
    async fn probe(&self, (name, url): (&str, &str)) -> Value {
        let user_agent = self.0.get().map(|state| state.version.user_agent()).unwrap_or_default();
        component_status(name, sprag_webhook::probe(url, &user_agent, PATIENCE).await)
    }

    async fn store(&self) -> Value {
        let failure = match self.0.get() {
            Some(state) => health::store_failure(&state).await,
            None => Some("the server has stopped".to_owned()),
        };
        component_status(STORE, failure.map_or_else(|| Ok("ok".to_owned()), Err))
    }
}

impl Observe for Components {
    fn observe<'a>(&'a self, name: Option<&'a str>) -> Pin<Box<dyn Future<Output = Vec<Value>> + Send + 'a>> {
        Box::pin(async move {
            let is_asked = |component: &str| name.is_none_or(|name| name == component);
            let (manager, store, scheduler) = tokio::join!(
                optional(is_asked(CONTROLLER_MANAGER.0), self.probe(CONTROLLER_MANAGER)),
                optional(is_asked(STORE), self.store()),
                optional(is_asked(SCHEDULER.0), self.probe(SCHEDULER)),
            );
            [manager, store, scheduler].into_iter().flatten().collect()
        })
    }
}

async fn optional<T>(is_asked: bool, work: impl Future<Output = T>) -> Option<T> {
    if is_asked { Some(work.await) } else { None }
}
