"""How hosts are called, and call one another: gRPC, on this machine."""
