"""All settings. Those of operators are read from the environment by `gisc.env`; docs/settings.md has the table.

No setting depends on the name of an environment; the only difference between installations is that the embedded servers
are used if `DATABASE_URL` and `REDIS_URL` are not set.
"""

from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from csp.constants import NONCE, NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _
from kombu import Queue
from psycopg2.extensions import ISOLATION_LEVEL_READ_COMMITTED

from gisc import __version__, early_texts, embedded, env, installation
from gisc.early_texts import gettext

BASE_DIR = installation.CODE
GISC_VERSION = __version__


def _journal_beside(data_dir: Path) -> Path:
    """Return the folder beside the data directory; that inside it if a version before has begun a journal there."""
    inside = data_dir / "journal"
    return inside if any(inside.glob("deletions-*.jsonl")) else data_dir.with_name(f"{data_dir.name}-journal")


_SMTP_PORTS = {"starttls": 587, "tls": 465, "none": 25}


# --- What operators set -----------------------------------------------------------------------------

GISC_NAME = env.text("GISC_NAME", "WIS-GISC-DEMO")
HOST = env.text("HOST", "127.0.0.1")
PORT = env.number("PORT", 8000, low=1, high=65535)
GISC_BASE_URL = env.url("GISC_BASE_URL", ("http", "https"), f"http://{HOST}:{PORT}", "https://gisc.example.org").rstrip(
    "/"
)
GISC_DATA_DIR = Path(env.text("GISC_DATA_DIR", str(installation.data_home() / "var"))).resolve()
GISC_JOURNAL_DIR = Path(env.text("GISC_JOURNAL_DIR", str(_journal_beside(GISC_DATA_DIR)))).resolve()
_BACKUP_DIR = env.text("GISC_BACKUP_DIR")
GISC_BACKUP_DIR = Path(_BACKUP_DIR).resolve() if _BACKUP_DIR else None
GISC_BACKUP_HOURS = env.number("GISC_BACKUP_HOURS", 24, low=1, high=8784)
GISC_BACKUP_KEEP = env.number("GISC_BACKUP_KEEP", 7, low=1, high=1000)
GISC_DISK_LOW_MB = env.number("GISC_DISK_LOW_MB", 2000, low=1, high=10_000_000)
GISC_UPLOAD_DIR = Path(env.text("GISC_UPLOAD_DIR", str(GISC_DATA_DIR / "uploads"))).resolve()
GISC_UPLOAD_MAX_MB = env.number("GISC_UPLOAD_MAX_MB", 500, low=1, high=100_000)
GISC_UPLOAD_RETENTION_DAYS = env.number("GISC_UPLOAD_RETENTION_DAYS", 90, low=1, high=36500)
GISC_WATCH_FOLDER = env.text("GISC_WATCH_FOLDER")
GISC_WATCH_SET = env.text("GISC_WATCH_SET")
GISC_SCHEMA_DIR = env.text("GISC_SCHEMA_DIR")
if GISC_SCHEMA_DIR and not (Path(GISC_SCHEMA_DIR) / "catalog.xml").is_file():
    raise ImproperlyConfigured(
        gettext(
            "GISC_SCHEMA_DIR is {folder}, where no catalog.xml can be read; write the path of the folder of "
            "XML schemas, or leave it empty"
        ).format(folder=repr(GISC_SCHEMA_DIR))
    )
GISC_LANGUAGE = env.text("GISC_LANGUAGE", "en").lower()
_LANGUAGES = {"en", *early_texts.translations()}
if GISC_LANGUAGE not in _LANGUAGES:
    raise ImproperlyConfigured(
        gettext("GISC_LANGUAGE is {language}; write one of {languages}, or add a translation (CONTRIBUTING.md)").format(
            language=repr(GISC_LANGUAGE), languages=", ".join(sorted(_LANGUAGES))
        )
    )
