//! Bytes to values: JSON and YAML, with strict findings and positions.
