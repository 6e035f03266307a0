"""Where a host is called is an address of this machine."""

import pytest

from matching.adapters.rpc.addresses import Address, parse_peers
from matching.errors import InvalidArgument
from matching.identity import Host

H1 = Host("h1")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("127.0.0.1:7000", "ipv4:127.0.0.1:7000"),
        ("127.1.2.3:1", "ipv4:127.1.2.3:1"),
        ("localhost:65535", "ipv4:127.0.0.1:65535"),
        ("[::1]:7000", "ipv6:[::1]:7000"),
    ],
)
def test_an_address_of_this_machine_is_connected_to_without_a_name(text: str, target: str) -> None:
    assert Address.parse(text).target == target


@pytest.mark.parametrize("text", ["10.0.0.1:7000", "0.0.0.0:7000", "[::]:7000", "192.168.1.1:80", "8.8.8.8:53"])
def test_an_address_of_another_machine_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="is not on this machine"):
        Address.parse(text)


@pytest.mark.parametrize(
    "text", ["", "7000", ":7000", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "h1:7000", "::1:7"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="is no address"):
        Address.parse(text)


def test_peers_are_read_by_name() -> None:
    peers = parse_peers(H1, "h2=127.0.0.1:7002, a=b=127.0.0.1:7003")

    assert peers == {"h2": Address("127.0.0.1", 7002), "a=b": Address("127.0.0.1", 7003)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no peer"),
        ("127.0.0.1:7002", "is no peer"),
        ("=127.0.0.1:7002", "is no peer"),
        ("h2=127.0.0.1:7002,", "is no peer"),
        ("h2=7002", "is no address"),
        ("h2=10.0.0.1:7002", "is not on this machine"),
        ("h1=127.0.0.1:7002", "h1 is this host itself"),
        ("h2=127.0.0.1:7002,h2=127.0.0.1:7003", "h2 is named twice"),
        ("h2=127.0.0.1:7002,h3=127.0.0.1:7002", "the address 127.0.0.1:7002 of another"),
    ],
)
def test_what_names_no_peers_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        parse_peers(H1, text)
