//! The kinds every cluster has: namespaces, config maps, secrets, events, service accounts, leases, roles and bindings.
