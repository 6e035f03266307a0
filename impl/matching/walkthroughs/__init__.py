"""Walkthroughs: the service at work in real time, told step by step."""
