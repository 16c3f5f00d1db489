"""Checks that take too long for the tests, each a script, run by hand; and quick tests of these scripts."""
