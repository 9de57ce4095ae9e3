"""Documents -> ranked keys: the Finder port on Whoosh, and the same contract in memory.

`contract` says what every index promises, `analysis` (with `english`) turns text into terms and
`scoring` weighs them; `generations` keeps the index folder safe and whole, `whoosh_index` is the
only module that imports Whoosh, `whoosh_finder` joins the two; `memory_finder` needs neither.
Importing any of them but `whoosh_index` imports no Whoosh.

The index is a cache: it may be deleted at any time, and whatever is wrong with it ends as
`IndexUnusable`, upon which the caller rebuilds it from the files or searches those instead.
"""
