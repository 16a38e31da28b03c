//! Report: figures of a range become pages.
