"""Learned values: what a position is worth, found by playing; the features, the net, and its file."""
