//! Nightly: sightings become calls, calls are judged, figures are published per day.
