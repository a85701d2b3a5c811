//! Differences between upstream's built-in and custom resources.
//!
//! Upstream's symbols are named by package. `apiserver`, `builder`, `conversion`, `crdserverscheme`, `customresource`,
//! `schema/objectmeta` and `tableconvertor` are of `k8s.io/apiextensions-apiserver`; `endpoints`, `generic/registry`,
//! `handlers`, `openapi` and `server` of `k8s.io/apiserver`; `managedfields/internal`, `meta/v1`, `runtime`,
//! `serializer/…` and `unstructured` of `k8s.io/apimachinery`; `generated/openapi` and `printers/…` of `k8s.io/kubernetes`.

/// Facts in which built-in and custom resources differ, each named after what it decides.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about upstream of its own")]
pub struct Conventions {
    /// A body that does not say its kind is taken for one of the kind of the resource. Elsewhere it is refused.
    // Built-in: serializer/json.Serializer.Decode. Custom: unstructured.unstructuredJSONScheme.Decode.
    pub type_may_be_missing: bool,
    /// Decoding refuses an object of a type that has no conversion to that of the resource. Elsewhere an object may
    /// say any type until it is judged.
    // Built-in: serializer/versioning.codec.Decode. Custom: apiserver.schemaCoercingDecoder.Decode.
    pub decoder_refuses_other_types: bool,
    /// An object of another kind is refused before the strategy sees it. Elsewhere validation refuses it, beside
    /// everything else that is wrong.
    // Built-in: runtime.Scheme.ConvertToVersion. Custom: customresource.customResourceValidator.ValidateTypeMeta.
    pub refuses_other_kinds_early: bool,
    /// Errors about an object name the kind and group that the object says. Elsewhere they name those of the resource.
    // Built-in: runtime.Scheme.ObjectKinds. Custom: crdserverscheme.UnstructuredObjectTyper.ObjectKinds.
    pub errors_name_sent_type: bool,
    /// The type of a `Scale` is known to the code that words decoding errors. Elsewhere every error in the body of a
    /// `Scale` is answered by the one that its type is not registered.
    // Built-in: runtime.Scheme.ObjectKinds. Custom: apiserver.UnstructuredObjectTyper.ObjectKinds.
    pub registers_scale: bool,
    /// Strategic merge patches are accepted.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.crdHandler.ServeHTTP.
    pub merges_strategically: bool,
    /// Objects are written with the members that a Go value always has: new objects, the text that a patch applies to,
    /// bookmarks. Elsewhere they are written as they are.
    // Built-in: runtime.Scheme.New and serializer/json.Serializer.Encode. Custom: apiserver.unstructuredCreator.New
    // and unstructured.Unstructured.MarshalJSON.
    pub writes_zero_values: bool,
    /// An update with an empty list of `managedFields` resets ownership. Elsewhere the empty list is dropped before
    /// anybody looks at it.
    // Built-in: managedfields/internal.isResetManagedFields. Custom: schema/objectmeta.SetObjectMeta.
    pub empty_managed_fields_reset: bool,

    /// Stored objects are pruned and completed when they are read, and a write is answered with what reading its
    /// object yields. Elsewhere it is answered with the object that was judged.
    // Built-in: generic/registry.Store.Create and generic/registry.Store.Update. Custom:
    // apiserver.crdConversionRESTOptionsGetter.GetRESTOptions.
    pub coerces_stored_objects: bool,
    /// Lists have `continue` in their metadata even when nothing follows, as an empty text.
    // Built-in: meta/v1.ListMeta.Continue. Custom: unstructured.UnstructuredList.SetContinue.
    pub lists_always_say_continue: bool,
    /// Items of lists say their version and kind. Elsewhere only the list does.
    // Built-in: runtime.setTargetKind. Custom: unstructured.UnstructuredList.MarshalJSON.
    pub list_items_say_type: bool,
    /// A kind without selectable fields refuses unknown fields in selectors by itself. Elsewhere the machinery does,
    /// and its error lists the known ones.
    // Built-in: runtime.DefaultMetaV1FieldSelectorConversion. Custom: conversion.crConverter.ConvertFieldLabel.
    pub has_field_label_conversion: bool,

