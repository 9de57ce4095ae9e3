"""Outside cases against the product's real functions."""
