-- Payloads are packed with the dictionaries of catalogue_dictionary and cannot be read without them.

-- Refuse to change a dictionary, and to remove one while there are payloads. TRUNCATE of this table and of all that
-- needs it (the clean slate of a test or an operator) passes, because the function looks after the statement.
CREATE OR REPLACE FUNCTION catalogue_keep_dictionaries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
        OR EXISTS (SELECT FROM catalogue_record WHERE NOT deleted) OR EXISTS (SELECT FROM catalogue_claim)
        OR EXISTS (SELECT FROM catalogue_recordversion WHERE payload IS NOT NULL)
    THEN
        RAISE EXCEPTION 'dictionaries are not changed, nor removed while there are records: payloads need them'
            USING HINT = 'To put back a damaged one from a backup: '
                'ALTER TABLE catalogue_dictionary DISABLE TRIGGER USER, and ENABLE TRIGGER USER afterwards.';
    END IF;
    RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER dictionaries_are_kept
    AFTER UPDATE OF id, content, sha256 OR DELETE OR TRUNCATE ON catalogue_dictionary
    FOR EACH STATEMENT EXECUTE FUNCTION catalogue_keep_dictionaries();
