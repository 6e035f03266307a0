"""The service is led along counterexamples of the specification."""
