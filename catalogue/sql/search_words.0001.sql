-- The words of a description for full-text search. They stand in the index description_words alone: a column of them
-- would be a third of the database.

-- Return the text search vector of a description. PostgreSQL may use the function in an index because it depends on
-- nothing but its arguments (IMMUTABLE). Its cost makes the planner look into the index rather than at every row.
-- Guards: a vector may not exceed 1 MB, so texts are cut; a record with a very long text is stored all the same.
CREATE OR REPLACE FUNCTION catalogue_words(title text, abstract text, keywords text[], categories text[]) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
    RETURN to_tsvector(
        'pg_catalog.simple',
        concat_ws(
            E'\n', left(title, 10000), left(array_to_string(keywords, E'\n'), 50000),
            left(array_to_string(categories, E'\n'), 50000), left(abstract, 100000)
        )
    );
END
$$;
