"""Making players: each is a search over what a player can be told, and is written as data."""
