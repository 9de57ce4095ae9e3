"""Passes of a consolidation, one module each: a vault -> the steps that it needs."""
