//! Answers to reviews of tokens.

use std::pin::Pin;
use std::sync::{OnceLock, Weak};

use sprag_kinds::authentication::{TokenOwner, TokenReviewer};

use crate::server::State;

/// Asks the server that it is a part of, once that is there.
#[derive(Default)]
pub(crate) struct OwnTokens(OnceLock<Weak<State>>);

impl OwnTokens {
    /// Says which server it is a part of.
    pub(crate) fn of(&self, state: Weak<State>) {
        let _ = self.0.set(state);
    }
}

impl TokenReviewer for OwnTokens {
    fn review<'a>(
        &'a self,
        token: &'a str,
        audiences: &'a [String],
    ) -> Pin<Box<dyn Future<Output = TokenOwner> + Send + 'a>> {
        Box::pin(async move {
            let Some(state) = self.0.get().and_then(Weak::upgrade) else { return TokenOwner::default() };
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
