"""TLA+ for Python: modules read by SANY, judged by compiled Python, checked by TLC."""
