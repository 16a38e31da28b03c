//! Stopping: signals, and the order in which things end.
