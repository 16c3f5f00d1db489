"""The built-in evaluator: features of a position, weights by name, and the choices that an option opens."""
