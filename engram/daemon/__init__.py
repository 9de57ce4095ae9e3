"""Background capture: events are hints, scans are truth. For now the tail of one folder."""
