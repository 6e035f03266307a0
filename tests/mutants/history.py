"""Faults of History, each with the rule that it breaks; found as those of ``delivery.py`` are."""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant

__all__ = ["HISTORY"]

ALARMS: Final = "matching.history.alarms:Alarms"
ALARMS_OF: Final = "matching.history.alarms:alarms_of"
CALLS: Final = "matching.history.calls:Calls"
DRAFT: Final = "matching.history.draft:Draft"
EXECUTIONS: Final = "matching.history.executions:Executions"
PROCESSOR: Final = "matching.history.processor:TransferProcessor"
DECIDE_START: Final = "matching.history.calls:decide_start"
FIND_STARTED: Final = "matching.history.calls:find_started"
RING: Final = "matching.history.calls:ring"
SHARD: Final = "matching.history.shard:Shard"

HISTORY: Final = (
    Mutant(
        name="any-attempt-completes",
        source="own",
        breaks="only the attempt that counts is completed",
        target=FIND_STARTED,
        find=" or event.attempt != attempt",
        replace="",
    ),
    Mutant(
        name="attempt-is-completed-twice",
        source="own",
        breaks="a completion is accepted once",
        target=FIND_STARTED,
        find=" or event.phase is not Phase.STARTED",
        replace="",
    ),
    Mutant(
        name="every-call-started-the-attempt",
        source="own",
        breaks="an attempt is started by one call",
        target=DECIDE_START,
        find="(decision for decision in",
        replace="(Decision.AGAIN if decision is Decision.TAKEN else decision for decision in",
    ),
    Mutant(
        name="same-call-again-is-told-another-started",
        source="own",
        breaks="the same request gets the same answer",
        target=DECIDE_START,
        find="(decision for decision in",
        replace="(Decision.TAKEN if decision is Decision.AGAIN else decision for decision in",
    ),
    Mutant(
        name="stamp-does-not-count",
        source="own",
        breaks="only the options that count start an attempt",
        target=DECIDE_START,
        find="if decision is not None",
        replace="if decision and (decision is not Decision.STALE or item.attempt != event.attempt)",
    ),
    Mutant(
        name="event-that-is-over-is-started",
        source="own",
        breaks="an event that is over stays so",
        target=DECIDE_START,
        find="event is None or not event.open",
        replace="event is None",
    ),
    Mutant(
        name="next-attempt-has-the-starter-of-the-last",
        source="own",
        breaks="the next attempt was started by nobody",
        target=f"{DRAFT}.try_again",
        find=', "started_by": None',
        replace="",
    ),
    Mutant(
        name="restamped-event-has-no-intent",
        source="own",
        breaks="an attempt that is due is in an intent or in a record",
        target=f"{DRAFT}._move",
        find="if phase is Phase.SCHEDULED else",
        replace="if phase is Phase.SCHEDULED and event.phase is Phase.STARTED else",
    ),
    Mutant(
        name="close-leaves-what-waits",
        source="own",
        breaks="an execution closes with all its events",
        target=f"{DRAFT}.close",
        find="if event.open:",
        replace="if event.phase is Phase.STARTED:",
    ),
    Mutant(
        name="doubtful-change-counts-as-none",
        source="own",
        breaks="memory decides only while it is certain",
        target=f"{EXECUTIONS}.commit",
        find="        await self._load_again(loaded)\n",
        replace="        loaded.certain = True\n",
    ),
    Mutant(
        name="doubtful-change-is-not-looked-into",
        source="own",
        breaks="where nobody knows what became of a change, the row is loaded before anything is decided",
        target=f"{EXECUTIONS}.commit",
        find="    loaded.certain = False\n",
        replace="",
    ),
    Mutant(
        name="doubtful-run-is-left-alone",
        source="own",
        breaks="what was changed is brought to Matching, though nobody asks",
        target=f"{EXECUTIONS}._load_again",
        find="        self._mend(loaded)\n",
        replace="",
    ),
    Mutant(
        name="change-that-was-applied-counts-as-none",
        source="own",
        breaks="a change is told as having had no effect only where the row is as it was before",
        target=f"{EXECUTIONS}.commit",
        find="row_version == change.expected",
        replace="row_version >= change.expected",
    ),
    Mutant(
        name="fenced-shard-goes-on",
        source="own",
        breaks="a shard that has lost its range id stops",
        target=f"{EXECUTIONS}._fenced",
        find="    self._lost()\n",
        replace="",
    ),
    Mutant(
        name="change-is-known-before-it-is-applied",
        source="own",
        breaks="memory is never ahead of the store",
        target=f"{EXECUTIONS}.commit",
        find="    loaded.certain = False\n",
        replace="    loaded.execution = change.execution\n",
    ),
    Mutant(
        name="start-that-was-not-applied-counts",
        source="own",
        breaks="a start that was not recorded is not answered as one",
        target=f"{CALLS}.record_started",
        find="return StartOutcome.RETRYABLE",
        replace="return OUTCOMES[decision]",
    ),
    Mutant(
        name="doubtful-start-counts-as-failed",
        source="own",
        breaks="a start is told as failed only where it surely had no effect",
        target=f"{CALLS}.record_started",
        find="except NotApplied:",
        replace="except Exception:",
    ),
    Mutant(
        name="alarm-rings-though-nothing-awaits-it",
        source="own",
        breaks="a time-out ends only the attempt that it was set for",
        target=f"{CALLS}.ring",
        find="if alarm in alarms_of(loaded.execution):",
        replace="if loaded.event(EventId(alarm.name)):",
    ),
    Mutant(
        name="attempt-is-ended-before-its-time",
        source="own",
        breaks="an attempt is not ended by time before its time",
        target=f"{ALARMS}._begin",
        find="call_later(alarm.wait, ",
        replace="call_later(alarm.wait / 2, ",
    ),
    Mutant(
        name="next-attempt-has-no-time-out",
        source="own",
        breaks="time ends every attempt that no worker completes",
        target=ALARMS_OF,
        find="if event.phase is Phase.STARTED:",
        replace="if event.phase is Phase.STARTED and event.attempt == 1:",
    ),
    Mutant(
        name="one-attempt-too-many",
        source="own",
        breaks="an event is tried as often as its options allow",
        target=RING,
        find="event.attempt < most",
        replace="event.attempt <= most",
    ),
    Mutant(
        name="refused-add-counts-as-accepted",
        source="own",
        breaks="an intent goes only after an acceptance",
        target=f"{PROCESSOR}._add",
        find="                pass\n",
        replace="                return task_id\n",
    ),
    Mutant(
        name="refused-add-is-not-repeated",
        source="own",
        breaks="every intent is brought in the end",
        target=f"{PROCESSOR}._add",
        find="                pass\n",
        replace="                break\n",
    ),
    Mutant(
        name="intent-is-taken-up-twice",
        source="own",
        breaks="one intent has at most one add under way",
        target=f"{PROCESSOR}.follow",
        find="if intent.item not in self._at_work:",
        replace="if loaded:",
    ),
    Mutant(
        name="doubtful-removal-is-not-repeated",
        source="own",
        breaks="an accepted intent goes",
        target=f"{PROCESSOR}._bring",
        find="await self._backoff.insist(lambda: self._remove(intent, accepted))",
        replace="await self._remove(intent, accepted)",
    ),
    Mutant(
        name="every-intent-is-discarded",
        source="own",
        breaks="an intent of an attempt that is due goes only after an acceptance",
        target=f"{PROCESSOR}._remove",
        find="if accepted is not None:",
        replace="if accepted == '':",
    ),
    Mutant(
        name="stopped-shard-decides",
        source="own",
        breaks="a shard that has stopped tells nothing any more",
        target=f"{SHARD}.stop",
        find="self._work.stop()",
        replace="pass",
    ),
)
