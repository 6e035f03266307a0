"""Who takes each action of ``spec/PollRegistration.tla``, and who is told of it.

One rule: what is nobody else's affair (a match, a timer, a load) is not listed; it is
the host's own, and the store's own steps name the store twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.trace.mermaid import Message, Party

__all__ = ["MESSAGES"]

_ASKED = (Party.CALLERS, Party.SERVICE)
_ANSWERED = (Party.SERVICE, Party.CALLERS)
_WRITES = (Party.SERVICE, Party.STORE)
_WRITTEN = (Party.STORE, Party.SERVICE)
_STORE = (Party.STORE, Party.STORE)
_CALLERS = (Party.CALLERS, Party.CALLERS)

MESSAGES: Final[Mapping[str, Message]] = {
    "StartPoll": _ASKED,
    "AddTask": _ASKED,
    "CallerLeaves": _ASKED,
    "Return": _ANSWERED,
    "AnswerAdd": _ANSWERED,
    "DeadlinePasses": _CALLERS,
    "ForgetPoll": _CALLERS,
    "ForgetTask": _CALLERS,
    "Spool": _WRITES,
    "CommitWrite": _STORE,
    "FailWrite": _STORE,
    "CommitDelete": _STORE,
    "ServeRead": _STORE,
    "ReadBacklog": _WRITTEN,
    "Acknowledge": _WRITTEN,
    "AcknowledgeFails": _WRITTEN,
}
"""By action: who acts, and who is told."""
