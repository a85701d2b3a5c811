//! POST, PUT and PATCH.

use std::pin::pin;

use sprag_decode::yaml;
use sprag_registry::{Answer as Written, LIGHT};
use sprag_rest::{ApiError, Body, Format, OptionsKind, Patch, SubresourceKind, WriteOptions, meta, weight};
use sprag_value::Value;

use super::{Call, NO_NAME};
use crate::answer::{self, Answer};
use crate::audit;
use crate::body::{self, RequestBody};
use crate::memory;
use crate::negotiate::{self, Media, Output};
use crate::refuse;

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
pub(crate) const APPLY_PATCH: &str = "application/apply-patch+yaml";

impl Call<'_> {
    pub(super) async fn create(&self, body: &mut RequestBody) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let media = self.input()?;
        let body = body::read(self.state, &self.grant.user.name, body).await?;
        let options = self.query.write_options(self.state.registry.gates(), &self.agent());
        options.validate(OptionsKind::Create)?;
        let work = pin!(memory::decoding(async {
            let (object, mut warnings) = self.read(&body.bytes, media, &options).await?;
            self.audit_body(&object);
            let written = self.state.registry.create(&self.request(), object, &options).await;
            self.written(written, &mut warnings, output).await
        }));
        self.state.in_flight.run(&self.grant.user.name, body.bytes.len(), work).await
    }

    pub(super) async fn update(&self, body: &mut RequestBody) -> Result<Answer, ApiError> {
        let output = self.output()?;
        let media = self.input();
        let body = body::read(self.state, &self.grant.user.name, body).await?;
        let options = self.query.write_options(self.state.registry.gates(), &self.agent());
        options.validate(OptionsKind::Update)?;
        let work = pin!(memory::decoding(async {
            let (object, mut warnings) = self.read(&body.bytes, media?, &options).await?;
            self.audit_body(&object);
            let written = self.state.registry.update(&self.request(), object, &options).await;
            self.written(written, &mut warnings, output).await
        }));
        self.state.in_flight.run(&self.grant.user.name, body.bytes.len(), work).await
    }

    async fn read(&self, body: &[u8], media: Media, options: &WriteOptions) -> Result<(Body, Vec<String>), ApiError> {
        let memory = self.state.in_flight.memory.for_body(&self.grant.user.name, body.len()).await?;
        let registry = &self.state.registry;
        let request = self.request();
        let read = match media {
            Media::Json => registry.decode(&request, body, Format::Json, options)?,
            Media::Yaml => registry.decode(&request, body, Format::Yaml, options)?,
            Media::Protobuf => (registry.decode_protobuf(&request, body)?, Vec::new()),
        };
        if weight::of(read.0.object()) >= LIGHT {
            memory::keep_decoded(memory);
        }
        Ok(read)
    }

    fn audit_body(&self, body: &Body) {
        if let Some(record) = audit::current() {
            record.request_body(body, &self.definition, self.path.version, self.path.subresource);
        }
    }

    pub(super) async fn patch(&self, body: &mut RequestBody) -> Result<Answer, ApiError> {
        let content_type = negotiate::patch_type(self.headers);
        let accepted = self.patch_types();
        if !accepted.contains(&content_type) {
            // The reference's router lets lists of types pass.
            let has_route = self.definition.conventions.has_routes;
            let passes = !has_route || content_type.split(',').any(|part| accepted.contains(&part.trim()));
            return Err(if passes { refuse::unsupported_media_type(accepted) } else { refuse::unsupported_patch() });
        }
        if self.path.name.is_empty() {
            return Err(ApiError::bad_request(NO_NAME));
        }
        self.check_route()?;
        let output = self.output()?;
        let body = body::read(self.state, &self.grant.user.name, body).await?;
        let is_apply = content_type == APPLY_PATCH;
        let options = self.query.patch_options(self.state.registry.gates(), &self.agent(), is_apply);
        options.validate(if is_apply { OptionsKind::Apply } else { OptionsKind::Patch })?;
        let patch = match content_type {
            JSON_PATCH => Patch::Json(&body.bytes),
            MERGE_PATCH => Patch::Merge(&body.bytes),
            STRATEGIC_PATCH => Patch::Strategic(&body.bytes),
            _ => Patch::Apply(&body.bytes),
        };
        let work = pin!(async {
            audit_patch(&patch);
            let written = self.state.registry.patch(&self.request(), patch, &options).await;
            self.written(written, &mut Vec::new(), output).await
        });
        self.state.in_flight.run(&self.grant.user.name, body.bytes.len(), work).await
    }

    fn patch_types(&self) -> &'static [&'static str] {
        if self.definition.conventions.merges_strategically {
            &[JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]
        } else {
            &[JSON_PATCH, MERGE_PATCH, APPLY_PATCH]
        }
    }

    async fn written(
        &self,
        written: Result<Written, ApiError>,
        warnings: &mut Vec<String>,
        output: Output,
    ) -> Result<Answer, ApiError> {
        let written = written.map_err(|error| error.with_warnings(std::mem::take(warnings)))?;
        warnings.extend(written.warnings);
        let name = Some(self.path.name).filter(|name| !name.is_empty()).unwrap_or(meta::name(&written.object));
        if meta::get(&written.object, "deletionTimestamp").is_some() {
            // It may have been the last finalizer that went.
            self.state.after_delete(&self.definition, Some(name)).await;
        } else {
            self.state.after_write(&self.definition, Some(name)).await;
        }
        let code = if written.created { 201 } else { 200 };
        if let Some(line) = written.line.filter(|_| output.is_plain()).and_then(|line| line.to_bytes()) {
            self.audit_text(&line).await;
            return Ok(answer::encoded(code, line, output, &self.warnings(std::mem::take(warnings))));
        }
        match self.shown(written.object, output) {
            Ok(shown) => self.object(code, &shown, output, std::mem::take(warnings)).await,
            Err(error) => Err(error.with_warnings(std::mem::take(warnings))),
        }
    }

    /// The written object in the requested form.
    fn shown(&self, written: Value, output: Output) -> Result<Value, ApiError> {
        let lens = self.lens(output)?;
        if self.has_views() { lens.object(written) } else { Ok(written) }
    }

    /// True if the answer is an object that can be shown in other ways, not one that is only ever sent.
    fn has_views(&self) -> bool {
        let found = self.version().ok().and_then(|version| version.subresource(self.path.subresource));
        !matches!(found.map(|found| &found.kind), Some(SubresourceKind::Create(_) | SubresourceKind::Connect(_)))
    }
}

/// Records a patch in the audit log. One that cannot be read is refused, and is not in the log.
// As upstream's handlers.validateAndTranscodePatch.
fn audit_patch(patch: &Patch<'_>) {
    let Some(record) = audit::current().filter(|record| record.has(audit::Level::Request)) else { return };
    match patch {
        Patch::Apply(text) => {
            if let Ok(object) = yaml::decode(text) {
                record.request_object(&object);
            }
        }
        Patch::Json(text) | Patch::Merge(text) | Patch::Strategic(text) => record.request_patch(text),
    }
}
