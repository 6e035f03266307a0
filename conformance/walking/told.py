"""A counterexample of TLC, told in the words of the running system.

Four rules:

1. The model's ids become the ids of a world: hosts, partitions, polls and the rest are
   known by where they stand in the states, in their order.
2. TLC names actions without arguments (its newer versions name both).  The arguments
   are those with which the specification allows the step.
3. The first step that the specification does not allow is the *mutated* one.  Its
   arguments are taken from the mutant where that is known, otherwise from the instance
   of the action that comes nearest to what is told.
4. A counterexample that ends in a loop, or in stuttering for ever, has no mutated step:
   what is told is that the service may go on like this, and do nothing else.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from conformance.judging.instances import domains_of
from conformance.targets.world import PARTITIONS, World
from conformance.tla.errors import EvaluationError, TlaError
from conformance.tla.model import Model, State, Step
from conformance.tla.tlc_verdict import TraceState, Verdict
from conformance.tla.values import Fn, ModelValue, format_value, make_function
from conformance.walking.part import DRIVEN, part_model

__all__ = ["Told", "UntellableError", "others", "read_told"]

_POOLS: Mapping[str, tuple[str, ...]] = {
    "Host": ("h1", "h2"),
    "Partition": PARTITIONS,
    "Version": ("unversioned", "v2", "v3"),
    "Worker": ("w1", "w2", "w3"),
    "Poll": ("p1", "p2", "p3", "p4"),
    "Task": ("t1", "t2", "t3", "t4"),
}
_ASKS = frozenset({"Ask", "Drop", "Keep"})
"""Steps that are taken only with a task of which History must be asked."""


class UntellableError(TlaError):
    """A counterexample that says nothing about the service."""


@attrs.frozen(kw_only=True)
class Told:
    """What the specification, or a mutant of it, says can happen.

    ``states`` has one more than ``steps``.  ``mutated`` is the index of the step that the
    specification does not allow; ``loop`` is the index of the state to which the last one
    returns (the last itself where it repeats for ever).
    """

    name: str
    world: World
    steps: tuple[Step, ...]
    states: tuple[State, ...]
    mutated: int | None = None
    loop: int | None = None
    violated: str | None = None
    owed: frozenset[str] = frozenset()
    """The actions that the specification owes and the mutant does not, where that is known."""
    is_reached: Callable[[State, State], bool] | None = attrs.field(default=None, eq=False)
    """Whether a lawful walk whose last two states are these is where it was to lead; None where nobody can tell."""

    def as_mapping(self, state: State) -> dict[str, Any]:
        """A state by its variables."""
        return part_model(self.world.constants).as_mapping(state)

    @property
    def carrying(self) -> frozenset[str]:
        """The tasks that must stand for an event: their handlers ask History."""
        return _carrying(self.steps)

    @property
    def lawful(self) -> int:
        """How many of the steps the specification allows."""
        return len(self.steps) if self.mutated is None else self.mutated

    @property
    def stem(self) -> int:
        """How many of the steps come before the loop, or before the mutated step, or at all."""
        return self.lawful if self.loop is None else self.loop

    def escape(self, steps: Iterable[Step]) -> Step | None:
        """The first of the steps that leaves the loop: one that is owed, or, where that is not known, any other.

        None where there is none, or no loop.
        """
        if self.loop is None:
            return None
        inside = {step.action for step in self.steps[self.stem :]}
        return next(
            (step for step in steps if (step.action in self.owed if self.owed else step.action not in inside)), None
        )


def read_told(verdict: Verdict, name: str, mutant: Model | None = None) -> Told:
    """The counterexample of a verdict; ``mutant`` is the model that allows it, over the model's own ids.

    Raises:
        UntellableError: there is no counterexample, or not one of this specification.
    """
    try:
        return _read_told(verdict, name, mutant)
    except EvaluationError as error:
        raise UntellableError(f"{name} has values that do not fit {DRIVEN}: {error}") from error


def _read_told(verdict: Verdict, name: str, mutant: Model | None) -> Told:
    trace = verdict.counterexample
    if not trace:
        said = f"{verdict.verdict}: {verdict.errors[0]}" if verdict.errors else verdict.verdict
        raise UntellableError(f"{name} has no counterexample: the verdict is {said}")
    ids = _ids(trace, name)
    constants = {constant: _POOLS[constant][: max(1, len(each))] for constant, each in ids.items()}
    model = part_model(constants)
    names = {old: new for constant, olds in ids.items() for old, new in zip(olds, _POOLS[constant], strict=False)}
    states = [_state(each, model, names, name) for each in trace]
    steps: list[Step] = []
    mutated: int | None = None
    for number, (before, after) in enumerate(itertools.pairwise(states)):
        label = _bare(trace[number + 1].action, model)
        allowed = [step for step in model.check_step(before, after) if label in (None, step.action)]
        if allowed:
            steps.append(_likeliest(allowed, trace[number + 1].args, names))
            continue
        if mutant is not None:
            ours = [mutant.state_from(trace[at].values) for at in (number, number + 1)]
            allowed = [
                Step(step.action, _renamed(step.args, names))
                for step in mutant.check_step(*ours)
                if label in (None, step.action)
            ]
        steps.append(allowed[0] if allowed else _nearest(model, label, before, after, name))
        mutated = number
        break
    states = states[: len(steps) + 1]
    if mutated is None and verdict.lasso is not None and states[verdict.lasso] != states[-1]:
        # The step that closes the loop is told apart from the others.
        label = _bare(verdict.lasso_action, model)
        closing = [step for step in model.check_step(states[-1], states[verdict.lasso]) if label in (None, step.action)]
        steps += closing[:1]
        states += [states[verdict.lasso]] * len(closing[:1])
    loop = None
    if mutated is None and (verdict.lasso is not None or verdict.stuttering):
        loop = verdict.lasso if verdict.lasso is not None else len(states) - 1
    return Told(
        name=name,
        world=_world(constants, trace[0], steps),
        steps=tuple(steps),
        states=tuple(states),
        mutated=mutated,
        loop=loop,
        violated=verdict.violated,
    )


def others(mutant: Model, original: Model, action: str, name: str) -> Iterator[Told]:
    """Further ways to a step of the action that only the mutant allows, the shortest first.

    Both models are the same but for the mutation.  What TLC gives is the first of many, and need not be one that
    the service can be led along: it may settle at once what the specification leaves open.
    """
    queue: deque[tuple[State, tuple[TraceState, ...]]] = deque()
    for state in original.initial_states():
        queue.append((state, (TraceState(None, original.as_mapping(state)),)))
    seen = {state for state, _ in queue}
    while queue:
        state, trace = queue.popleft()
        lawful: dict[State, Step] = {}
        for step, following in original.successors(state):
            lawful.setdefault(following, step)
        for step, following in mutant.successors(state, {action}):
            if following != state and not original.allows(action, step.args, state, following):
                last = TraceState(action, original.as_mapping(following), None, step.args)
                yield read_told(Verdict(verdict="safety", counterexample=(*trace, last)), name, mutant)
        for following, step in lawful.items():
            if following not in seen:
                seen.add(following)
                last = TraceState(step.action, original.as_mapping(following), None, step.args)
                queue.append((following, (*trace, last)))


def _ids(trace: Sequence[TraceState], name: str) -> dict[str, list[Any]]:
    """The ids of each kind, in the order of their names."""
    found: dict[str, set[Any]] = {constant: set() for constant in _POOLS}
    for each in trace:
        values = each.values
        if not {"running", "wanted", "queue", "active"} <= values.keys():
            raise UntellableError(f"{name} shows the variables {', '.join(sorted(values))}, and not those of {DRIVEN}")
        for host, partition in _domain(values["running"]):
            found["Host"].add(host)
            found["Partition"].add(partition)
        found["Poll"].update(_domain(values["wanted"]))
        found["Task"].update(_domain(values["queue"]))
        for wanted in filter(None, _range(values["wanted"])):
            found["Worker"].add(wanted[0])
            found["Version"].add(wanted[2])
        found["Version"].update(queue[1] for queue in _range(values["queue"]) if queue)
    for constant, ids in found.items():
        if len(ids) > len(_POOLS[constant]):
            raise UntellableError(f"{name} has {len(ids)} ids of {constant}; a world has {len(_POOLS[constant])}")
    return {constant: sorted(ids, key=format_value) for constant, ids in found.items()}


def _world(constants: Mapping[str, tuple[str, ...]], first: TraceState, steps: Sequence[Step]) -> World:
    """A world of these ids, in which each task of which History is asked has a run of its own."""
    carrying = _carrying(steps)
    runs = sum(step.action == "AddTask" and step.args[0] in carrying for step in steps)
    return World(
        active=all(value.truth for value in _range(first.values["active"])),
        hosts=constants["Host"],
        partitions=constants["Partition"],
        versions=constants["Version"],
        workers=constants["Worker"],
        polls=constants["Poll"],
        tasks=constants["Task"],
        events=tuple(f"r{number}/1" for number in range(1, max(1, runs) + 1)),
        prompt=False,
    )


def _carrying(steps: Iterable[Step]) -> frozenset[str]:
    return frozenset(step.args[0] for step in steps if step.action in _ASKS)


def _state(told: TraceState, model: Model, names: Mapping[Any, str], name: str) -> State:
    missing = [variable for variable in model.variables if variable not in told.values]
    if missing:
        raise UntellableError(f"{name} leaves {', '.join(missing)} without a value, so it is no step of {model.module}")
    more = sorted(set(told.values) - set(model.variables))
    if more:
        raise UntellableError(f"{name} is of more than {model.module}: it has {', '.join(more)} as well")
    return tuple(_renamed(told.values[variable], names) for variable in model.variables)


def _likeliest(allowed: Sequence[Step], args: Sequence[Any] | None, names: Mapping[Any, str]) -> Step:
    """The step with the arguments that TLC names, where it names them; otherwise the first."""
    if args is not None:
        wanted = _renamed(tuple(args), names)
        return next((step for step in allowed if step.args == wanted), allowed[0])
    return allowed[0]


def _nearest(model: Model, label: str | None, before: State, after: State, name: str) -> Step:
    """The instance of the action whose own outcome differs least from what is told."""
    if label is None:
        raise UntellableError(f"{name} has a step that the specification does not allow, and does not name its action")
    best: tuple[int, Step] | None = None
    for args in itertools.product(*(_choices(domain) for domain in domains_of(model, label))):
        step = Step(label, args)
        wrong = min((_differences(each, after) for each in _outcomes(model, step, before)), default=len(after))
        if best is None or wrong < best[0]:
            best = (wrong, step)
    assert best is not None, "an action has at least one instance"
    return best[1]


def _choices(domain: Any) -> Iterable[Any]:
    if isinstance(domain, frozenset):
        return sorted(domain, key=format_value)
    return range(3)  # the generations, which have no end in the judge


def _outcomes(model: Model, step: Step, before: State) -> list[State]:
    try:
        return model.apply(step.action, step.args, before)
    except EvaluationError:
        return []


def _differences(one: State, other: State) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def _bare(label: str | None, model: Model) -> str | None:
    """TLC names an action by the innermost definition that it finds; ``Next`` says nothing."""
    bare = (label or "").rpartition("!")[2]
    return bare if bare in model.actions else None


def _renamed(value: Any, names: Mapping[Any, str]) -> Any:
    if isinstance(value, ModelValue | str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_renamed(each, names) for each in value)
    if isinstance(value, frozenset):
        return frozenset(_renamed(each, names) for each in value)
    if isinstance(value, Fn):
        return make_function({_renamed(key, names): _renamed(item, names) for key, item in value.items()})
    return value


def _domain(value: Any) -> Iterable[Any]:
    return value.m.keys() if isinstance(value, Fn) else ()


def _range(value: Any) -> Iterable[Any]:
    return value.m.values() if isinstance(value, Fn) else ()
