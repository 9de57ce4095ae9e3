"""What changes a vault: one module a use case, through ports only. Read first."""
