"""Who takes each action of ``spec/Matching.tla``, and who is told of it.

One rule: what is nobody else's affair (a match, a timer, a load) is not listed; it is
the host's own, and what stores, History and the network of hops decide names them twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from conformance.trace.mermaid import Message, Party

__all__ = ["MESSAGES"]

_ASKED = Message(Party.CALLERS, Party.SERVICE)
_ANSWERED = Message(Party.SERVICE, Party.CALLERS, is_answer=True)
_HOP_LEAVES = Message(Party.SERVICE, Party.NETWORK)
_HOP_ARRIVES = Message(Party.NETWORK, Party.SERVICE)
_HOP_ANSWERED = Message(Party.SERVICE, Party.NETWORK, is_answer=True)
_HOP_RETURNS = Message(Party.NETWORK, Party.SERVICE, is_answer=True)
_NETWORK = Message(Party.NETWORK, Party.NETWORK)
_CALLERS = Message(Party.CALLERS, Party.CALLERS)
_ASKS_STORE = Message(Party.SERVICE, Party.STORE)
_STORE_ANSWERS = Message(Party.STORE, Party.SERVICE, is_answer=True)
_STORE = Message(Party.STORE, Party.STORE)
_ASKS_HISTORY = Message(Party.SERVICE, Party.HISTORY)
_HISTORY_ANSWERS = Message(Party.HISTORY, Party.SERVICE, is_answer=True)
_HISTORY_ASKS = Message(Party.HISTORY, Party.SERVICE)
_HISTORY = Message(Party.HISTORY, Party.HISTORY)
_COMPLETES = Message(Party.CALLERS, Party.HISTORY)
_COMPLETED = Message(Party.HISTORY, Party.CALLERS, is_answer=True)

MESSAGES: Final[Mapping[str, Message]] = {
    **dict.fromkeys(("StartPoll", "AddTask", "CallerLeaves", "LeaveAdd", "OrderLoad", "OrderUnload"), _ASKED),
    **dict.fromkeys(("Return", "AnswerAdd"), _ANSWERED),
    **dict.fromkeys(("Forward", "Offer"), _HOP_LEAVES),
    **dict.fromkeys(("ArrivePoll", "ArriveTask", "CancelHop"), _HOP_ARRIVES),
    "Decline": _HOP_ANSWERED,
    **dict.fromkeys(("Resume", "Conclude"), _HOP_RETURNS),
    "LoseHop": _NETWORK,
    **dict.fromkeys(("DeadlinePasses", "ForgetPoll", "ForgetTask"), _CALLERS),
    **dict.fromkeys(("Claim", "Spool", "SaveLevel", "Delete"), _ASKS_STORE),
    **dict.fromkeys(
        ("Lead", "LoseLease", "ClaimAgain", "EndWrite", "ReadBacklog", "EndSave", "EndDelete"), _STORE_ANSWERS
    ),
    **dict.fromkeys(("TakeLease", "FenceClaim", "LoseClaim", "TakeAdrift", "EndAdrift"), _STORE),
    **dict.fromkeys(("CommitWrite", "FenceWrite", "FailWrite", "LoseWrite", "ServeRead", "FailRead"), _STORE),
    **dict.fromkeys(("CommitSave", "FenceSave", "LoseSave", "CommitDelete"), _STORE),
    "Transfer": _HISTORY_ASKS,
    "Ask": _ASKS_HISTORY,
    **dict.fromkeys(("Drop", "Keep"), _HISTORY_ANSWERS),
    **dict.fromkeys(("RecordStart", "RefuseStart", "FailStart", "LoseAnswer", "StrayEnds"), _HISTORY),
    **dict.fromkeys(("Schedule", "Restamp", "TryAgain", "GiveUp", "Close", "ForgetEvent"), _HISTORY),
    **dict.fromkeys(("RemoveIntent", "DiscardIntent"), _HISTORY),
    "Complete": _COMPLETES,
    **dict.fromkeys(("RefuseComplete", "ToldComplete"), _COMPLETED),
}
"""By action: who acts, and who is told."""
