"""Background process: captures what agents write, settles edits, consolidates, answers commands."""
