//! Definitions and what they define, case by case.
