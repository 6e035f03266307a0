"""What each variable and action of the specification means in the running system, one file per finest module."""
