//! Which requests a policy or a webhook is about: rules, namespace and object selectors, match policy.
