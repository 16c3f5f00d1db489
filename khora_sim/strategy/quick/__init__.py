"""Choosing by prices, as archetypes do: an option is rated at once, without looking ahead."""
