//! GET of one object or of a list.

use sprag_registry::Listing;
use sprag_rest::ApiError;

use super::Call;
use crate::answer::{self, Answer};
use crate::audit;
use crate::lists::{self, Form};
use crate::negotiate::Output;

impl Call<'_> {
    pub(super) async fn get(&self) -> Result<Answer, ApiError> {
        let output = self.output()?;
        if self.query.switch("export") == Some(true) {
            return Err(ApiError::bad_request("the export parameter, deprecated since v1.14, is no longer supported"));
        }
        let (request, version) = (self.request(), self.query.text("resourceVersion"));
        if output.is_plain() {
            let text = self.state.registry.get_encoded(&request, version).await?;
            audit::answered_text(&text);
            return Ok(answer::encoded(200, text, output, &self.warnings(Vec::new())));
        }
        let object = self.state.registry.get(&request, version).await?;
        self.object(200, &self.lens(output)?.object(object)?, output, Vec::new())
    }

    pub(super) async fn list(&self) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let options = self.query.list_options()?;
        let listing = self.state.registry.listing(&self.request(), &options).await?;
        self.listing(listing, output, Vec::new())
    }

    /// An answer with a list in the form that was asked for.
    pub(super) fn listing(&self, listing: Listing, output: Output, warnings: Vec<String>) -> Result<Answer, ApiError> {
        let warnings = self.warnings(warnings);
        self.audit_listing(&listing, output)?;
        if output.is_plain() {
            return Ok(answer::encoded(200, lists::plain(listing)?, output, &warnings));
        }
        Ok(answer::encoded(200, lists::shown(listing, self.form(output)?)?, output, &warnings))
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

    /// Records a list in the audit log, which has it as a whole.
    fn audit_listing(&self, listing: &Listing, output: Output) -> Result<(), ApiError> {
        let Some(record) = audit::current().filter(|record| record.has(audit::Level::RequestResponse)) else {
            return Ok(());
        };
        if listing.bytes() > audit::MAX_BODY {
            record.truncate();
        } else {
            audit::answered(&lists::whole(listing.clone(), &self.form(output)?)?);
        }
        Ok(())
    }
}
