"""Broken services that the suite must find."""
