"""The model tier: turns -> one question -> candidates, every item of the answer checked."""
