"""The real edges of the service: database, RPC, metrics.

Only here may a blocking call or a thread hide behind an async port.
"""
