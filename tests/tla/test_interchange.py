"""Ids that a specification cannot tell apart."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from conformance.tla.config import Config
from conformance.tla.interchange import Interchange, interchangeable, renamed
from conformance.tla.model import Model
from conformance.tla.values import Fn, make_function, model_value

RING = Path(__file__).parent / "modules" / "Ring.tla"
MEMBERS = tuple(model_value(name) for name in ("m1", "m2", "m3", "m4"))
COLOURS = frozenset({"red", "blue"})


def ring(following: str = "Next", members: Any = frozenset(MEMBERS), first: Any = "nobody") -> Model:
    constants = {"Member": members, "First": first, "Colour": COLOURS}
    return Model.load(RING, Config(name="Ring.cfg", init="Init", next=following, constants=constants))


def test_ids_of_a_set_that_nothing_names_are_interchangeable() -> None:
    found = interchangeable(ring())

    assert found.classes == {"Member": MEMBERS, "Colour": ("blue", "red")}


def test_an_id_that_is_a_constant_of_its_own_is_held_apart() -> None:
    assert interchangeable(ring(first=MEMBERS[1])).classes["Member"] == (MEMBERS[0], *MEMBERS[2:])


def test_an_id_that_the_run_names_is_held_apart() -> None:
    assert interchangeable(ring(), {MEMBERS[0], "red"}).classes == {"Member": MEMBERS[1:]}


def test_a_string_that_the_module_writes_is_held_apart() -> None:
    assert interchangeable(ring(members=frozenset({"none", "a", "b"}))).classes["Member"] == ("a", "b")


def test_numbers_are_never_interchangeable() -> None:
    assert interchangeable(ring(members=frozenset({1, 2, 3}))).classes == {"Colour": ("blue", "red")}
    found = interchangeable(ring(members=frozenset({1, 2, 3})), {"blue", "red"})
    assert found.why_not == "Member is a set of numbers, and numbers are never exchanged; use model values"


def test_a_choice_among_values_that_may_hold_ids_forbids_every_exchange_and_says_where() -> None:
    found = interchangeable(ring("Leading"))

    assert found.classes == {}
    assert found.why_not == "Ring.tla:9:41 chooses among values that may hold ids"


def _random_state(random: Random, *, related: bool) -> tuple[Any, ...]:
    knows = {m: frozenset(random.sample(MEMBERS, random.randrange(3)) if related else ()) for m in MEMBERS}
    return make_function(knows), make_function({m: random.choice(["none", "red", "blue"]) for m in MEMBERS})


@pytest.mark.parametrize("related", [False, True])
def test_a_key_is_shared_only_by_states_that_an_exchange_makes_of_each_other(related: bool) -> None:
    random = Random(7)
    exchange = Interchange({"Member": MEMBERS})
    states = [_random_state(random, related=related) for _ in range(120)]
    same = 0
    for one in states:
        for other in states:
            if exchange.key(one) == exchange.key(other):
                assert _are_exchanged(one, other)
                same += one != other
            elif not related:
                # Each part holds one id at most: the key is exact.
                assert not _are_exchanged(one, other)
    assert same or related


def test_states_that_an_exchange_makes_of_each_other_mostly_share_a_key_even_in_relations() -> None:
    random = Random(8)
    exchange = Interchange({"Member": MEMBERS})
    shared = 0
    for _ in range(100):
        state = _random_state(random, related=True)
        mapping = dict(zip(MEMBERS, random.sample(MEMBERS, len(MEMBERS)), strict=True))
        shared += exchange.key(state) == exchange.key(tuple(renamed(value, mapping) for value in state))
    assert shared > 80


def _are_exchanged(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    mappings = (dict(zip(MEMBERS, order, strict=True)) for order in permutations(MEMBERS))
    return any(tuple(renamed(value, mapping) for value in one) == other for mapping in mappings)


def test_what_stands_in_two_places_is_exchanged_in_both() -> None:
    value = make_function({"of": MEMBERS[0], "to": (MEMBERS[1], MEMBERS[0])})
    swapped = renamed(value, {MEMBERS[0]: MEMBERS[1], MEMBERS[1]: MEMBERS[0]})

    assert isinstance(swapped, Fn)
    assert (swapped["of"], swapped["to"]) == (MEMBERS[1], (MEMBERS[0], MEMBERS[1]))
