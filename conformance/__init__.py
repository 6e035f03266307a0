"""Does the running service do only what the specification allows?

The three things that never import one another meet here: the specification in
``spec/``, the service in ``matching`` and the recorded runs in ``traces/``.
"""
