"""Full-text index: documents -> ranked keys; the Finder port on Whoosh, and one in memory.

`contract` says what every index promises, `bag` turns a document into weighted terms and `scoring`
ranks them; `generations` keeps the index folder safe and whole, `whoosh_index` and `whoosh_codec`
read and write Whoosh's files, `whoosh_library` alone imports Whoosh, `whoosh_finder` joins them;
`memory_finder` needs none. Importing any but these three imports no Whoosh.

The index is a cache: it may be deleted at any time, and whatever is wrong with it ends as
`IndexUnusable`, upon which the caller rebuilds it from the files or searches those instead.
"""
