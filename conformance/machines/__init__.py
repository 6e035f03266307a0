"""The stateful machines of Hypothesis, one per capability."""
