//! GET of one object or of a list.

use sprag_registry::Listing;
use sprag_rest::ApiError;

use super::Call;
use crate::answer::{self, Answer};
use crate::audit;
use crate::lists::{self, Form, Maker};
use crate::negotiate::Output;

impl Call<'_> {
    pub(super) async fn get(&self) -> Result<Answer, ApiError> {
        let output = self.output()?;
        if self.query.switch("export") == Some(true) {
            return Err(ApiError::bad_request("the export parameter, deprecated since v1.14, is no longer supported"));
        }
        let request = self.request();
        let version = self.query.text("resourceVersion");
        if output.is_plain() {
            let text = self.state.registry.get_encoded(&request, version).await?;
            self.audit_text(&text).await;
            return Ok(answer::encoded(200, text, output, &self.warnings(Vec::new())));
        }
        loop {
            self.grant.room().await;
            // Who has waited for a turn waits again if there is no room any more.
            let show = |object| self.encoded(&self.lens(output)?.object(object)?, output);
            let shown = |object| self.grant.has_room().then(|| show(object)).transpose();
            if let Some(body) = self.state.registry.get_as(&request, version, shown).await? {
                return Ok(answer::encoded(200, body, output, &self.warnings(Vec::new())));
            }
        }
    }

    pub(super) async fn list(&self) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let options = self.query.list_options()?;
        let listing = self.state.registry.listing(&self.request(), &options).await?;
        self.listing(listing, output, Vec::new()).await
    }

    /// An answer with a list in the form that was asked for.
    pub(super) async fn listing(
        &self,
        listing: Listing,
        output: Output,
        warnings: Vec<String>,
    ) -> Result<Answer, ApiError> {
        let warnings = self.warnings(warnings);
        let memory = self.state.in_flight.memory.to_list(&self.grant.user.name, listing.owned_bytes()).await?;
        let maker = Maker { state: self.state.clone(), grant: self.grant.clone(), _memory: memory };
        self.audit_listing(&listing, output).await?;
        if output.is_plain() {
            return Ok(answer::encoded(200, lists::plain(listing, maker).await?, output, &warnings));
        }
        Ok(answer::encoded(200, lists::shown(listing, self.form(output)?, maker).await?, output, &warnings))
    }

    fn form(&self, output: Output) -> Result<Form, ApiError> {
        let lens = self.lens(output)?;
        Ok(Form {
            definition: self.definition.clone(),
            version: lens.version.clone(),
            include: lens.include,
            now: lens.now,
            output,
        })
    }

    /// Records an object in the audit log that is answered as text.
    pub(super) async fn audit_text(&self, text: &[u8]) {
        if audit::current().is_some_and(|record| record.has(audit::Level::RequestResponse)) {
            self.state.in_flight.make(&self.grant.user.name, text.len(), || audit::answered_text(text)).await;
        }
    }

    /// Records a list in the audit log, which has it as a whole, and keeps it until the client has read it.
    async fn audit_listing(&self, listing: &Listing, output: Output) -> Result<(), ApiError> {
        let Some(record) = audit::current().filter(|record| record.has(audit::Level::RequestResponse)) else {
            return Ok(());
        };
        let bytes = listing.bytes();
        if bytes > audit::MAX_BODY {
            record.truncate();
            return Ok(());
        }
        record.keep(self.state.in_flight.memory.to_audit(&self.grant.user.name, bytes).await?);
        let form = self.form(output)?;
        let answered = || lists::whole(listing.clone(), &form).map(|list| audit::answered(&list));
        self.state.in_flight.make(&self.grant.user.name, bytes, answered).await
    }
}
