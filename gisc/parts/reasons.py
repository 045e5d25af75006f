"""Codes of the states that a part of the node may be in, and the sentence for each: what is wrong, and what to do.

Strangers may read them (`/health/ready`), so facts and sentences have no path, address or error text; the log has those.
"""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from catalogue.reasons import Code, Facts, Sentence, write_sentence

# Names of parts, and states of parts and of the whole node, as people read them. Programs read the codes.
WORDS: Mapping[str, str] = {
    "database": _("database"),
    "migrations": _("migrations"),
    "durability": _("durability"),
    "vacuum": _("vacuum"),
    "replica": _("replica"),
    "redis": _("Redis"),
    "workers": _("workers"),
    "beat": _("scheduler"),
    "chores": _("chores"),
    "queue": _("queue"),
    "clock": _("clock"),
    "journal": _("journal"),
    "disk": _("disk"),
    "backup": _("backup"),
    "ok": _("ok"),
    "degraded": _("degraded"),
    "failed": _("failed"),
    "unknown": _("unknown"),
    "not ready": _("not ready"),
}


def in_words(code: str) -> str:
    """Return the name of a part, or a state, for people."""
    return gettext(WORDS.get(code, code))


class PartCode(Code):
    """What is known of a part of the node."""

    OK = "ok"
    NOT_KNOWN = "not-known"
    DATABASE_AWAY = "database-away"
    NOT_MIGRATED = "not-migrated"
    NOT_DURABLE = "not-durable"
    NUMBERS_RUN_OUT = "numbers-run-out"
    TRANSACTION_OPEN = "transaction-open"
    AUTOVACUUM_OFF = "autovacuum-off"
    REPLICA_AWAY = "replica-away"
    REPLICA_POOLED = "replica-pooled"
    REPLICA_OTHER_DATABASE = "replica-other-database"
    REPLICA_PROMOTED = "replica-promoted"
    REPLICA_OTHER_TIMELINE = "replica-other-timeline"
    REPLICA_OTHER_EPOCH = "replica-other-epoch"
    REPLICA_AHEAD = "replica-ahead"
    REPLICA_LAGS = "replica-lags"
    PRIMARY_IN_RECOVERY = "primary-in-recovery"
    REDIS_AWAY = "redis-away"
    REDIS_FULL = "redis-full"
    REDIS_REFUSES = "redis-refuses"
    REDIS_SHARED = "redis-shared"
    NO_WORKER = "no-worker"
    WORKERS_MISSING = "workers-missing"
    NO_BEAT = "no-beat"
    NO_TICK = "no-tick"
    TICKS_LATE = "ticks-late"
    CHORES_FAILING = "chores-failing"
    QUEUE_STALLED = "queue-stalled"
    CLOCK_WRONG = "clock-wrong"
    CLOCK_DIFFERS = "clock-differs"
    NTP_SILENT = "ntp-silent"
    CLOCK_NOT_CHECKED = "clock-not-checked"
    CLOCK_CHECK_OLD = "clock-check-old"
    DATABASE_BEHIND = "database-behind"
    RESTORE_NOT_ENDED = "restore-not-ended"
    JOURNAL_NOT_KNOWN = "journal-not-known"
    JOURNAL_NOT_READABLE = "journal-not-readable"
    JOURNAL_NOT_WRITABLE = "journal-not-writable"
    JOURNAL_WAITING = "journal-waiting"
    FILES_BEHIND = "files-behind"
    FILES_NOT_READ = "files-not-read"
    DISK_LOW = "disk-low"
    WAL_KEPT = "wal-kept"
    DISK_NOT_READABLE = "disk-not-readable"
    BACKUP_NOT_CONFIGURED = "backup-not-configured"
    BACKUP_NOT_READABLE = "backup-not-readable"
    BACKUP_SHARED = "backup-shared"
    NO_BACKUP = "no-backup"
    BACKUP_LATE = "backup-late"
    BACKUP_NOT_VERIFIED = "backup-not-verified"
    WAL_NOT_ARCHIVED = "wal-not-archived"

    def sentence(self, facts: Facts) -> str:
        return write_sentence(PARTS, self, facts)


def _disk_low(facts: Facts) -> str:
    kinds = ", ".join(
        gettext("{kind} ({free_mb} MB free)").format(kind=kind, free_mb=free_mb)
        for kind, free_mb in facts["free_mb"].items()
    )
    return gettext("the disk is nearly full for {kinds}: make room, or writes will be refused").format(kinds=kinds)


def _ntp_silent(facts: Facts) -> str:
    known = (
        ""
        if facts["offset_s"] is None
        else gettext("; the clock was wrong by {offset_s:+.1f} s when one last did").format_map(facts)
    )
    return gettext("no NTP server answers{known}: look at the servers of GISC_NTP_SERVERS, and at the network").format(
        known=known
    )


