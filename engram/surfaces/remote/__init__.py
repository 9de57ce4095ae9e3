"""Command lines handed to a running daemon, and carried out there with the caller's streams."""
