"""Every planted fault is still a fault, and its stored scenario still finds it."""

import pytest

from conformance.targets.replaying import replay
from tests.mutants.hunt import EVERY_MUTANT, MOST_REQUESTS, SCENARIOS, finding, machine_of, scenario
from tests.mutants.mutant import AnchorError, Mutant

every_mutant = pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in EVERY_MUTANT])


@every_mutant
def test_an_anchor_stands_in_its_function_exactly_once(mutant: Mutant) -> None:
    assert mutant.occurrences() == 1


@every_mutant
def test_a_stored_scenario_finds_its_mutant_as_it_did_when_it_was_recorded(mutant: Mutant) -> None:
    header, requests, found_by = scenario(mutant)

    with mutant.applied():
        run = replay(header, requests)

    assert finding(run) == found_by


@every_mutant
def test_without_its_mutant_a_stored_scenario_conforms(mutant: Mutant) -> None:
    header, requests, _ = scenario(mutant)

    run = replay(header, [*requests, {"do": "settle"}])

    assert finding(run) == "allowed"


@every_mutant
def test_a_stored_scenario_is_short_enough_to_read(mutant: Mutant) -> None:
    _, requests, _ = scenario(mutant)

    assert len(requests) <= MOST_REQUESTS[machine_of(mutant)]


def test_every_stored_scenario_has_its_mutant() -> None:
    stored = {path.stem for path in SCENARIOS.glob("*.ndjson")}

    assert stored == {mutant.name for mutant in EVERY_MUTANT}


def test_no_two_mutants_have_one_name() -> None:
    assert len({mutant.name for mutant in EVERY_MUTANT}) == len(EVERY_MUTANT)


class Lamp:
    """Something small to break."""

    def label(self) -> str:
        return "on" + "on"

    @property
    def lit(self) -> bool:
        return True


def a_mutant_of_the_lamp(member: str, find: str, replace: str) -> Mutant:
    return Mutant(name="dark", source="own", breaks="-", target=f"{__name__}:Lamp.{member}", find=find, replace=replace)


def test_a_mutant_is_in_place_only_while_it_is_applied() -> None:
    with a_mutant_of_the_lamp("label", '"on" + "on"', '"off"').applied():
        during = Lamp().label()

    assert (during, Lamp().label()) == ("off", "onon")


def test_a_property_can_be_mutated() -> None:
    with a_mutant_of_the_lamp("lit", "True", "False").applied():
        during = Lamp().lit

    assert (during, Lamp().lit) == (False, True)


def test_the_original_comes_back_after_an_exception() -> None:
    with pytest.raises(KeyError), a_mutant_of_the_lamp("label", '"on" + "on"', '"off"').applied():
        raise KeyError

    assert Lamp().label() == "onon"


@pytest.mark.parametrize("anchor", ["missing", '"on"'])
def test_an_anchor_that_does_not_stand_there_once_changes_nothing(anchor: str) -> None:
    with pytest.raises(AnchorError, match="its anchor stands"), a_mutant_of_the_lamp("label", anchor, "x").applied():
        pass

    assert Lamp().label() == "onon"
