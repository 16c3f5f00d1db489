"""Making players: tuned weights and learned values, written as data with their origin."""
