//! Forged tokens.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;

use super::{Arena, Case, Outcome, case};

pub(super) const CASES: &[Case] = &[case!(forged_tokens)];

async fn forged_tokens(arena: &Arena) -> Outcome {
    let token = arena.token.clone();
    let long = "x".repeat(100_000);
    let forged = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        "Bearer  ".into(),
        format!("Bearer  {token}"),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {token}x"),
        format!("Bearer {}", token.to_uppercase()),
        format!("Basic {token}"),
        token.clone(),
        "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.".into(),
        format!("Bearer {long}"),
        format!("Bearer x, Bearer {token}"),
    ];
    let count = forged.len();
    for value in forged {
        let mut client = arena.client().await?;
        let request = Request::get("/api/v1/namespaces").header("host", "localhost").header("authorization", &value);
        let request = request.header("x-remote-user", "admin").header("x-remote-group", "system:masters");
        let request = request.body(Full::<Bytes>::default()).map_err(|error| error.to_string())?;
        // A request without a credential is anonymous, which may not list. A head that is too large is rejected before
        // authentication.
        match client.send(request).await {
            Ok(answer) if matches!(answer.code, 401 | 403 | 431) => {}
            Ok(answer) => return Err(format!("{} for {:.40}", answer.code, value)),
            Err(_) if value.len() > 10_000 => {}
            Err(error) => return Err(error),
        }
    }
    Ok(format!("{count} refused"))
}