    /// The verbs of a resource, in the order of discovery. A strategy may take the deletion of collections away.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.DiscoveryController.sync.
    pub verbs: &'static [&'static str],
    /// Aggregated discovery sorts subresources by name. Elsewhere they have the order of their declaration.
    // Built-in: endpoints.APIInstaller.Install. Custom: apiserver.DiscoveryController.sync.
    pub sorts_subresources: bool,
    /// Aggregated discovery says group and version of every kind. Elsewhere it leaves out those of the resource
    /// itself.
    // Built-in: endpoints.ConvertGroupVersionIntoToDiscovery. Custom: apiserver.DiscoveryController.sync.
    pub response_kinds_are_qualified: bool,
    /// Discovery has the hash of the storage version even when that version is not served.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.DiscoveryController.sync.
    pub hashes_unserved_version: bool,

    /// Schemas are named after the Go package of the type. Elsewhere they are named after the group, backwards.
    // Built-in: openapi.DefinitionNamer.GetDefinitionName. Custom:
    // builder.CRDCanonicalTypeNamer.OpenAPICanonicalTypeName.
    pub openapi_names_packages: bool,
    /// Schemas are what the author of the definition wrote. Elsewhere they are made of the shape of the type.
    // Built-in: generated/openapi.GetOpenAPIDefinitions. Custom: builder.builder.buildKubeNative.
    pub openapi_schemas_are_written: bool,
    /// Title and version of a document that has only such resources. A document with any other has those of the
    /// server, and says how clients authenticate.
    // Built-in: server.DefaultOpenAPIV3Config. Custom: builder.builder.getOpenAPIV3Config.
    pub openapi_info: Option<[&'static str; 2]>,
    /// Operations on a subresource are about the kind of the resource. Elsewhere they are about the kind that they
    /// exchange.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.builder.buildRoute.
    pub openapi_names_parent_kind: bool,
    /// The operation that lists says by its text and its media types that it also watches.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.builder.buildRoute.
    pub openapi_lists_watch: bool,
    /// Operations say which media types their bodies have. Elsewhere they take any.
    // Built-in: endpoints.APIInstaller.newWebService. Custom: builder.builder.buildRoute.
    pub openapi_says_body_types: bool,
    /// Deleting a collection takes parameters and body of a delete. Elsewhere it takes the parameters of a list.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.builder.buildRoute.
    pub openapi_collections_take_options: bool,
    /// Reading an object takes a resource version.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.builder.buildRoute.
    pub openapi_reads_take_version: bool,
    /// A patch may be answered with the code of a creation.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.builder.buildRoute.
    pub openapi_patches_create: bool,

    /// Requests come by routes of path, method and media type: the router refuses all others, and no definition takes
    /// the place of the resource. Elsewhere one handler takes all requests and goes by their verb.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.crdHandler.ServeHTTP.
    pub has_routes: bool,
    /// Refusals of verbs and of missing subresources name the resource. Elsewhere they are the texts of the router.
    // Built-in: server.serviceErrorHandler. Custom: apiserver.crdHandler.ServeHTTP and
    // apiserver.crdHandler.serveResource.
    pub refusals_name_resource: bool,
    /// Tables begin with the name, whatever columns are declared. Elsewhere a declared column may be the name.
    // Built-in: printers/internalversion.AddHandlers. Custom: tableconvertor.New.
    pub tables_begin_with_name: bool,
    /// The Go type of objects as errors print it. None for the type of the kind's own name, in the package of the
    /// group.
    // Both: handlers.asPartialObjectMetadata.
    pub go_type: Option<&'static str>,
}

impl Conventions {
    /// The conventions of kinds that have a type: Kubernetes' own, folders of types, and definitions themselves.
    pub const BUILT_IN: Conventions = Conventions {
        type_may_be_missing: true,
        decoder_refuses_other_types: true,
        refuses_other_kinds_early: true,
        errors_name_sent_type: false,
        registers_scale: true,
        merges_strategically: true,
        writes_zero_values: true,
        empty_managed_fields_reset: true,
        coerces_stored_objects: false,
        lists_always_say_continue: false,
        list_items_say_type: false,
        has_field_label_conversion: false,
        verbs: &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        sorts_subresources: true,
        response_kinds_are_qualified: false,
        hashes_unserved_version: true,
        openapi_names_packages: true,
        openapi_schemas_are_written: false,
        openapi_info: None,
        openapi_names_parent_kind: false,
        openapi_lists_watch: true,
        openapi_says_body_types: false,
        openapi_collections_take_options: true,
        openapi_reads_take_version: false,
        openapi_patches_create: true,
        has_routes: true,
        refusals_name_resource: false,
        tables_begin_with_name: false,
        go_type: None,
    };

