"""The night shift: what a vault knows -> steps that make it age well; one module a pass."""
