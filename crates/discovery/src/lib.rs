//! What a server tells clients about itself: discovery documents and OpenAPI v2 and v3.
