"""Faults of what is offered: of a task that a child offers to its parent, and of what either does about it.

As in ``forwarding.py``, each is the smallest change that plants a fault of its kind.
"""

from __future__ import annotations

from typing import Final

from tests.mutants.mutant import Mutant

__all__ = ["OFFERS"]

ENGINE: Final = "matching.engine:Engine"
FORWARDER: Final = "matching.forwarder:Forwarder"
MANAGER: Final = "matching.manager:PartitionManager"

OFFERS: Final = (
    Mutant(
        name="parent-stores-what-it-was-offered",
        source="FAULTS Z52",
        breaks="only the partition that received a task first stores it",
        target=f"{ENGINE}._hand_over_or_store",
        find="elif task.forward_info is not None:",
        replace="elif task.forward_info is not None and not manager.backlog.ready:",
    ),
    Mutant(
        name="stored-task-that-was-taken-is-not-finished",
        source="FAULTS Z52",
        breaks="a stored task that was taken above is finished below",
        target=f"{FORWARDER}._take_back",
        find="        self._backlog.finish(record)\n",
        replace="        pass\n",
    ),
    Mutant(
        name="task-that-was-not-taken-is-offered-again-at-once",
        source="FAULTS Z52",
        breaks="a stored task that nobody took waits before it is offered again",
        target=f"{FORWARDER}._take_back",
        find="call_later(self._limits.retry_seconds, ",
        replace="call_later(0.0, ",
    ),
    Mutant(
        name="passive-parent-stores-what-it-was-offered",
        source="FAULTS Z53",
        breaks="a parent stores nothing that it was offered, active or passive",
        target=f"{ENGINE}._hand_over_or_store",
        find="elif task.forward_info is not None:",
        replace="elif task.forward_info is not None and (self.namespace.active or not manager.backlog.ready):",
    ),
    Mutant(
        name="offer-that-was-not-answered-is-the-last",
        source="FAULTS Z54",
        breaks="a stored task is offered again, whatever became of an offer",
        target=f"{FORWARDER}._take_back",
        find="    self._backlog.memory.postpone(record)\n",
        replace=(
            "    self._backlog.memory.postpone(record)\n"
            "    if answer is None:\n"
            "        self._active = lambda: False\n"
            "        return\n"
        ),
    ),
    Mutant(
        name="canceled-offer-counts-as-taken",
        source="FAULTS Z21",
        breaks="what no poll has taken stays with the child",
        target=f"{FORWARDER}._take_back",
        find="if answer in (OfferAnswer.TAKEN, OfferAnswer.DROPPED):",
        replace="if answer is not None:",
    ),
    Mutant(
        name="stored-task-that-was-dropped-is-offered-again",
        source="own",
        breaks="a stored task that was dropped above is finished below",
        target=f"{FORWARDER}._take_back",
        find="if answer in (OfferAnswer.TAKEN, OfferAnswer.DROPPED):",
        replace="if answer is OfferAnswer.TAKEN:",
    ),
    Mutant(
        name="dropped-task-is-told-as-taken",
        source="own",
        breaks="taken and dropped are two answers",
        target=f"{ENGINE}._hand_over_or_store",
        find="                return _ENDS[fate]\n",
        replace="                return OfferAnswer.TAKEN\n",
    ),
    Mutant(
        name="unanswered-offer-counts-as-taken",
        source="own",
        breaks="an offer that was not answered says nothing",
        target=f"{FORWARDER}.retract",
        find="self._settle(offer, None)",
        replace="self._settle(offer, OfferAnswer.TAKEN)",
    ),
    Mutant(
        name="stored-task-of-an-unanswered-offer-is-forgotten",
        source="own",
        breaks="a stored task that was not taken is offered again",
        target=f"{FORWARDER}._take_back",
        find="self._backlog.memory.postpone(record)",
        replace="self._backlog.memory._held.pop(record.record_id)",
    ),
    Mutant(
        name="answered-offer-is-given-up",
        source="own",
        breaks="an offer is answered, or given up, and never both",
        target=f"{FORWARDER}.retract",
        find="self.offers.pop(offer.hop_id, None)",
        replace="(self.offers.pop(offer.hop_id, None) or offer.known)",
    ),
    Mutant(
        name="offer-that-was-given-up-goes-on",
        source="own",
        breaks="whoever waits for an offer no longer cancels it",
        target=f"{FORWARDER}.retract",
        find="        offer.call.cancel()\n",
        replace="",
    ),
    Mutant(
        name="leaving-add-leaves-its-offer",
        source="own",
        breaks="an add whose caller has left gives its offer up",
        target=f"{ENGINE}._ask_parent",
        find="        forwarder.retract(offer)\n",
        replace="",
    ),
    Mutant(
        name="end-of-an-offer-wakes-nobody",
        source="own",
        breaks="a task whose offer has ended meets the poll that waits for it",
        target=f"{FORWARDER}._settle",
        find="    self._again()\n",
        replace="",
    ),
    Mutant(
        name="refusal-is-told-as-taken",
        source="own",
        breaks="a parent that cannot take a task leaves it with the child",
        target=f"{ENGINE}.offer",
        find="        return OfferAnswer.CANCELED\n",
        replace="        return OfferAnswer.TAKEN\n",
    ),
    Mutant(
        name="unload-leaves-its-offers-under-way",
        source="own",
        breaks="a manager that stops cancels what it has offered",
        target=f"{FORWARDER}.stop",
        find="        offer.call.cancel()\n",
        replace="",
    ),
    Mutant(
        name="stop-forgets-who-waits-for-an-offer",
        source="own",
        breaks="an add whose offer goes with its manager is taken up by the next",
        target=f"{FORWARDER}.stop",
        find="        offer.settle(None)\n",
        replace="",
    ),
    Mutant(
        name="stopped-manager-hears-of-its-offers",
        source="own",
        breaks="what a stopped manager has offered is answered to nobody",
        target=f"{FORWARDER}.stop",
        find="    self.offers.clear()\n    for offer in offers:\n        offer.call.cancel()\n",
        replace="    for offer in offers:\n",
    ),
    Mutant(
        name="offered-task-stays-in-memory",
        source="own",
        breaks="a stored task that is offered is given to no poll meanwhile",
        target=f"{FORWARDER}.offer_stored",
        find="        self._backlog.memory.hold(record)\n",
        replace="",
    ),
    Mutant(
        name="passive-child-offers-what-it-has-stored",
        source="own",
        breaks="no task is offered while the namespace is passive",
        target=f"{FORWARDER}.offer_stored",
        find=" or not self._active()",
        replace="",
    ),
    Mutant(
        name="passive-child-offers-what-arrives",
        source="own",
        breaks="a task that arrives while the namespace is passive is stored",
        target=f"{ENGINE}._hand_over_or_store",
        find=" and self.namespace.active",
        replace="",
    ),
    Mutant(
        name="offer-before-a-look-for-a-poll",
        source="own",
        breaks="a task is offered to the parent only where no poll waits for it",
        target=f"{ENGINE}._hand_over_or_store",
        find="None if must_be_stored else manager.sync_match(task)",
        replace="manager.sync_match(task) if was_offered or manager.forwarder is None else None",
    ),
    Mutant(
        name="reader-offers-before-it-looks-for-a-poll",
        source="own",
        breaks="what was read is offered to the parent only where no poll waits for it",
        target=f"{MANAGER}._look",
        find="    self._match()\n",
        replace="    if self.forwarder is not None:\n        self.forwarder.offer_stored()\n    self._match()\n",
    ),
    Mutant(
        name="task-is-stored-unasked",
        source="own",
        breaks="a child stores an arriving task only after its parent was asked",
        target=f"{ENGINE}._hand_over_or_store",
        find="not (must_be_stored or was_offered)",
        replace="not (must_be_stored or was_offered or task.forward_info is None)",
    ),
    Mutant(
        name="parent-declines-though-a-poll-waits",
        source="own",
        breaks="an offered task meets a poll that may have it",
        target=f"{ENGINE}._hand_over_or_store",
        find="None if must_be_stored else manager.sync_match(task)",
        replace="None if must_be_stored or task.forward_info is not None else manager.sync_match(task)",
    ),
    Mutant(
        name="no-look-for-a-poll-after-an-offer",
        source="own",
        breaks="a poll that came while a task was offered gets it before it is stored",
        target=f"{ENGINE}._hand_over_or_store",
        find="None if must_be_stored else manager.sync_match(task)",
        replace="None if must_be_stored or was_offered else manager.sync_match(task)",
    ),
    Mutant(
        name="sticky-partition-serves-polls",
        source="own",
        breaks="a poll of a sticky partition is rejected",
        target=f"{ENGINE}.poll",
        find="if request.partition.sticky:",
        replace="if request.partition.sticky and request.forward_info is not None:",
    ),
    Mutant(
        name="sticky-partition-takes-tasks",
        source="own",
        breaks="an add to a sticky partition is rejected",
        target=f"{ENGINE}._hand_over_or_store",
        find="if task.partition.sticky:",
        replace="if task.partition.sticky and task.forward_info is not None:",
    ),
)
