//! Requests below objects that ask for a connection: logs, commands, ports.

use http::{Method, StatusCode};
use sprag_rest::{ApiError, SubresourceKind};

use super::Call;
use crate::answer::{self, Answer};
use crate::filter;

impl Call<'_> {
    /// True if the request asks for a connection.
    pub(super) fn is_connection(&self) -> bool {
        let found = self.version().ok().and_then(|version| version.subresource(self.path.subresource));
        matches!(found.map(|found| &found.kind), Some(SubresourceKind::Connect(_)))
    }

    pub(super) async fn connect(&self) -> Result<Answer, ApiError> {
        let parameters: Vec<(&str, &str)> = self.query.pairs().collect();
        let request = self.request();
        let needs_create =
            request.resource == "pods" && matches!(request.subresource, "attach" | "exec" | "portforward");
        if needs_create
            && self.head.method == Method::GET
            && self.state.registry.gates().enabled("AuthorizePodWebsocketUpgradeCreatePermission")
        {
            filter::authorize_connect(&self.state.policy.access, &request)?;
        }
        self.state.registry.connect(&request, &parameters).await?;
        Ok(answer::text(StatusCode::NO_CONTENT, ""))
    }
}
