"""A minimal History: executions, their scheduled events, and the intents to bring those to Matching."""
