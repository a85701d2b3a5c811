//! The request body, and the new object computed from it and the stored one.

use sprag_decode::typed::Unprinted;
use sprag_value::{Value, json};

use super::patch::{Applied, Patch};
use super::scale::ScaleChange;
use super::{Write, drop_repeated_owners};
use crate::allocate::Taken;
use crate::body::{Body, Parts};
use crate::error::{ApiError, Result};
use crate::meta;
use crate::options::{DeleteOptions, OptionsKind, WriteOptions};
use crate::strategy::Strategy;
use crate::subresource::SubresourceKind;
use crate::weight;

/// The request body, decoded once per request even if the write is retried.
pub struct Input<'a> {
    content: Content<'a>,
    options: &'a WriteOptions,
    /// True if the scheme read the object, so that it has nothing which is not read back.
    is_pruned: bool,
    /// Values that rules see but that are not serialized.
    unprinted: Vec<Unprinted>,
    /// Warnings that are sent whatever becomes of the write.
    warnings: Vec<String>,
    /// True if the system fields of the object are wiped already: plug-ins may set them after that.
    is_wiped: bool,
}

enum Content<'a> {
    /// A whole object, checked and complete.
    Object(Value),
    /// The body of a subresource that changes its parent, as `pods/binding` is.
    Below(Below),
    /// A `Scale`.
    Scale(Value),
    Patch(Patch<'a>),
    Applied(Applied),
    /// A change that the server itself makes.
    Change {
        change: &'a (dyn Fn(&mut Value) + Send + Sync),
        uid: &'a str,
    },
}

/// A body of a [`CreateSubresource`](crate::CreateSubresource).
struct Below {
    body: Value,
    bypasses_strategy: bool,
    /// The options with which the parent is deleted once it was changed.
    delete: Option<DeleteOptions>,
}

/// The object that a write makes, in the version of the request.
#[derive(Clone, Debug)]
pub struct Read {
    /// The object.
    pub object: Value,
    /// Warnings that are sent whether the write succeeds or not.
    pub warnings: Vec<String>,
    /// The values that other objects hold, where the kind has an [`Allocator`](crate::Allocator).
    pub taken: Taken,
    /// True if the object has nothing which is not read back.
    pub(super) is_pruned: bool,
    /// Values that rules see but that are not serialized.
    pub(super) unprinted: Vec<Unprinted>,
    /// The `Scale` that the write changes, where it is one of `/scale`.
    pub scale: Option<Scaled>,
}

/// A `Scale` of an object.
#[derive(Clone, Debug)]
pub struct Scaled {
    /// As the stored object has it.
    pub old: Value,
    /// As it is to be.
    pub new: Value,
}

impl<'a> Input<'a> {
    /// A change that the server itself makes to the object with a uid.
    pub fn change(
        change: &'a (dyn Fn(&mut Value) + Send + Sync),
        uid: &'a str,
        options: &'a WriteOptions,
    ) -> Input<'a> {
        Input::new(Content::Change { change, uid }, options)
    }

    fn new(content: Content<'a>, options: &'a WriteOptions) -> Input<'a> {
        Input { content, options, is_pruned: false, unprinted: Vec::new(), warnings: Vec::new(), is_wiped: false }
    }

    /// The options of the request.
    pub fn options(&self) -> &'a WriteOptions {
        self.options
    }

    /// True for a patch, a server-side apply included.
    pub fn is_patch(&self) -> bool {
        matches!(self.content, Content::Patch(_) | Content::Applied(_))
    }

    /// The name that the object has so far; empty when it is to be generated.
    pub fn name(&self) -> &str {
        match &self.content {
            Content::Object(body) => meta::name(body),
            _ => "",
        }
    }

    /// The memory that work on what was sent takes, in bytes.
    pub fn weight(&self) -> usize {
        match &self.content {
            Content::Object(body) | Content::Scale(body) => weight::of(body),
            Content::Below(below) => weight::of(&below.body),
            Content::Applied(applied) => weight::of(&applied.object),
            Content::Patch(patch) => weight::of_text(patch.text()),
            Content::Change { .. } => 0,
        }
    }

    /// The uid that the stored object must have; empty for any.
    pub fn uid(&self) -> &str {
        match &self.content {
            Content::Object(body) | Content::Scale(body) => meta::uid(body),
            Content::Below(below) if below.delete.is_none() => meta::uid(&below.body),
            Content::Change { uid, .. } => uid,
            Content::Patch(_) | Content::Applied(_) | Content::Below(_) => "",
        }
    }

    /// The resource version that the stored object must have, whatever the strategy says; empty for any.
    pub fn resource_version(&self) -> &str {
        match &self.content {
            Content::Below(below) if below.delete.is_none() => meta::text(&below.body, "resourceVersion"),
            _ => "",
        }
    }

    /// The options with which the object is deleted once it was changed, if the request asks for that.
    pub fn delete(&self) -> Option<&DeleteOptions> {
        match &self.content {
            Content::Below(below) => below.delete.as_ref(),
            _ => None,
        }
    }

    /// True if the changed object is stored as it is.
    pub(super) fn bypasses_strategy(&self) -> bool {
        matches!(&self.content, Content::Below(below) if below.bypasses_strategy)
    }

    /// Warnings that are sent whatever becomes of the write.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// True if the resource version may be left out whatever the strategy says: the client did not send the object.
    pub(super) fn is_unconditional(&self) -> bool {
        matches!(self.content, Content::Below(_) | Content::Scale(_) | Content::Change { .. })
    }

    /// True if the system fields of a new object are wiped already.
    pub(super) fn is_wiped(&self) -> bool {
        self.is_wiped
    }

    /// True if the server itself makes the change, beside the strategy of the resource.
    pub(super) fn is_by_server(&self) -> bool {
        matches!(self.content, Content::Change { .. }) || self.delete().is_some()
    }
}

