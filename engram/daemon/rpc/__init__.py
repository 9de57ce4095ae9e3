"""Control socket: a running daemon executes command lines for other processes of the same user."""
