"""House rules that no linter knows, each held by a test."""
