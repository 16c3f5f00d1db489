"""Making players: each is a search over the numbers that a player plays by, and is written as data."""
