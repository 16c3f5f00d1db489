"""The value model: what a thing is worth to a player, in points. Each question is answered here, once."""
