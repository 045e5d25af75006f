"""How many records each list holds, kept by the database itself: counting a million for a first page takes a second.

Triggers see every row that comes, goes or changes its state, in the transaction that does it.
"""

from django.db import migrations, models

# Each statement adds the rows it left and takes off the rows it found. Of an update most change nothing here.
_FUNCTION = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO catalogue_listsize AS size (set_id, live, deleted)
    SELECT set_id, live, deleted FROM (
        SELECT {set_id} AS set_id,
            coalesce(sum(number) FILTER (WHERE NOT gone), 0) AS live,
            coalesce(sum(number) FILTER (WHERE gone), 0) AS deleted
        FROM ({rows}) AS changed GROUP BY 1
    ) AS change
    WHERE live <> 0 OR deleted <> 0
    ON CONFLICT (set_id) DO UPDATE
    SET live = size.live + excluded.live, deleted = size.deleted + excluded.deleted;
    RETURN NULL;
END
$$
"""
_TABLES = {"catalogue_record": "0", "catalogue_membership": "set_id"}
_EVENTS = {
    "insert": (("came", 1),),
    "update": (("came", 1), ("went", -1)),
    "delete": (("went", -1),),
}
_REFERENCING = {"came": "NEW TABLE AS came", "went": "OLD TABLE AS went"}


def _statements() -> list[migrations.RunSQL]:
    made = []
    for table, set_id in _TABLES.items():
        for event, sides in _EVENTS.items():
            name = f"{table}_{event}_counted"
            column = "" if set_id == "0" else "set_id, "
            rows = " UNION ALL ".join(
                f"SELECT {column}deleted AS gone, {number} AS number FROM {side}" for side, number in sides
            )
            made.append(
                migrations.RunSQL(_FUNCTION.format(name=name, set_id=set_id, rows=rows), f"DROP FUNCTION {name}()")
            )
            referencing = " ".join(_REFERENCING[side] for side, _ in sides)
            made.append(
                migrations.RunSQL(
                    f"CREATE TRIGGER counted_{event} AFTER {event.upper()} ON {table} REFERENCING {referencing}"
                    f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
                    f"DROP TRIGGER counted_{event} ON {table}",
                )
            )
    return made


COUNTED_SO_FAR = """
INSERT INTO catalogue_listsize (set_id, live, deleted)
SELECT 0, count(*) FILTER (WHERE NOT deleted), count(*) FILTER (WHERE deleted) FROM catalogue_record
UNION ALL
SELECT set_id, count(*) FILTER (WHERE NOT deleted), count(*) FILTER (WHERE deleted)
FROM catalogue_membership GROUP BY set_id
"""


class Migration(migrations.Migration):
    dependencies = [("catalogue", "0005_words")]

    operations = [
        migrations.CreateModel(
            name="ListSize",
            fields=[
                (
                    "set_id",
                    models.BigIntegerField(
                        help_text="0: the whole catalogue", primary_key=True, serialize=False, verbose_name="set"
                    ),
                ),
                ("live", models.BigIntegerField(default=0)),
                ("deleted", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.RunSQL(COUNTED_SO_FAR, migrations.RunSQL.noop),
        *_statements(),
    ]
