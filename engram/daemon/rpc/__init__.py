"""Command lines that a running daemon carries out for other processes of the same user."""
