"""OAI-PMH as this node consumes it: links, runs, scheduling. Imports catalogue; never oaiprovider. Only gisc imports it."""
