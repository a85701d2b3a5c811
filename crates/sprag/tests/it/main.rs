//! The facade as authors of APIs use it.

mod enforce;
mod test_server;
