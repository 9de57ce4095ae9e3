"""Help text of the qmd commands."""

from __future__ import annotations

_USAGE = """\
qmd — Quick Markdown Search (by engram)

Usage:
  qmd <command> [options]

Commands:
  qmd search <query>            - Full-text BM25 keywords, all of them
  qmd query <query>             - Any of the words, those with most of them first
  qmd query 'lex:..\\nvec:...'   - Structured query document (lex/vec/hyde/intent lines)
  qmd vsearch <query>           - Any of the words, scored as search does
  qmd get <file>[:from[:count]] - Show a document (line-numbered; #docid in header)
  qmd multi-get <pattern>       - Batch fetch via glob or comma-separated list
  qmd mcp [--http] [--port N]   - MCP server on stdin and stdout, or HTTP on this machine

Collections & context:
  qmd collection add/list/remove/rename/show   - Manage indexed folders
  qmd context add/list/rm                      - Attach human-written summaries
  qmd ls [collection[/path]]                   - Inspect indexed files

Maintenance:
  qmd init                      - Create a project-local .qmd index
  qmd status                    - View index + collection health
  qmd update                    - Re-index collections, after their update commands
  qmd embed                     - Nothing to do: no model is asked
  qmd cleanup [--dry-run]       - Drop what is gone, compact the index
  qmd doctor                    - Check that everything is there

Words of a query:
  deploy  run  "exact words"  -without  -"these words"  multi-agent  2026.4.10
  All have to be there (search, lex:), or any (query, vsearch, vec:, hyde:). A word is found by the
  beginning of its stem.

Options:
  --index <name>             - Use a named index (default: index)
  -c, --collection <name>    - Only these collections (may be repeated)
  -n <num>                   - Max results (default 5, or 20 for --format files|json)
  --all                      - Return all matches (pair with --min-score)
  --min-score <num>          - Minimum score
  --full                     - Output full document instead of snippet
  --format <kind>            - cli (default) | json | csv | md | xml | files
  --intent <text>            - What it is for; chooses between snippets
  --explain                  - Include how the places came about (query)
  --line-numbers             - Include line numbers (search; get/multi-get have them)
  --no-line-numbers          - Leave them out (get, multi-get)
  --full-path                - Show paths on disk instead of qmd:// + docid
  --from <line>, -l <num>    - From this line, at most so many (get, multi-get)
  --max-bytes <num>          - Skip files larger than this (multi-get, default 65536)
"""


def usage(index: str) -> str:
    """The help, with the place of an index."""
    import os

    from engram.surfaces.qmd.locations import places_of

    return f"{_USAGE}\nIndex: {places_of(os.environ, index).index}"
