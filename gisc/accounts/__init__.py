"""How people stay signed in: limits of sessions, and the second factor. The pages of accounts are in `gisc/admin/`."""
