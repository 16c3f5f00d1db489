"""The built-in evaluator: features of a position, weights by name, one step of look-ahead."""
