"""qmd-compatible command line and MCP server, on any folder of Markdown."""
