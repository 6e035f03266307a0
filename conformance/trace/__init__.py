"""The trace format ``matching-trace/1``: what a run did, one step a line, the same run always the same bytes."""