GISC_REPOSITORY_NAME = env.text("GISC_REPOSITORY_NAME", f"{GISC_NAME} metadata catalogue")
GISC_ADMIN_EMAIL = env.text("GISC_ADMIN_EMAIL", "gisc-admin@example.org")
GISC_TOMBSTONE_RETENTION_DAYS = env.number_or_none("GISC_TOMBSTONE_RETENTION_DAYS", 92, low=92, high=36500)  # W8
GISC_PAGE_RECORDS = env.number("GISC_PAGE_RECORDS", 100, low=1, high=10000)
GISC_READY_RECORDS = env.number("GISC_READY_RECORDS", 5_000, low=0, high=1_000_000)
GISC_PAGE_BYTES = env.number("GISC_PAGE_BYTES", 10_000_000, low=100_000, high=1_000_000_000)
GISC_PAGE_HEADERS = env.number("GISC_PAGE_HEADERS", 1000, low=1, high=10000)
GISC_PAGE_SETS = env.number("GISC_PAGE_SETS", 1000, low=1, high=10000)
GISC_UPPERCASE_PREFIX = env.flag("GISC_UPPERCASE_PREFIX", False)
GISC_RIGHTS_URL = env.url("GISC_RIGHTS_URL", ("http", "https"), "", "https://gisc.example.org/rights")
GISC_WEB_WORKERS = env.number("GISC_WEB_WORKERS", 2, low=1, high=64)
GISC_WEB_THREADS = env.number("GISC_WEB_THREADS", 8, low=1, high=100)
GISC_WEB_STATEMENT_SECONDS = env.number("GISC_WEB_STATEMENT_SECONDS", 100, low=1, high=3600)
GISC_REQUESTS_PER_MINUTE = env.number_or_none("GISC_REQUESTS_PER_MINUTE", 6000, low=1, high=1_000_000)
# Fewer than the threads: the others are for the administration, the public pages and health.
GISC_REQUESTS_AT_ONCE = env.number_or_none("GISC_REQUESTS_AT_ONCE", max(1, GISC_WEB_THREADS * 3 // 4), low=1, high=1000)
GISC_PUBLIC_THREADS = env.number("GISC_PUBLIC_THREADS", 4, low=1, high=100)
GISC_PUBLIC_AT_ONCE = env.number("GISC_PUBLIC_AT_ONCE", 1, low=1, high=100)
GISC_PUBLIC_STATEMENT_SECONDS = env.number("GISC_PUBLIC_STATEMENT_SECONDS", 5, low=1, high=3600)
GISC_STATUS_SECONDS = env.number("GISC_STATUS_SECONDS", 2, low=0, high=60)
GISC_TRUSTED_PROXIES = env.networks("GISC_TRUSTED_PROXIES")
GISC_PRIVATE_PAGES = env.comma_separated("GISC_PRIVATE_PAGES")
PRIVATE_PAGES = ("metrics", "harvest", "health")  # the names of catalogue.pages.private_pages
if unknown_pages := set(GISC_PRIVATE_PAGES) - set(PRIVATE_PAGES):
    raise ImproperlyConfigured(
        gettext("GISC_PRIVATE_PAGES has {unknown}; write some of {known}, separated by commas").format(
            unknown=", ".join(sorted(unknown_pages)), known=", ".join(PRIVATE_PAGES)
        )
    )
GISC_MONITORING_ADDRESSES = env.networks("GISC_MONITORING_ADDRESSES")
GISC_MIRROR_URL = env.url("GISC_MIRROR_URL", ("http", "https"), "", "https://mirror.gisc.example.org").rstrip("/")
GISC_SHARED_CACHE = env.flag("GISC_SHARED_CACHE", False)
GISC_RECORD_VERSIONS = env.number("GISC_RECORD_VERSIONS", 5, low=0, high=1000)
GISC_RECORD_VERSION_DAYS = env.number("GISC_RECORD_VERSION_DAYS", 90, low=1, high=36500)
GISC_RUN_RETENTION_DAYS = env.number("GISC_RUN_RETENTION_DAYS", 90, low=1, high=36500)
GISC_BEAT_SECONDS = env.number("GISC_BEAT_SECONDS", 30, low=1, high=3600)
GISC_LEASE_SECONDS = env.number("GISC_LEASE_SECONDS", 120, low=5, high=3600)
GISC_CANARY_SECONDS = env.number("GISC_CANARY_SECONDS", 600, low=10, high=86400)
GISC_RETRY_SECONDS = env.number("GISC_RETRY_SECONDS", 10, low=1, high=600)  # H21
GISC_MAX_RUNS = env.number("GISC_MAX_RUNS", 16, low=1, high=1000)
GISC_MAX_RUNS_PER_HOST = env.number("GISC_MAX_RUNS_PER_HOST", 2, low=1, high=100)
GISC_NTP_SERVERS = env.comma_separated("GISC_NTP_SERVERS")
GISC_CLOCK_LIMIT_SECONDS = env.number("GISC_CLOCK_LIMIT_SECONDS", 2, low=1, high=3600)
GISC_SESSION_HOURS = env.number("GISC_SESSION_HOURS", 24, low=1, high=8784)
GISC_SESSION_IDLE_MINUTES = env.number("GISC_SESSION_IDLE_MINUTES", 120, low=5, high=100_000)
GISC_AUDIT_RETENTION_DAYS = env.number("GISC_AUDIT_RETENTION_DAYS", 730, low=30, high=36500)
GISC_SECOND_FACTOR_ROLES = env.comma_separated("GISC_SECOND_FACTOR_ROLES")
if unknown_roles := set(GISC_SECOND_FACTOR_ROLES) - {
    "superuser",
    "administrator",
    "data manager",
    "operator",
    "viewer",
}:
    raise ImproperlyConfigured(
        gettext(
            "GISC_SECOND_FACTOR_ROLES has {unknown}; write some of superuser, administrator, data "
            "manager, operator, viewer, separated by commas"
        ).format(unknown=", ".join(sorted(unknown_roles)))
    )
GISC_INTERFACES_OFF = env.comma_separated("GISC_INTERFACES_OFF")
INTERFACES = ("ogcapi", "sru", "csw", "dcat", "monitoring")  # the names of catalogue.pages.interfaces
if unknown_interfaces := set(GISC_INTERFACES_OFF) - set(INTERFACES):
    raise ImproperlyConfigured(
        gettext("GISC_INTERFACES_OFF has {unknown}; write some of {known}, separated by commas").format(
            unknown=", ".join(sorted(unknown_interfaces)), known=", ".join(INTERFACES)
        )
    )
GISC_CONTACT_VOICE = env.text("GISC_CONTACT_VOICE")
GISC_BACKUP_GISCS = env.comma_separated("GISC_BACKUP_GISCS")
GISC_HARVEST_WORKERS = env.number("GISC_HARVEST_WORKERS", 2, low=1, high=64)
GISC_ALERT_SETTLE_SECONDS = env.number("GISC_ALERT_SETTLE_SECONDS", 120, low=10, high=3600)
GISC_ALERT_OVER_SECONDS = env.number("GISC_ALERT_OVER_SECONDS", 900, low=10, high=21600)
GISC_SMTP_HOST = env.text("GISC_SMTP_HOST")
GISC_SMTP_SECURITY = env.text("GISC_SMTP_SECURITY", "starttls")
if GISC_SMTP_SECURITY not in _SMTP_PORTS:
    raise ImproperlyConfigured(
        gettext("GISC_SMTP_SECURITY is {value}; write starttls, tls or none").format(value=repr(GISC_SMTP_SECURITY))
    )
GISC_SMTP_PORT = env.number("GISC_SMTP_PORT", _SMTP_PORTS[GISC_SMTP_SECURITY], low=1, high=65535)
GISC_SMTP_USER = env.text("GISC_SMTP_USER")
GISC_SMTP_FROM = env.text("GISC_SMTP_FROM", GISC_ADMIN_EMAIL)
GISC_WORKER_MAX_MB = env.number("GISC_WORKER_MAX_MB", 500, low=200, high=100_000)

_DATABASE_URL = env.with_password(
    env.database_url("DATABASE_URL", "host", "read-write"), env.secret("DATABASE_PASSWORD"), "DATABASE_URL"
)
_DATABASE_REPLICA_URL = env.database_url("DATABASE_REPLICA_URL", "replica", "prefer-standby")
if urlsplit(_DATABASE_REPLICA_URL).password is None:  # a replica has the roles and passwords of the primary
    _DATABASE_REPLICA_URL = env.with_password(
        _DATABASE_REPLICA_URL, env.secret("DATABASE_PASSWORD"), "DATABASE_REPLICA_URL"
    )
GISC_REPLICA_LAG_SECONDS = env.number("GISC_REPLICA_LAG_SECONDS", 60, low=1, high=86400)
_REDIS_URL = env.with_password(
    env.url("REDIS_URL", ("redis", "rediss"), "", "redis://host:6379/0"), env.secret("REDIS_PASSWORD"), "REDIS_URL"
)
GISC_EMBEDDED_DATABASE = not _DATABASE_URL
GISC_EMBEDDED_REDIS = not _REDIS_URL

DEBUG = env.flag("DEBUG", False)
SECRET_KEY = env.secret("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.secrets(
    "SECRET_KEY_FALLBACKS"
)  # they open what they have sealed and signed, and seal nothing
GISC_OWN_SECRET_KEY = not SECRET_KEY  # in the data directory
if not SECRET_KEY:
    if not GISC_EMBEDDED_DATABASE:
        raise ImproperlyConfigured(
            gettext(
                "SECRET_KEY is not set; with DATABASE_URL every process of the node must share one: write a long "
                "random string in SECRET_KEY, or name its file in SECRET_KEY_FILE"
            )
        )
    SECRET_KEY = embedded.secret_key(GISC_DATA_DIR)
    SECRET_KEY_FALLBACKS += embedded.former_keys(GISC_DATA_DIR)
ALLOWED_HOSTS = env.comma_separated("ALLOWED_HOSTS")
if not ALLOWED_HOSTS:
    if not (DEBUG or GISC_EMBEDDED_DATABASE):
        raise ImproperlyConfigured(
            gettext(
                "ALLOWED_HOSTS is not set; write the host names under which this node is reached, separated by commas"
            )
        )
    ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", HOST]
CSRF_TRUSTED_ORIGINS = env.comma_separated("CSRF_TRUSTED_ORIGINS")
# The cookies of the admin are limited to TLS if the node is published under https.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = GISC_BASE_URL.startswith("https://")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("GISC_BEHIND_TLS_PROXY", False) else None
# HSTS: sent with what came by https (with GISC_BEHIND_TLS_PROXY). A day: where a certificate is lost, or a host turns out to have
# pages by http, browsers forget it by tomorrow. Other hosts of the centre are not this node's to decide on.
GISC_HSTS_SECONDS = env.number("GISC_HSTS_SECONDS", 86_400 if SESSION_COOKIE_SECURE else 0, low=0, high=63_072_000)
SECURE_HSTS_SECONDS = GISC_HSTS_SECONDS
SILENCED_SYSTEM_CHECKS = [
    "security.W004",  # GISC_HSTS_SECONDS may be 0 where the proxy sends HSTS
    "security.W005",  # includeSubDomains: see above
    "security.W021",  # preload: as includeSubDomains, and for ever
    "security.W008",  # a redirect to https would lose the body of an OAI-PMH POST (P1, S30)
]

# --- Django -----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "gisc",
    "gisc.alerts",
    "gisc.wis_monitoring",
    "catalogue",
    "catalogue.discovery",
    "oaiprovider",
    "harvester",
    "unfold",
    "django.contrib.admin.apps.SimpleAdminConfig",  # gisc.urls loads its pages, which commands and workers do without
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_prometheus",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "gisc.audit",
]
MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "gisc.content_policy.ContentPolicy",
    "gisc.cross_origin.CrossOrigin",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "gisc.language.PageLanguage",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "gisc.accounts.sessions.SessionLimits",
    "django_otp.middleware.OTPMiddleware",
    "gisc.accounts.second_factor.SecondFactor",
    "axes.middleware.AxesMiddleware",
    "gisc.audit.middleware.AuditActs",
    "gisc.null_characters.ReplaceNullCharacters",
    "gisc.private_pages.PrivatePages",
    "gisc.public_pages.PublicPages",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]
