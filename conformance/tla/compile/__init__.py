"""From resolved modules to Python source: the compiler and what its output calls."""