    /// The conventions of kinds that a `CustomResourceDefinition` defines.
    pub const CUSTOM: Conventions = Conventions {
        type_may_be_missing: false,
        decoder_refuses_other_types: false,
        refuses_other_kinds_early: false,
        errors_name_sent_type: true,
        registers_scale: false,
        merges_strategically: false,
        writes_zero_values: false,
        empty_managed_fields_reset: false,
        coerces_stored_objects: true,
        lists_always_say_continue: true,
        list_items_say_type: true,
        has_field_label_conversion: true,
        verbs: &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        sorts_subresources: false,
        response_kinds_are_qualified: true,
        hashes_unserved_version: false,
        openapi_names_packages: false,
        openapi_schemas_are_written: true,
        openapi_info: Some(["Kubernetes CRD Swagger", "v0.1.0"]),
        openapi_names_parent_kind: true,
        openapi_lists_watch: false,
        openapi_says_body_types: true,
        openapi_collections_take_options: false,
        openapi_reads_take_version: true,
        openapi_patches_create: false,
        has_routes: false,
        refusals_name_resource: true,
        tables_begin_with_name: true,
        go_type: Some("unstructured.Unstructured"),
    };
}

#[cfg(test)]
mod tests {
    use super::Conventions;

    const PAGE: &str = include_str!("conventions.md");

    /// The names and values of all facts.
    fn facts(conventions: &Conventions) -> Vec<(&'static str, String)> {
        macro_rules! facts {
            ($($name:ident),* $(,)?) => {{
                // Without `..`: a fact that is not listed here does not compile.
                let Conventions { $($name),* } = conventions;
                vec![$((stringify!($name), format!("`{:?}`", $name))),*]
            }};
        }
        facts![
            type_may_be_missing,
            decoder_refuses_other_types,
            refuses_other_kinds_early,
            errors_name_sent_type,
            registers_scale,
            merges_strategically,
            writes_zero_values,
            empty_managed_fields_reset,
            coerces_stored_objects,
            lists_always_say_continue,
            list_items_say_type,
            has_field_label_conversion,
            verbs,
            sorts_subresources,
            response_kinds_are_qualified,
            hashes_unserved_version,
            openapi_names_packages,
            openapi_schemas_are_written,
            openapi_info,
            openapi_names_parent_kind,
            openapi_lists_watch,
            openapi_says_body_types,
            openapi_collections_take_options,
            openapi_reads_take_version,
            openapi_patches_create,
            has_routes,
            refusals_name_resource,
            tables_begin_with_name,
            go_type
        ]
    }

    /// The rows of the table in the page beside this file: fact, built-in, custom, upstream's symbols.
    fn documented() -> Vec<Vec<&'static str>> {
        let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| row.trim_end_matches(" |").split(" | ").collect()).collect()
    }

    #[test]
    fn the_page_lists_every_fact_as_it_is() {
        let built_in = facts(&Conventions::BUILT_IN);
        let custom = facts(&Conventions::CUSTOM);
        let actual: Vec<Vec<String>> = built_in
            .into_iter()
            .zip(custom)
            .map(|((name, built_in), (_, custom))| vec![format!("{name}`"), built_in, custom])
            .collect();
        assert_eq!(actual, documented().iter().map(|row| row[..3].to_vec()).collect::<Vec<_>>());
        assert!(
            documented().iter().all(|row| row.len() == 4 && row[3].contains('`')),
            "upstream's symbols are missing"
        );
    }

    #[test]
    fn every_fact_tells_the_two_apart() {
        let built_in = facts(&Conventions::BUILT_IN);
        let custom = facts(&Conventions::CUSTOM);
        assert!(built_in.iter().zip(&custom).all(|(built_in, custom)| built_in != custom));
    }
}
