"""A deterministic world for the unchanged service: virtual time, a store and callers that the test steers."""
