"""A run as a sequence diagram in Mermaid's language: callers, hosts, the network between them, the store and History.

Four rules:

1. Who acts and who is told is not in a trace; it is given, by action.  What is not
   given is the acting host's own affair.
2. A step whose host is not known stands at the one host of the run, or, where there are
   several, at a lifeline for the service as a whole.
3. No word of a run is ever a word of the diagram: lifelines have names of their own, and
   every character that could mean something is written as its number.
4. What a step changes is told in the text of ``conform show``, not here.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence

import attrs

from conformance.trace.header import Footer, Header
from conformance.trace.show import plain
from conformance.trace.step import TraceStep, call

__all__ = ["Message", "Party", "escaped", "show_mermaid"]

_HARMLESS = frozenset(" _-.,()/='[]{}+*|!?")


class Party(enum.Enum):
    """Who takes part in a run."""

    CALLERS = "callers"
    SERVICE = "service"
    STORE = "store"
    HISTORY = "history"
    NETWORK = "network"


@attrs.frozen
class Message:
    """Who acts, and who is told of it: twice the same where it is nobody else's affair."""

    sender: Party
    receiver: Party
    is_answer: bool = False


_OWN_AFFAIR = Message(Party.SERVICE, Party.SERVICE)


def show_mermaid(
    header: Header, steps: Sequence[TraceStep], footer: Footer | None, messages: Mapping[str, Message]
) -> str:
    """The diagram as text; an arrow is a step that somebody else is told of, a note is any other."""
    hosts = sorted({step.host for step in steps if step.host is not None} | _born_hosts(steps))
    told = [messages.get(step.action or "", _OWN_AFFAIR) for step in steps]
    lifelines = _lifelines(hosts, {party for each in told for party in (each.sender, each.receiver)})
    title = [f"    title {escaped(header.why)}"] if header.why.strip() else []
    lines = ["sequenceDiagram", *title]
    lines += [f"    participant {name} as {escaped(shown)}" for name, shown in lifelines.values()]
    ends = list(lifelines.values())
    everyone = f"{ends[0][0]},{ends[-1][0]}"
    last = None
    for step in steps:
        if step.step == 0:
            continue
        moment = step.end_ms if step.begin_ms is None else step.begin_ms
        if moment is not None and moment != last:
            lines.append(f"    Note over {everyone}: {escaped(f'{moment:g} ms')}")
            last = moment
        lines.append(f"    {_line(step, lifelines, messages)}")
    lines.append(f"    %% {'cut short' if footer is None else f'ended {footer.end}'}")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """The text with every character that Mermaid or a browser could take for its own written as its number."""
    return "".join(each if each.isalnum() or each in _HARMLESS else f"#{ord(each)};" for each in text)


def _born_hosts(steps: Sequence[TraceStep]) -> set[str]:
    return {host for step in steps for host in step.new.get("Host", ())}


def _lifelines(hosts: Sequence[str], parties: Collection[Party]) -> dict[str | Party, tuple[str, str]]:
    """By party or host: the name of the lifeline, and what is shown of it; some have one only where they take part."""
    found: dict[str | Party, tuple[str, str]] = {Party.CALLERS: ("callers", "callers")}
    if len(hosts) != 1:
        found[Party.SERVICE] = ("service", "service")
    found |= {host: (f"host{number}", f"host {host}") for number, host in enumerate(hosts, 1)}
    if Party.NETWORK in parties:
        found[Party.NETWORK] = ("network", "network")
    found[Party.STORE] = ("store", "store")
    return found | ({Party.HISTORY: ("history", "history")} if Party.HISTORY in parties else {})


def _line(step: TraceStep, lifelines: Mapping[str | Party, tuple[str, str]], messages: Mapping[str, Message]) -> str:
    message = messages.get(step.action or "", _OWN_AFFAIR)
    first, second = (_lifeline(party, step, lifelines) for party in (message.sender, message.receiver))
    what = "nothing that has a name" if step.action is None else call(step.action, step.args, plain)
    said = escaped(f"{step.step}  {what}")
    if first == second:
        return f"Note over {first}: {said}"
    arrow = "-->>" if message.is_answer else "->>"
    return f"{first}{arrow}{second}: {said}"


def _lifeline(party: Party, step: TraceStep, lifelines: Mapping[str | Party, tuple[str, str]]) -> str:
    if party is not Party.SERVICE:
        return lifelines[party][0]
    if step.host is not None:
        return lifelines[step.host][0]
    return lifelines.get(Party.SERVICE, list(lifelines.values())[1])[0]
