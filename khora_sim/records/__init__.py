"""Games in words and as JSON records: replay and verify."""
