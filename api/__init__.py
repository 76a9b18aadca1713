"""The HTTP API: requests in, commands to the domain, answers from the log. Nothing happens at import."""
