"""Walks the service through a counterexample of the specification, as far as a correct service goes."""
