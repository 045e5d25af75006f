"""HTTP requests to providers: access, sessions, SSRF. The only code that opens connections to providers."""
