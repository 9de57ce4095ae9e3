"""Words and time in text, for every package. Pure: nothing but `model` and the standard library."""
