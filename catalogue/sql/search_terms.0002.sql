-- What search needs in the database: where the boxes of a record are, the exact test of boxes, and a trigger that marks terms which a
-- former version of the node has left behind.

-- Return what follows the last colon or slash of an OAI identifier, in lower case.
CREATE OR REPLACE FUNCTION catalogue_last_part(key text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(substring(key FROM '[^:/]*$'))
$$;

-- Return a longitude, or a difference of two, as degrees from 0 to 360. What is below 1e-9 counts as nothing: PostgreSQL raises
-- an error where the quotient of a very small number underflows.
CREATE OR REPLACE FUNCTION catalogue_around_the_world(value float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN abs(value) < 1e-9 THEN 0 ELSE value - 360 * floor(value / 360) END
$$;

-- Return how many degrees a box reaches from west to east, across the date line if it must; 360: around the world.
CREATE OR REPLACE FUNCTION catalogue_breadth(west float8, east float8) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN east - west >= 360 THEN 360
        WHEN east >= west THEN east - west ELSE catalogue_around_the_world(east - west) END
$$;

-- Return whether a box [west, south, east, north] has a point in common with a box. Points on edges count. PostgreSQL puts the
-- expression where the function is called, which takes a tenth of the time of a call. Python does the same: tests/support/naive_search.py.
CREATE OR REPLACE FUNCTION catalogue_box_meets(box jsonb, west float8, south float8, east float8, north float8)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (box->>3)::float8 >= south AND (box->>1)::float8 <= north AND (
        catalogue_around_the_world(west - (box->>0)::float8) <= catalogue_breadth((box->>0)::float8, (box->>2)::float8)
        OR catalogue_around_the_world((box->>0)::float8 - west) <= catalogue_breadth(west, east)
    )
$$;

-- Return whether one of several boxes has a point in common with a box.
CREATE OR REPLACE FUNCTION catalogue_boxes_meet(boxes jsonb, west float8, south float8, east float8, north float8)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT EXISTS (
        SELECT FROM jsonb_array_elements(boxes) AS box (sides) WHERE catalogue_box_meets(sides, west, south, east, north)
    )
$$;

-- Return the longitudes of a record's boxes in millionths of a degree, from the westmost on (-180 to 180 degrees) to the eastmost
-- (up to 540). Those of records with several boxes may have gaps, which catalogue_boxes_meet() knows. Boxes that are none on the earth
-- do not count. Only built-in functions: the columns that this makes are filled while a dump is restored, with an empty search path.
CREATE OR REPLACE FUNCTION catalogue_longitudes(boxes jsonb) RETURNS int4range
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    west float8;
    east float8;
    breadth float8;
    first float8;
    last float8;
BEGIN
    FOR place IN 0..jsonb_array_length(boxes) - 1 LOOP
        west := boxes->place->>0;
        east := boxes->place->>2;
        CONTINUE WHEN NOT (abs(west) <= 360 AND abs(east) <= 360);
        breadth := east - west;
        IF breadth >= 360 THEN
            breadth := 360;
        ELSIF breadth < 0 THEN
            breadth := CASE WHEN breadth > -1e-9 THEN 0 WHEN breadth >= -360 THEN breadth + 360 ELSE breadth + 720 END;
        END IF;
        west := west - 360 * floor((west + 180) / 360);
        first := least(first, west);
        last := greatest(last, west + breadth);
    END LOOP;
    RETURN CASE WHEN first IS NULL THEN 'empty'
        ELSE int4range(floor(first * 1e6)::integer, ceil(last * 1e6)::integer, '[]') END;
END
$$;

-- Return the latitudes of a record's boxes in millionths of a degree.
CREATE OR REPLACE FUNCTION catalogue_latitudes(boxes jsonb) RETURNS int4range
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    south float8;
    north float8;
    first float8;
    last float8;
BEGIN
    FOR place IN 0..jsonb_array_length(boxes) - 1 LOOP
        south := boxes->place->>1;
        north := boxes->place->>3;
        CONTINUE WHEN NOT (-90 <= south AND south <= north AND north <= 90);
        first := least(first, south);
        last := greatest(last, north);
    END LOOP;
    RETURN CASE WHEN first IS NULL THEN 'empty'
        ELSE int4range(floor(first * 1e6)::integer, ceil(last * 1e6)::integer, '[]') END;
END
$$;

-- Return the time extent of a record, open where nothing is given, empty where neither is. One whose ends are swapped is what lies
-- between them.
CREATE OR REPLACE FUNCTION catalogue_period(begins timestamptz, ends timestamptz) RETURNS tstzrange
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN begins IS NULL AND ends IS NULL THEN 'empty'
        WHEN begins > ends THEN tstzrange(ends, begins, '[]') ELSE tstzrange(begins, ends, '[]') END
$$;

-- Mark the terms of a description as not made yet. For a version of the node that writes texts and knows no terms.
CREATE OR REPLACE FUNCTION catalogue_terms_outdated() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('wis.makes_terms', true) IS DISTINCT FROM 'on' THEN
        NEW.terms := NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER terms_outdated BEFORE UPDATE ON catalogue_description
FOR EACH ROW WHEN (
    OLD.terms IS NOT NULL AND NEW.terms IS NOT DISTINCT FROM OLD.terms
    AND (NEW.title, NEW.abstract, NEW.keywords, NEW.categories, NEW.boxes, NEW.language)
        IS DISTINCT FROM (OLD.title, OLD.abstract, OLD.keywords, OLD.categories, OLD.boxes, OLD.language)
) EXECUTE FUNCTION catalogue_terms_outdated();
