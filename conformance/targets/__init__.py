"""The systems under test, each behind the same small set of verbs."""
