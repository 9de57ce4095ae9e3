"""Full-text index: documents -> ranked keys; the Finder port on Whoosh, and one in memory.

`contract` says what every index promises, `bag` turns a document into weighted terms and `scoring`
ranks them; `generations` keeps the index folder safe and whole, `whoosh_index` and `whoosh_codec`
alone import Whoosh, `whoosh_finder` joins the two; `memory_finder` needs neither. Importing any
other module imports no Whoosh.

The index is a cache: it may be deleted at any time, and whatever is wrong with it ends as
`IndexUnusable`, upon which the caller rebuilds it from the files or searches those instead.
"""
