"""The command line: one file a verb; data on stdout, talk on stderr, `--json` everywhere."""
