-- Payloads are kept apart from their rows (TOAST), in pages of their own, which may be damaged while the row is not.

-- Return a payload; an empty one, which no record has, where PostgreSQL cannot read it. Guards: one damaged page costs the
-- records that it has a part of, and no list. It is slow (a subtransaction for each row): for a statement that has failed.
CREATE OR REPLACE FUNCTION catalogue_readable(payload bytea) RETURNS bytea LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN payload || ''::bytea; -- reads it, and not its size alone
EXCEPTION WHEN data_corrupted OR index_corrupted OR io_error THEN
    RETURN ''::bytea;
END
$$;
