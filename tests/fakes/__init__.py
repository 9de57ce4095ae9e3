"""Stand-ins for what lies outside: a model behind a real socket."""
