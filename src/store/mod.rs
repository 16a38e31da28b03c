//! Store: sightings durable before the answer, daily figures published per day.
