"""A minimal History: executions, their scheduled events, and what has still to be brought to Matching.

A shard (`matching.history.shard`) serves clients, workers and Matching; the port to what is durable is
`matching.history.store`.  Five rules hold throughout:

1. One execution, one lock, one row: a change is one transaction, under the shard's range id and the
   row's version, and is told by the store when it takes effect.
2. Memory decides only while it is certain.  An answer that does not come is followed by a look at the row.
3. A worker gets an attempt only after its start is recorded, once; a completion counts by event and attempt.
4. An intent to bring a task to Matching is made with the event's attempt, in one transaction, and goes only
   after Matching has accepted it, or when it does not count any more.
5. Everything that time does follows from the row; after a restart every wait begins anew.

Left out: the history of events itself, signals, retries with intervals, heartbeats, cancellation, and
several clusters.
"""
