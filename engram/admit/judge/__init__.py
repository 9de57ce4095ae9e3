"""How two memories of one scope stand to each other: by rules, or by a model."""
