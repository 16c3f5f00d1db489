"""Facts that a player reads off a view: what it has, what things cost and do, and where an option leads."""