# The middleware of `/oai` (gisc/wsgi.py), which has metrics of its own (oaiprovider/metrics.py).
GISC_OAI_MIDDLEWARE = [
    "gisc.content_policy.ContentPolicy",
    "gisc.cross_origin.CrossOrigin",
    "django.middleware.security.SecurityMiddleware",
]
# What pages may load and run; SECURITY.md gives the reasons. A script of the page itself runs only with the nonce.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
# Besides, in the administration: Alpine, of unfold, makes functions of the expressions in its templates, and its templates
# and those of the admin have `style` attributes.
GISC_ADMIN_CONTENT_POLICY = {"script-src": [UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}
LOGIN_REDIRECT_URL = "admin:index"  # who opens the sign-in page itself asks for no other page
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_COOKIE_AGE = GISC_SESSION_HOURS * 3600  # of the row; `gisc.accounts.sessions` ends a session, also an idle one
OTP_TOTP_ISSUER = GISC_NAME
# What is locked, and what not: gisc/accounts/lock_out.py.
AXES_HANDLER = "gisc.accounts.lock_out.LockOut"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1  # hours
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # who goes on trying does not keep a name locked for ever
AXES_CLIENT_IP_CALLABLE = "gisc.accounts.lock_out.counted_address"
AXES_COOLOFF_MESSAGE = _("Too many sign-ins have failed; try again in an hour, or ask an administrator to let you in.")
ROOT_URLCONF = "gisc.urls"
WSGI_APPLICATION = "gisc.wsgi.application"
APPEND_SLASH = True  # never reaches /oai, which is routed without one (P1, S30)
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [installation.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": dj_database_url.parse(
        _DATABASE_URL or embedded.database_url(GISC_DATA_DIR),
        engine="gisc.reused_connections",
        conn_max_age=60,
        conn_health_checks=True,
    )
}
# A database host that drops packets must not block a health check, or a worker, for minutes.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
# Datestamps rest on it, also where somebody changes default_transaction_isolation of the server later (docs/datestamps.md).
DATABASES["default"]["OPTIONS"]["isolation_level"] = ISOLATION_LEVEL_READ_COMMITTED
if _DATABASE_REPLICA_URL:
    # A host that is cut off while it makes an answer is given up after 25 s; one that cannot be reached after 3.
    DATABASES["replica"] = dj_database_url.parse(_DATABASE_REPLICA_URL, conn_max_age=60, conn_health_checks=True) | {
        "TEST": {"MIRROR": "default"}
    }
    DATABASES["replica"]["OPTIONS"] = {
        "connect_timeout": 3,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        **DATABASES["replica"].get("OPTIONS", {}),
    }
    DATABASE_ROUTERS = ["catalogue.reading.replica.Router"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"  # of programs and logs; that of people is GISC_LANGUAGE (gisc/language.py)
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
LOCALE_PATHS = [installation.LOCALE]
STATIC_URL = "static/"
STATIC_ROOT = installation.data_home() / "staticfiles"
WHITENOISE_USE_FINDERS = True  # a node needs no collectstatic, be it started from a checkout or installed
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024
# The first takes the files of the page "Upload"; the others those of all other pages.
FILE_UPLOAD_HANDLERS = [
    "catalogue.admin.upload_handler.IntoUploadFolder",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# --- E-mail -----------------------------------------------------------------------------------------

EMAIL_HOST, EMAIL_PORT = GISC_SMTP_HOST, GISC_SMTP_PORT
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = GISC_SMTP_USER, env.secret("GISC_SMTP_PASSWORD")
EMAIL_USE_TLS, EMAIL_USE_SSL = GISC_SMTP_SECURITY == "starttls", GISC_SMTP_SECURITY == "tls"
EMAIL_TIMEOUT = 10  # seconds; of each step
DEFAULT_FROM_EMAIL = GISC_SMTP_FROM

# --- Celery -----------------------------------------------------------------------------------------
# The state of a run is in its row. A message only calls a worker, which takes the run that is next; a lost message delays
# a run by one beat.

GISC_REDIS_URL = _REDIS_URL or embedded.redis_url(GISC_DATA_DIR)
CELERY_BROKER_URL = _REDIS_URL or embedded.broker_url(GISC_DATA_DIR)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # however long Redis is away
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_keepalive": True, "socket_timeout": 30}
# In Redis 0 is the highest priority. A tick is short and must not wait behind the slices of all runs.
_PRIORITY_OF_TICKS = 0
CELERY_TASK_DEFAULT_PRIORITY = 6
CELERY_TASK_DEFAULT_QUEUE = GISC_NAME
GISC_RUN_QUEUE = f"{GISC_NAME}-runs"  # one of its own, so that the calls that stand in it can be counted
CELERY_TASK_QUEUES = [Queue(GISC_NAME), Queue(GISC_RUN_QUEUE)]
CELERY_TASK_ROUTES = {"harvester.tasks.harvest": {"queue": GISC_RUN_QUEUE}}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_CONCURRENCY = GISC_HARVEST_WORKERS
# Python keeps what a large page took. After the task in which a process has grown beyond this, another takes its place.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = GISC_WORKER_MAX_MB * 1000 * 1000 // 1024  # in KiB
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 1800
CELERY_TIMEZONE = "UTC"
# The entries below need no stored state: what is due is decided in the database.
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    name: {
        "task": task,
        "schedule": GISC_BEAT_SECONDS,
        # Ticks must not pile up behind a long outage.
        "options": {"expires": 4 * GISC_BEAT_SECONDS, "priority": _PRIORITY_OF_TICKS},
    }
    for name, task in (
        ("tick", "harvester.tasks.tick"),
        ("catalogue-tick", "catalogue.tasks.tick"),
        ("alerts-tick", "gisc.alerts.tasks.tick"),
        ("wis-monitoring-tick", "gisc.wis_monitoring.tasks.tick"),
    )
}

# --- Wiring -----------------------------------------------------------------------------------------
# Functions by dotted path, for an app that may not import the module.

OAI_FRIENDS = (
    "harvester.monitoring.status.friend_base_urls"  # the base URLs in the `friends` container of Identify (P127)
)
CLOCK_DOUBT = "harvester.rows.clocks.clock_doubt"  # why the clock of this host is not trusted, for the purge (P85)
NODE_STATE = "gisc.parts.parts.public_report"  # the states of the parts of the node, for the pages of the harvests
IS_SIGNED_IN = (
    "gisc.accounts.second_factor.is_signed_in"  # who reads a public page, for records that not everybody sees
)
UPKEEP = "gisc.upkeep.tick"  # what the tick cleans up besides the apps' own
LINKS_INTO_SET = "harvester.links.feeding.links_into"  # the links that store into a set, for uploads (W42)

# --- Logging ----------------------------------------------------------------------------------------

LOG_LEVEL = env.text("LOG_LEVEL", "INFO")
if LOG_LEVEL not in ("DEBUG", "INFO", "WARNING", "ERROR"):
    raise ImproperlyConfigured(
        gettext("LOG_LEVEL is {value}; write DEBUG, INFO, WARNING or ERROR").format(value=repr(LOG_LEVEL))
    )
LOG_JSON = env.flag("LOG_JSON", not GISC_EMBEDDED_DATABASE)
LOG_ACCESS = env.flag("LOG_ACCESS", LOG_JSON)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "gisc.logs.JsonFormatter"},
        "line": {"()": "gisc.logs.LineFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "json" if LOG_JSON else "line",
        },
        "nowhere": {"class": "logging.NullHandler"},
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {name: {"level": LOG_LEVEL} for name in ("gisc", "catalogue", "oaiprovider", "harvester")}
    # `gisc.sign_ins` has the lines on failed sign-ins. Apprise names parts of addresses, which have secrets.
    # Errors of `cql` and `pycsw` are mistakes in the queries of others, which are told them.
    | {
        "axes": {"level": "ERROR"},
        "cql": {"level": "CRITICAL"},
        "pycsw": {"level": "CRITICAL"},
        "apprise": {"handlers": ["nowhere"], "propagate": False, "level": "WARNING"},
    },
}

