//! The seam: bytes become spans, spans sightings, sightings are committed.
