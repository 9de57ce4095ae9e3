"""Remote execution: command lines that a running daemon executes with the caller's streams."""
