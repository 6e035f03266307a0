"""What the judge is made of; `conformance.judge` is the door."""
