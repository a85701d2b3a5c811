//! Answers to reviews of tokens.

use std::pin::Pin;
use std::sync::Arc;

use sprag_kinds::authentication::{TokenOwner, TokenReviewer};

use crate::own_state::OwnState;

/// Asks the server that it is a part of.
pub(crate) struct OwnTokens(pub(crate) Arc<OwnState>);

impl TokenReviewer for OwnTokens {
    fn review<'a>(
        &'a self,
        token: &'a str,
        audiences: &'a [String],
    ) -> Pin<Box<dyn Future<Output = TokenOwner> + Send + 'a>> {
        Box::pin(async move {
            let Some(state) = self.0.get() else { return TokenOwner::default() };
            // As upstream's bearertoken.Authenticator, which reads it from a header: behind two blanks there is no token.
            if token.starts_with(' ') {
                return TokenOwner::default();
            }
            let audiences = Some(audiences).filter(|audiences| !audiences.is_empty());
            match state.authenticator.reviewed(token, audiences).await {
                Ok(user) => TokenOwner { user: Some(((*user.identity.user).clone(), user.audiences)), error: None },
                Err(error) => TokenOwner { user: None, error: Some(error) },
            }
        })
    }
}
