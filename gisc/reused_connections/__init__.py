"""The backend of the database: Django's for PostgreSQL, which in a worker's process hands connections from thread to thread."""
