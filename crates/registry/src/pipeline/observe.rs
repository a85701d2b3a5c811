//! Reading objects that are never stored.

use sprag_rest::{ApiError, GroupResource, ListOptions, Observe, Result, Unstored, meta};
use sprag_value::Value;

use super::list::List;
use crate::cache::Selection;
use crate::registry::Target;

impl Target<'_> {
    /// Returns the observer of this resource's objects; `None` if they are stored.
    pub(super) fn observer(&self) -> Option<&dyn Observe> {
        match &self.definition().unstored {
            Some(Unstored::Observed(observer)) => Some(&**observer),
            _ => None,
        }
    }

    /// The object of the request's name.
    pub(super) async fn observe(&self, observer: &dyn Observe) -> Result<Value> {
        let name = self.write.request.name;
        // As upstream's componentstatus.REST.Get, whose error has the singular name.
        let missing = || ApiError::not_found(&GroupResource::new("", self.definition().singular.as_str()), name);
        observer.observe(Some(name)).await.pop().ok_or_else(missing)
    }

    /// The objects that the selectors pick. Limits and resource versions mean nothing here.
    pub(super) async fn observe_list(&self, observer: &dyn Observe, options: &ListOptions) -> Result<List> {
        let ListOptions { label_selector, field_selector, .. } = options;
        let selection =
            Selection::parse(self.definition(), self.write.request.version, label_selector, field_selector)?;
        let mut items = observer.observe(None).await;
        items.retain(|object| selection.picks_metadata(object));
        Ok(List { items, ..self.empty_list() })
    }
}

impl Selection {
    /// Reports whether it picks an object that has no selectable fields but its name and namespace.
    fn picks_metadata(&self, object: &Value) -> bool {
        let label = |name: &str| meta::get(object, "labels")?.get(name)?.as_str();
        let field = |name: &str| match name {
            "metadata.name" => meta::name(object),
            _ => meta::namespace(object),
        };
        self.labels.matches(label) && self.fields.matches(field)
    }
}
