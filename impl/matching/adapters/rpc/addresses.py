"""Where hosts are called: addresses of this machine, and of no other."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping

import attrs

from matching.errors import InvalidArgument
from matching.identity import Host

__all__ = ["Address", "Calls", "parse_peers"]

_ADDRESS = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<four>[^\[\]:]+)):(?P<port>[0-9]{1,5})")


@attrs.frozen
class Address:
    """A port of this machine."""

    ip: str
    port: int

    def __str__(self) -> str:
        return f"[{self.ip}]:{self.port}" if ":" in self.ip else f"{self.ip}:{self.port}"

    @property
    def target(self) -> str:
        """What gRPC connects to, without asking anybody for a name."""
        return f"{'ipv6' if ':' in self.ip else 'ipv4'}:{self}"

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read ``127.0.0.1:PORT``.

        Raises:
            InvalidArgument: it is no address, or one of another machine.
        """
        found = _ADDRESS.fullmatch(text)
        port = 0 if found is None else int(found["port"])
        if found is None or not 0 < port < 65536:
            raise InvalidArgument(f"{text!r} is no address; write 127.0.0.1:PORT, with a port of 1 to 65535")
        name = found["six"] or found["four"]
        try:
            ip = ipaddress.ip_address("127.0.0.1" if name == "localhost" else name)
        except ValueError as error:
            raise InvalidArgument(f"{text!r} is no address; write 127.0.0.1:PORT, not a name") from error
        if not ip.is_loopback:
            raise InvalidArgument(f"{text} is not on this machine; hosts are called on loopback only: 127.0.0.1:PORT")
        return cls(str(ip), port)


@attrs.frozen(kw_only=True)
class Calls:
    """Where a host is called, of which namespace, and where it calls others; port 0 is any that is free."""

    port: int
    namespace: str
    peers: Mapping[Host, Address]


def parse_peers(host: Host, text: str) -> dict[Host, Address]:
    """Read ``NAME=127.0.0.1:PORT,…``: the hosts beside this one, and where they are called.

    Raises:
        InvalidArgument: it has another form, or names a host twice or this one, or an address twice.
    """
    peers: dict[Host, Address] = {}
    for entry in text.split(","):
        name, equals, address = entry.strip().rpartition("=")
        if not equals or not name.strip():
            raise InvalidArgument(f"{entry!r} is no peer; write NAME=127.0.0.1:PORT, with commas between")
        peer = Host(name.strip())
        if peer == host:
            raise InvalidArgument(f"{peer} is this host itself; name the others as peers")
        if peer in peers:
            raise InvalidArgument(f"{peer} is named twice among the peers; each host has one address")
        peers[peer] = Address.parse(address.strip())
    for peer, at in peers.items():
        if list(peers.values()).count(at) > 1:
            raise InvalidArgument(f"{peer} has the address {at} of another peer; each host has its own")
    return peers
