-- What the day's calls were made of (METHOD sections 8 and 10).
SELECT sum(sightings), sum(duplicates), sum(sightings - duplicates - 1),
    countIf(received > {first_covered}), countIf(is_sampled AND is_of_tool),
    countIf(NOT is_named AND outcome != 2)
FROM pass_placed
WHERE is_of_day
