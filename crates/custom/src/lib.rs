//! Custom resources: definitions served as resources, and the resources they define.
