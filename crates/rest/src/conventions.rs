//! What upstream does differently for the kinds it has Go types for and for those that definitions define.

/// Facts in which built-in and custom resources differ; each is named after what it decides.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about upstream of its own")]
pub struct Conventions {
    /// The verbs of a resource in the order of discovery. Strategies may take the deletion of collections away.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.DiscoveryController.sync.
    pub verbs: &'static [&'static str],
    /// Objects are written with the members that a Go value always has, be they set or not: a new object, the text that a
    /// patch applies to, and bookmarks. Elsewhere objects are written as they are.
    // Built-in: runtime.Scheme.New and serializer/json.Serializer.Encode, of Go structs.
    // Custom: apiserver.unstructuredCreator.New and unstructured.Unstructured.MarshalJSON.
    pub writes_zero_values: bool,
    /// An update with an empty list of `managedFields` resets ownership. Elsewhere the empty list counts as none.
    // Built-in: managedfields/internal.isResetManagedFields. Custom: schema/objectmeta.SetObjectMeta drops the empty list first.
    pub empty_managed_fields_reset: bool,
    /// An object of another kind is refused before its strategy sees it. Elsewhere validation refuses it, with all else that is
    /// wrong.
    // Built-in: serializer/versioning.codec.Decode. Custom: customresource.customResourceValidator.ValidateTypeMeta.
    pub refuses_other_kinds_early: bool,
    /// Errors about an invalid object name the kind and group that the object itself says. Elsewhere they name those of the
    /// resource.
    // Built-in: runtime.Scheme.ObjectKinds. Custom: crdserverscheme.UnstructuredObjectTyper.ObjectKinds.
    pub errors_name_sent_type: bool,
    /// A body that does not say its kind or version is taken for one of the resource. Elsewhere it is refused.
    // Built-in: serializer/json.Serializer.Decode into a Go type. Custom: the same into unstructured content.
    pub type_may_be_missing: bool,
    /// Reading the text of an object refuses types that the resource has no conversion from. Elsewhere a text may say any type,
    /// and what judges the object finds it.
    // Built-in: runtime.Scheme.ConvertToVersion. Custom: apiserver.schemaCoercingDecoder.Decode.
    pub decoder_refuses_other_types: bool,
    /// The type of a `Scale` is known where errors of decoding look for it. Elsewhere whatever is wrong with the body of a
    /// `Scale` is answered by the error that its type is not known.
    // Built-in: runtime.Scheme.ObjectKinds of legacyscheme.Scheme.
    // Custom: apiserver.UnstructuredObjectTyper.ObjectKinds, asked by handlers.transformDecodeError.
    pub registers_scale: bool,
    /// Lists have `continue` in their metadata even when nothing follows, as an empty text.
    // Built-in: the JSON tag of meta/v1.ListMeta.Continue. Custom: unstructured.UnstructuredList.SetContinue.
    pub lists_always_say_continue: bool,
    /// The items of lists say their version and kind. Elsewhere only the list does.
    // Built-in: runtime.setTargetKind. Custom: unstructured.UnstructuredList.MarshalJSON.
    pub list_items_say_type: bool,
    /// Objects are pruned and completed again whenever they come from the store, so that a write is answered with what that makes
    /// of the stored object. Elsewhere it is answered with the object that was judged.
    // Built-in: generic/registry.Store.Create and Update. Custom: apiserver.crdConversionRESTOptionsGetter.GetRESTOptions.
    pub coerces_stored_objects: bool,
    /// The kind says itself which fields selectors may name, even if there are none of its own. Elsewhere a kind without selectable
    /// fields leaves it to the machinery, whose error about an unknown field lists the known ones.
    // Built-in: runtime.DefaultMetaV1FieldSelectorConversion. Custom: conversion.crConverter.ConvertFieldLabel.
    pub has_field_label_conversion: bool,
    /// Aggregated discovery sorts subresources by name. Elsewhere they are in the order of their declaration.
    // Built-in: endpoints.APIInstaller.Install. Custom: apiserver.DiscoveryController.sync.
    pub sorts_subresources: bool,
    /// Aggregated discovery says group and version of every kind. Elsewhere it leaves them out for the version it describes.
    // Built-in: endpoints.ConvertGroupVersionIntoToDiscovery. Custom: apiserver.DiscoveryController.sync.
    pub response_kinds_are_qualified: bool,
    /// Discovery has the hash of the storage version even when that is not served.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.DiscoveryController.sync.
    pub hashes_unserved_version: bool,
    /// API documents name a schema after the Go package of its type. Elsewhere they name it after its group, backwards.
    // Built-in: openapi.DefinitionNamer.GetDefinitionName. Custom: builder.CRDCanonicalTypeNamer.OpenAPICanonicalTypeName.
    pub openapi_names_packages: bool,
    /// API documents have the schema as its author wrote it. Elsewhere they have what the shape of the type says.
    // Built-in: generated/openapi.GetOpenAPIDefinitions. Custom: builder.buildKubeNative.
    pub openapi_schemas_are_written: bool,
    /// Title and version of API documents that have nothing but such resources. All others have those of the server, and say how
    /// clients authenticate.
    // Built-in: server.DefaultOpenAPIV3Config. Custom: builder.getOpenAPIV3Config.
    pub openapi_info: Option<[&'static str; 2]>,
    /// In API documents, operations on a subresource are about the kind of the resource. Elsewhere they are about the kind that they
    /// exchange.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.buildRoute.
    pub openapi_names_parent_kind: bool,
    /// In API documents, the operation that lists says by its text and media types that it watches, too.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.buildRoute.
    pub openapi_lists_watch: bool,
    /// In API documents, operations say which media types their bodies have. Elsewhere they take any.
    // Built-in: endpoints.APIInstaller.newWebService. Custom: builder.buildRoute.
    pub openapi_says_body_types: bool,
    /// In API documents, deleting a collection takes the parameters and the body of deletes. Elsewhere it takes the parameters of lists.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.buildRoute.
    pub openapi_collections_take_options: bool,
    /// In API documents, reading an object takes a resource version.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.buildRoute.
    pub openapi_reads_take_version: bool,
    /// In API documents, a patch may be answered with the code of a creation.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: builder.buildRoute.
    pub openapi_patches_create: bool,
    /// Strategic merge patches are accepted.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.crdHandler.ServeHTTP.
    pub merges_strategically: bool,
    /// Requests come by routes of path, method and media types: what has none is refused by the router, and no definition can take
    /// the place of the resource. Elsewhere one handler takes all requests below the resource and goes by their verb.
    // Built-in: endpoints.APIInstaller.registerResourceHandlers. Custom: apiserver.crdHandler.ServeHTTP.
    pub has_routes: bool,
    /// Refusals of verbs and of missing subresources name the resource. Elsewhere they are the answers of the router.
    // Built-in: server.serviceErrorHandler. Custom: apiserver.crdHandler.ServeHTTP and serveResource.
    pub refusals_name_resource: bool,
    /// Tables begin with the name of the object, whatever columns are declared. Elsewhere a declared column may be the name.
    // Built-in: printers/internalversion.AddHandlers. Custom: tableconvertor.New.
    pub tables_begin_with_name: bool,
    /// The Go type of objects as errors print it. None for the type that has the name of the kind, in the package of the group.
    // Built-in: the internal types of pkg/apis. Custom: unstructured.Unstructured. Printed by handlers.asPartialObjectMetadata.
    pub go_type: Option<&'static str>,
}

