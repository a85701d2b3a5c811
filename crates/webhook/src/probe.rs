//! Health checks of components.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONNECTION, HOST, USER_AGENT};
use http_body_util::{BodyExt as _, Full, Limited};
use sprag_field::quote;
use tokio::time::timeout;

use crate::client::sent_error;
use crate::url::Url;
use crate::{connection, trust};

/// The longest answer that is read, in bytes.
// As upstream's probe/http.maxRespBodyLength.
const MAX_BODY: usize = 10 << 10;

/// Asks a health check over HTTPS, whatever certificate it has: its answer if the component is healthy, else the reason why not.
/// Redirects count as healthy and are not followed.
// As upstream's probe/http.DoHTTPProbe.
pub async fn probe(url: &str, user_agent: &str, patience: Duration) -> Result<String, String> {
    let failed = |why: &str| format!("Get {}: {why}", quote::go(url));
    let Some(parsed) = Url::parse(url) else { return Err(failed("unparsable URL")) };
    match timeout(patience, ask(&parsed, user_agent)).await {
        Err(_) => Err(failed("context deadline exceeded (Client.Timeout exceeded while awaiting headers)")),
        Ok(Err(why)) => Err(failed(&why)),
        Ok(Ok((200..400, body))) => Ok(body),
        Ok(Ok((code, _))) => Err(format!("HTTP probe failed with statuscode: {code}")),
    }
}

async fn ask(url: &Url, user_agent: &str) -> Result<(u16, String), String> {
    let tls = url.is_tls.then(trust::insecure_config).transpose()?;
    let mut connection = connection::connect(&url.address(), url.host(), tls).await?;
    let request = Request::get(url.target())
        .header(HOST, &url.authority)
        .header(USER_AGENT, user_agent)
        .header(ACCEPT, "*/*")
        .header(CONNECTION, "close")
        .body(Full::<Bytes>::default())
        .map_err(|error| error.to_string())?;
    let (head, body) = connection.send_request(request).await.map_err(|error| sent_error(&error))?.into_parts();
    let body = Limited::new(body, MAX_BODY).collect().await.map_err(|error| error.to_string())?;
    Ok((head.status.as_u16(), String::from_utf8_lossy(&body.to_bytes()).into_owned()))
}
