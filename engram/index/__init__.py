"""Full-text index: documents -> ranked keys; the Finder port on Whoosh, and one in memory.

`contract` says what every index promises, `bag` turns a document into weighted terms and `scoring`
ranks them; `generations` keeps the index folder safe and whole, `whoosh_index` and `whoosh_codec`
read Whoosh's files, `collection_writer` and `segment_writer` write them; `merge_rule` says which
are merged; `whoosh_library` alone imports Whoosh, and with it only these four are imported.
`whoosh_finder` joins them at its first use; `memory_finder` needs none of them.

The index is a cache: it may be deleted at any time, and whatever is wrong with it ends as
`IndexUnusable`, upon which the caller rebuilds it from the files or searches those instead.
"""