impl Conventions {
    /// The conventions of kinds that have a type: those of Kubernetes, of folders of types, and of definitions themselves.
    pub const BUILT_IN: Conventions = Conventions {
        verbs: &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        writes_zero_values: true,
        empty_managed_fields_reset: true,
        refuses_other_kinds_early: true,
        errors_name_sent_type: false,
        type_may_be_missing: true,
        decoder_refuses_other_types: true,
        registers_scale: true,
        lists_always_say_continue: false,
        list_items_say_type: false,
        coerces_stored_objects: false,
        has_field_label_conversion: false,
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
        merges_strategically: true,
        has_routes: true,
        refusals_name_resource: false,
        tables_begin_with_name: false,
        go_type: None,
    };

    /// The conventions of kinds that a `CustomResourceDefinition` defines.
    pub const CUSTOM: Conventions = Conventions {
        verbs: &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
        writes_zero_values: false,
        empty_managed_fields_reset: false,
        refuses_other_kinds_early: false,
        errors_name_sent_type: true,
        type_may_be_missing: false,
        decoder_refuses_other_types: false,
        registers_scale: false,
        lists_always_say_continue: true,
        list_items_say_type: true,
        coerces_stored_objects: true,
        has_field_label_conversion: true,
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
        merges_strategically: false,
        has_routes: false,
        refusals_name_resource: true,
        tables_begin_with_name: true,
        go_type: Some("unstructured.Unstructured"),
    };
}

#[cfg(test)]
mod tests {
    use super::Conventions;

    const ARCHITECTURE: &str = include_str!("../../../ARCHITECTURE.md");

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
            verbs,
            writes_zero_values,
            empty_managed_fields_reset,
            refuses_other_kinds_early,
            errors_name_sent_type,
            type_may_be_missing,
            decoder_refuses_other_types,
            registers_scale,
            lists_always_say_continue,
            list_items_say_type,
            coerces_stored_objects,
            has_field_label_conversion,
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
            merges_strategically,
            has_routes,
            refusals_name_resource,
            tables_begin_with_name,
            go_type
        ]
    }

    /// The rows of the table in the architecture: fact, built-in, custom, upstream's symbols.
    fn documented() -> Vec<Vec<&'static str>> {
        let (_, section) = ARCHITECTURE.split_once("\n## Conventions\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        rows.map(|row| row.trim_end_matches(" |").split(" | ").collect()).collect()
    }

    #[test]
    fn the_architecture_lists_every_fact_as_it_is() {
        let (built_in, custom) = (facts(&Conventions::BUILT_IN), facts(&Conventions::CUSTOM));
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
        let (built_in, custom) = (facts(&Conventions::BUILT_IN), facts(&Conventions::CUSTOM));
        assert!(built_in.iter().zip(&custom).all(|(built_in, custom)| built_in != custom));
    }
}
