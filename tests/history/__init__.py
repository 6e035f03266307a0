"""Tests of the minimal History, each run judged by the specification of delivery."""