impl Write<'_> {
    /// Reads the body of a create.
    pub fn create_input<'i>(&self, body: impl Into<Body>, options: &'i WriteOptions) -> Result<Input<'i>> {
        let Parts { object: mut body, unprinted, is_read: is_pruned } = body.into().into_parts(&self.info);
        options.validate(OptionsKind::Create)?;
        if !self.request.subresource.is_empty() {
            return self.below_input(body, options);
        }
        self.check_version(&body)?;
        self.check_kind(&body)?;
        let warnings = Vec::from_iter(drop_repeated_owners(&mut body, "")?);
        meta::make_room(&mut body);
        meta::match_namespace(&mut body, self.namespace())?;
        meta::wipe_system_fields(&mut body);
        self.complete(&mut body, &unprinted)?;
        Ok(Input { content: Content::Object(body), options, is_pruned, unprinted, warnings, is_wiped: true })
    }

    /// Reads the body of an update.
    pub fn update_input<'i>(&self, body: impl Into<Body>, options: &'i WriteOptions) -> Result<Input<'i>> {
        let Parts { object: mut body, unprinted, is_read: is_pruned } = body.into().into_parts(&self.info);
        options.validate(OptionsKind::Update)?;
        match self.subresource()?.map(|subresource| &subresource.kind) {
            None | Some(SubresourceKind::Part(_)) => {}
            Some(SubresourceKind::Scale(_)) => {
                meta::match_namespace(&mut body, self.namespace())?;
                self.check_name(&body)?;
                return Ok(Input::new(Content::Scale(body), options));
            }
            Some(_) => return Err(ApiError::method_not_supported(&self.definition().resource, "update")),
        }
        self.check_version(&body)?;
        meta::make_room(&mut body);
        meta::match_namespace(&mut body, self.namespace())?;
        self.check_name(&body)?;
        self.check_kind(&body)?;
        let warnings = Vec::from_iter(drop_repeated_owners(&mut body, "")?);
        self.complete(&mut body, &unprinted)?;
        Ok(Input { content: Content::Object(body), options, is_pruned, unprinted, warnings, is_wiped: false })
    }

    /// Reads a patch.
    pub fn patch_input<'i>(&self, patch: Patch<'i>, options: &'i WriteOptions) -> Result<Input<'i>> {
        let is_apply = matches!(patch, Patch::Apply(_));
        options.validate(if is_apply { OptionsKind::Apply } else { OptionsKind::Patch })?;
        let content = match patch {
            Patch::Apply(text) => Content::Applied(Applied::read(self.context.gates.release(), text)?),
            patch => Content::Patch(patch),
        };
        if let Some(SubresourceKind::Create(_) | SubresourceKind::Connect(_)) =
            self.subresource()?.map(|subresource| &subresource.kind)
        {
            return Err(ApiError::method_not_supported(&self.definition().resource, "patch"));
        }
        Ok(Input { is_pruned: !is_apply, ..Input::new(content, options) })
    }

    /// Reads the body of a subresource that changes its parent.
    fn below_input<'i>(&self, mut body: Value, options: &'i WriteOptions) -> Result<Input<'i>> {
        let Some(SubresourceKind::Create(sub)) = self.subresource()?.map(|subresource| &subresource.kind) else {
            return Err(ApiError::method_not_supported(&self.definition().resource, "create"));
        };
        meta::make_room(&mut body);
        meta::match_namespace(&mut body, self.namespace())?;
        self.guarded(|| sub.check(&self.cx(), &body))??;
        let delete = self.guarded(|| sub.deletes_parent(&self.cx(), &body, options))??;
        let below = Below { body, bypasses_strategy: sub.bypasses_strategy(), delete };
        Ok(Input::new(Content::Below(below), options))
    }

    /// Reports whether the write may create the object.
    pub fn allows_create(&self, input: &Input<'_>) -> Result<bool> {
        let allows = || self.update_strategy().map(Strategy::allow_create_on_update);
        match (&input.content, self.subresource()?.map(|subresource| &subresource.kind)) {
            (Content::Applied(_), None) => Ok(true),
            // As upstream's StatusREST.Update, which has the strategy of the object decide about parts of it, too.
            (Content::Object(_), None) | (Content::Object(_) | Content::Applied(_), Some(SubresourceKind::Part(_))) => {
                allows()
            }
            _ => Ok(false),
        }
    }

    /// Makes the new object of the old one, both in the version of the request; of nothing when it is created.
    pub fn read(&self, input: &Input<'_>, old: Option<&Value>) -> Result<Read> {
        let mut read = Read {
            object: Value::Null,
            warnings: Vec::new(),
            taken: Taken::default(),
            is_pruned: input.is_pruned,
            unprinted: input.unprinted.clone(),
            scale: None,
        };
        match self.new_object(input, old, &mut read) {
            Ok(object) => Ok(Read { object, ..read }),
            Err(error) => Err(error.with_warnings(read.warnings)),
        }
    }

    /// Takes over the `Scale` that a mutating plug-in made of the one that was read.
    pub fn read_mutated_scale(&self, parent: &Value, scale: &Value, read: &mut Read) -> Result<()> {
        let Some(SubresourceKind::Scale(paths)) = self.subresource()?.map(|subresource| &subresource.kind) else {
            return Ok(());
        };
        read.object = self.rescaled(parent, paths, scale)?;
        if let Some(scaled) = &mut read.scale {
            scaled.new = scale.clone();
        }
        Ok(())
    }

    /// Reads the object again as a mutating plug-in changed it: what the version does not know is dropped, and defaults are
    /// set.
    pub fn read_mutated(&self, object: &Value, read: &mut Read) -> Result<()> {
        let mutated = self.read_patched(&json::to_string(object), false).map_err(ApiError::internal)?;
        (read.object, read.unprinted, read.is_pruned) = (mutated.value, mutated.unprinted, true);
        self.complete(&mut read.object, &read.unprinted)
    }

    fn new_object(&self, input: &Input<'_>, old: Option<&Value>, read: &mut Read) -> Result<Value> {
        let options = input.options;
        let subresource = self.subresource()?.map(|subresource| &subresource.kind);
        let existing = || old.ok_or_else(|| self.not_found());
        if let Some(SubresourceKind::Scale(paths)) = subresource {
            let change = match &input.content {
                Content::Patch(patch) => ScaleChange::Patch(*patch),
                Content::Applied(applied) => ScaleChange::Applied(applied),
                Content::Scale(body) | Content::Object(body) => ScaleChange::Replace(body),
                Content::Change { .. } | Content::Below(_) => {
                    return Err(ApiError::method_not_supported(&self.definition().resource, "update"));
                }
            };
            let scaled = self.scaled(existing()?, paths, &change, options, &mut read.warnings)?;
            let changed = self.rescaled(existing()?, paths, &scaled.new)?;
            read.scale = Some(scaled);
            return Ok(changed);
        }
        match &input.content {
            Content::Object(body) | Content::Scale(body) => Ok(self.owned(old, body.clone(), options)),
            Content::Patch(patch) => {
                let (object, hidden) = self.patched(existing()?, *patch, options, &mut read.warnings)?;
                read.unprinted = hidden;
                Ok(object)
            }
            Content::Applied(applied) => {
                let (object, hidden) = self.applied(old, applied, options, &mut read.warnings)?;
                read.unprinted = hidden;
                Ok(object)
            }
            Content::Change { change, .. } => {
                let mut new = existing()?.clone();
                change(&mut new);
                Ok(new)
            }
            Content::Below(below) => {
                let Some(SubresourceKind::Create(sub)) = subresource else {
                    return Err(ApiError::method_not_supported(&self.definition().resource, "create"));
                };
                let mut parent = existing()?.clone();
                self.guarded(|| sub.apply(&self.cx(), &below.body, &mut parent))??;
                let is_owned = !below.bypasses_strategy && below.delete.is_none();
                Ok(if is_owned { self.owned(old, parent, options) } else { parent })
            }
        }
    }
}