def _clock_check_old(facts: Facts) -> str:
    when = gettext("yet") if facts["age_s"] is None else gettext("for {age_s:.0f} s").format_map(facts)
    return gettext(
        "the clock of this host was not checked {when}: the tick checks it, so look at worker and beat"
    ).format(when=when)


def _replica_lags(facts: Facts) -> str:
    if facts["lag_s"] is None:
        return gettext(
            "how far the replica lags is not known before it has replayed a change, so lists are read from the primary: look at its log"
        )
    return gettext(
        "the replica lags by {lag_s:.0f} s, more than the {limit_s} s of GISC_REPLICA_LAG_SECONDS, so lists are read from the primary: "
        "look at its log and its load, and whether its replay is paused"
    ).format_map(facts)


PARTS: Mapping[str, Sentence] = {
    PartCode.OK: _("all is well"),
    PartCode.NOT_KNOWN: _("nothing is known of it while the {part} cannot be read"),
    PartCode.DATABASE_AWAY: (
        _("PostgreSQL does not answer, so nothing is served or harvested: start it, or look at its log and its host")
    ),
    PartCode.NOT_MIGRATED: _("the database lacks migrations of this version: run manage.py migrate"),
    PartCode.NOT_DURABLE: (
        _("PostgreSQL runs with {settings} off, so a crash of its host may lose what others have harvested: set it on")
    ),
    PartCode.NUMBERS_RUN_OUT: _(
        "PostgreSQL does not get to freezing old rows, and refuses all writes when its transaction numbers run out ({percent} % of "
        "vacuum_failsafe_age are used): look at its log, and run VACUUM (FREEZE) in the database whose age(datfrozenxid) is highest"
    ),
    PartCode.TRANSACTION_OPEN: _(
        "a transaction has been open for {age_h:.0f} h, so PostgreSQL removes nothing that was changed or deleted since, and the "
        "database grows and gets slower: end it (pg_stat_activity and pg_prepared_xacts have it)"
    ),
    PartCode.AUTOVACUUM_OFF: _(
        "autovacuum of PostgreSQL is off ({disabled}), so nothing that was changed or deleted is removed, and the database grows and gets "
        "slower: set it on"
    ),
    PartCode.REPLICA_AWAY: _(
        "the replica does not answer, so lists are read from the primary: start it, or look at its log, its host and DATABASE_REPLICA_URL"
    ),
    PartCode.REPLICA_POOLED: _(
        "a pooler shares the sessions of the replica, so lists are read from the primary: write pool_mode = session in its configuration"
    ),
    PartCode.REPLICA_OTHER_DATABASE: _(
        "DATABASE_REPLICA_URL leads to another database, or to a copy that lacks tables of this version, so lists are read from the "
        "primary: correct it, or wait until the replica has replayed the migrations"
    ),
    PartCode.REPLICA_PROMOTED: _(
        "the server of DATABASE_REPLICA_URL is no replica: it was promoted, or never was one, and may have other records, so lists are "
        "read from the primary: make the replica anew, or correct DATABASE_URL if this is the primary now"
    ),
    PartCode.REPLICA_OTHER_TIMELINE: _(
        "the replica does not follow the history of the primary, so lists are read from the primary: if the primary has changed, have the "
        "replica follow the new one, and wait for its next checkpoint"
    ),
    PartCode.REPLICA_OTHER_EPOCH: _(
        "the replica has not the epoch of the primary, one of which was restored, so lists are read from the primary: make the replica anew"
    ),
    PartCode.REPLICA_AHEAD: _(
        "the replica has what the primary has lost, so lists are read from the primary: make the replica anew"
    ),
    PartCode.REPLICA_LAGS: _replica_lags,
    PartCode.PRIMARY_IN_RECOVERY: _(
        "DATABASE_URL leads to a server in recovery, to which nothing can be written: write the address of the primary there"
    ),
    PartCode.REDIS_AWAY: (
        _("Redis does not answer, so nothing is harvested by schedule: start it, or look at its log and its host")
    ),
    PartCode.REDIS_FULL: (
        _(
            "Redis has no memory left and refuses what is written, so nothing is harvested by schedule: raise its maxmemory, "
            "or find out what fills it"
        )
    ),
    PartCode.REDIS_REFUSES: (
        _("Redis refuses what is written, so nothing is harvested by schedule: the log of this node has its reason")
    ),
    PartCode.REDIS_SHARED: _(
        "another node with this GISC_NAME and another database uses this Redis, and each takes ticks and runs of the other, so that "
        "harvests come late: stop it (it may be a copy for tests), or give it another GISC_NAME or REDIS_URL"
    ),
    PartCode.NO_WORKER: _("no worker runs, so nothing is harvested: start the worker, or look at its log"),
    PartCode.WORKERS_MISSING: _("{alive} of {expected} processes of the workers run: look at the log of the worker"),
    PartCode.NO_BEAT: _("beat does not run, so nothing is harvested by schedule: start beat, or look at its log"),
    PartCode.NO_TICK: _(
        "no tick has come through beat, Redis, a worker and the database yet: wait a minute, then look at their logs"
    ),
    PartCode.TICKS_LATE: (
        _(
            "the last tick came through beat, Redis, a worker and the database {age_s:.0f} s ago: look at the logs of worker and beat"
        )
    ),
    PartCode.CHORES_FAILING: _(
        "chores of the tick fail again and again ({chores}): the log of the worker has their errors"
    ),
    PartCode.QUEUE_STALLED: (
        _(
            "runs that wait for a worker: {waiting}, the first for {wait_s:.0f} s, and none is taken: look at the log of the worker, and "
            "start it again"
        )
    ),
    PartCode.CLOCK_WRONG: _(
        "the clock of this host is wrong by {offset_s:+.1f} s against NTP: set it, by a service such as chrony"
    ),
    PartCode.CLOCK_DIFFERS: (
        _(
            "the clocks of {links} providers differ from ours by {skew_s:+.0f} s in the middle: check the clock of this host, and "
            "name NTP servers in GISC_NTP_SERVERS"
        )
    ),
    PartCode.NTP_SILENT: _ntp_silent,
    PartCode.CLOCK_NOT_CHECKED: _("the clock of this host is not checked: name NTP servers in GISC_NTP_SERVERS"),
    PartCode.CLOCK_CHECK_OLD: _clock_check_old,
    PartCode.DATABASE_BEHIND: (
        _(
            "the database was put back from a copy and is behind the journal: stop the node and run manage.py restore --in-place "
            "(docs/deployment.md, Restore)"
        )
    ),
    PartCode.RESTORE_NOT_ENDED: _("a restore was begun and has not ended: run manage.py restore --in-place again"),
    PartCode.JOURNAL_NOT_KNOWN: _(
        "whether the database has all events of the journal could not be read from it in time"
    ),
    PartCode.JOURNAL_NOT_READABLE: (
        _(
            "the folder of the journal cannot be read, so deletions wait in the database: mount it, or correct its permissions"
        )
    ),
    PartCode.JOURNAL_NOT_WRITABLE: (
        _(
            "the folder of the journal cannot be written, so deletions wait in the database: mount it writable, or correct its "
            "permissions"
        )
    ),
    PartCode.JOURNAL_WAITING: (
        _(
            "deletions that wait for the journal: {waiting}, the first for {wait_s:.0f} s: look at the folder of the journal and its disk"
        )
    ),
    PartCode.FILES_BEHIND: _(
        "files of the journal are lacking; manage.py journal status names them: put them back from a copy"
    ),
    PartCode.FILES_NOT_READ: (
        _("a folder has files of the journal that are not read; manage.py journal status names it: move them")
    ),
    PartCode.DISK_LOW: _disk_low,
    PartCode.WAL_KEPT: _(
        "PostgreSQL keeps {kept_mb} MB of its log for a replica that does not fetch it, and its disk fills: start that replica, or drop "
        "its slot (pg_replication_slots)"
    ),
    PartCode.DISK_NOT_READABLE: _(
        "the room for {kinds} cannot be read: mount the disk, or correct the setting of the folder"
    ),
    PartCode.BACKUP_NOT_CONFIGURED: _("this node makes no backups: name a folder on another disk in GISC_BACKUP_DIR"),
    PartCode.BACKUP_NOT_READABLE: _("GISC_BACKUP_DIR cannot be read: mount it, or correct its permissions"),
    PartCode.BACKUP_SHARED: _(
        "another node with this GISC_NAME and another database makes its backups in GISC_BACKUP_DIR, too: give it another folder (it may be a "
        "copy for tests); its archives do not count here, and are not removed"
    ),
    PartCode.NO_BACKUP: _("there is no verified backup yet: wait for the first, or look at the log of the backup"),
    PartCode.BACKUP_LATE: (
        _(
            "the newest verified backup is {age_h:.0f} h old: look at the log of the backup, and at the room in GISC_BACKUP_DIR"
        )
    ),
    PartCode.BACKUP_NOT_VERIFIED: (
        _(
            "the newest backup could not be verified, or was made without verifying; an older one is: look at the log of the backup"
        )
    ),
    PartCode.WAL_NOT_ARCHIVED: (
        _(
            "PostgreSQL cannot archive its log ({wal}) and keeps it, so that its disk fills: look at the log of PostgreSQL, and "
            "whether the archive can be reached and has room"
        )
    ),
}