FORMAT_MODULE_PATH = "gisc.formats"  # how the admin writes instants
UNFOLD = {
    "SITE_TITLE": GISC_NAME,
    "SITE_HEADER": GISC_NAME,
    "SITE_SUBHEADER": _("GISC catalogue node"),
    "SITE_SYMBOL": "travel_explore",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "/static/catalogue/icon.svg"}],
    "SHOW_HISTORY": False,
    "ACCOUNT": {
        "navigation": [
            {"title": _("Change password"), "link": reverse_lazy("admin:password_change")},
            {"title": _("Second factor"), "link": reverse_lazy("second-factor")},
        ]
    },
    "STYLES": [lambda request: static("harvester/states.css"), lambda request: static("gisc/admin.css")],
    "SCRIPTS": [lambda request: static("gisc/admin.js")],
    "COLORS": {
        "primary": {
            "50": "oklch(97% .014 254.604)",
            "100": "oklch(93.2% .032 255.585)",
            "200": "oklch(88.2% .059 254.128)",
            "300": "oklch(80.9% .105 251.813)",
            "400": "oklch(70.7% .165 254.624)",
            "500": "oklch(62.3% .214 259.815)",
            "600": "oklch(54.6% .245 262.881)",
            "700": "oklch(48.8% .243 264.376)",
            "800": "oklch(42.4% .199 265.638)",
            "900": "oklch(37.9% .146 265.522)",
            "950": "oklch(28.2% .091 267.935)",
        }
    },
    "DASHBOARD_CALLBACK": "gisc.dashboard.page.add_context",
    "SIDEBAR": {"navigation": "gisc.sidebar.navigation"},
}
