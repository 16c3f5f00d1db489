"""Checks that take too long for the tests; each is a script, run by hand."""
