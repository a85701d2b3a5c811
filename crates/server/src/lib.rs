//! The HTTP server: routes, negotiation, watch streams, tables, TLS and tokens, metrics.
