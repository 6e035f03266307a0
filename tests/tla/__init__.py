"""The evaluator against TLC, and by itself."""
