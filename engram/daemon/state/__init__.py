"""Small files of the daemon in the user's state folder: lock, heartbeat, log, pause."""
