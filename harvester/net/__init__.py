"""HTTP requests to providers: access, sessions, addresses that may be asked. The only code that opens connections to providers."""
