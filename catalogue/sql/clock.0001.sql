-- The clock of the database: the seam for all time that SQL reads, as catalogue/seams.py is for Python.

-- Return the present instant, also within a transaction. Guards: a simulation replaces this one function, and no
-- statement of the product reads the time by another way.
CREATE OR REPLACE FUNCTION gisc_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT clock_timestamp()
$$;
