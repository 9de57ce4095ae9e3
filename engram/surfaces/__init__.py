"""How people and agents reach a vault: parse, call `Vault`, format. No rule is decided here."""
