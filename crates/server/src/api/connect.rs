//! Requests below objects that ask for a connection: logs, commands, ports.

use http::StatusCode;
use sprag_rest::{ApiError, SubresourceKind};

use super::Call;
use crate::answer::{self, Answer};

impl Call<'_> {
    /// True if the request asks for a connection.
    pub(super) fn is_connection(&self) -> bool {
        let found = self.version().ok().and_then(|version| version.subresource(self.path.subresource));
        matches!(found.map(|found| &found.kind), Some(SubresourceKind::Connect(_)))
    }

    pub(super) async fn connect(&self) -> Result<Answer, ApiError> {
        let parameters: Vec<(&str, &str)> = self.query.pairs().collect();
        self.state.registry.connect(&self.request(), &parameters).await?;
        Ok(answer::text(StatusCode::NO_CONTENT, ""))
    }
}
