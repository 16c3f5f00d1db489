"""Choosing by looking ahead, as weights files do: an option is rated by the position it leads to."""
