"""Tests of the trace format and of the judge."""
