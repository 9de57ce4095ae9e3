"""Is the vault sound? Findings, each with one fix; and what is waiting or was refused."""
