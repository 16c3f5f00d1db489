"""Khôra, measured: a Monte-Carlo analyser for the board game."""

__version__ = "0.1.0"
