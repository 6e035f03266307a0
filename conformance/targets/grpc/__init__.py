"""Two real hosts that make hops over gRPC: driven by clients, recorded by their step files, judged as one run."""
