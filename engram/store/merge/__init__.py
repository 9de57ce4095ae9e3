"""Two versions of one file -> one that loses nothing: what sync tools and git left apart."""
