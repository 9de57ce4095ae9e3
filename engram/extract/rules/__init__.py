"""The rules tier: turns -> candidates by rules alone, without a model and without a key."""
