//! Reduce: a recognised span becomes a sighting; arguments and results end here.
