"""The task-matching service: workers' polls wait at partitions, and tasks meet them there."""
