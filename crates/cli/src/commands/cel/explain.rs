//! Explains an estimated cost as an indented tree.

use std::fmt::Write as _;

use sprag_cel::cost::{Bounds, CostNode};

/// Parts beyond this depth are summed up in the line above them.
const MAX_DEPTH: usize = 40;

/// `5`, `3 to 8`, or `at least 3` where there is no upper bound.
pub(super) fn bounds(bounds: Bounds) -> String {
    match bounds {
        Bounds { min, max } if min == max => max.to_string(),
        Bounds { min, max: u64::MAX } => format!("at least {min}"),
        Bounds { min, max } => format!("{min} to {max}"),
    }
}

/// One line per part that costs something: its cost, parts included, and what it is.
pub(super) fn tree(root: &CostNode) -> String {
    let mut text = String::new();
    write_node(root, 0, &mut text);
    text
}

fn write_node(node: &CostNode, depth: usize, text: &mut String) {
    if node.cost.max == 0 || depth > MAX_DEPTH {
        return;
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "{:indent$}{}  {}", "", bounds(node.cost), node.label, indent = 2 * depth);
    if let Some(times) = node.times {
        let _ = write!(text, ", {} times", bounds(times));
    }
    text.push('\n');
    for child in &node.children {
        write_node(child, depth + 1, text);
    }
}
