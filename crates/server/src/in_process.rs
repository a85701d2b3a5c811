//! A server without sockets: the whole handler, called from the same process.

use std::sync::Arc;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use sprag_registry::Registry;
use sprag_rest::ApiError;

use crate::body::RequestBody;
use crate::connection::Seat;
use crate::filter::Origin;
use crate::handler;
use crate::server::State;
use crate::unread::Chunk;

/// The token of the administrator: no request comes from outside.
pub(crate) const TOKEN: &str = "in-process";
const BEARER: HeaderValue = HeaderValue::from_static("Bearer in-process");

/// A server that answers requests of its own process only, made by [`Server::in_process`](crate::Server::in_process). What it answers is
/// what a client of a server with sockets sees.
///
/// ```
/// use std::sync::Arc;
///
/// use bytes::Bytes;
/// use http_body_util::BodyExt;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = sprag_server::Server::new(Arc::new(sprag_storage::Memory::new())).in_process().await?;
/// let request = http::Request::get("/api/v1/namespaces/default").body(Bytes::new())?;
/// let answer = server.answer(request).await;
/// assert_eq!(answer.status(), 200);
/// let body = answer.into_body().collect().await?.to_bytes();
/// assert!(body.starts_with(br#"{"apiVersion":"v1","kind":"Namespace""#));
/// # Ok(())
/// # }
/// ```
pub struct InProcess {
    state: Arc<State>,
}

impl InProcess {
    pub(crate) fn new(state: Arc<State>) -> InProcess {
        InProcess { state }
    }

    /// Answers a request. It is the administrator's unless it carries a token of its own. The body of a watch ends when the
    /// watch does; an error in a body means that it is cut.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<impl Body<Data = Bytes, Error = ApiError> + use<>> {
        let mut request = request.map(|body| RequestBody::Right(Full::new(body)));
        request.headers_mut().entry(AUTHORIZATION).or_insert(BEARER);
        let from = Origin { seat: Seat::Any, peer: None, remote: None, reader: None, close: None };
        let answer = handler::answer(&self.state, request, &from).await;
        answer.map(|payload| payload.map_frame(|frame| frame.map_data(Chunk::into_bytes)))
    }

    /// The resources that it serves.
    pub fn registry(&self) -> &Registry {
        &self.state.registry
    }
}
