"""A module under a configuration, ready to judge.

Four rules:

1. A state is a tuple of values in the order of the variables' declarations.
2. The named action is asked first (`Model.allows`); who else allows the step is
   worked out only on request.
3. An invariant is asked once for each combination of the variables it reads.
4. What TLC would stop at is an `EvaluationError` that knows its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from conformance.tla.asked import alone, looks_ahead, refusal, refuse_next, refuse_parameters, refuse_states
from conformance.tla.binding import Domain, bind, default_config, with_cycles, with_values
from conformance.tla.checks import Invariants, StepProperties
from conformance.tla.compile.leaves import Leaf, leaves
from conformance.tla.compile.program import Branch, Program
from conformance.tla.config import Config, parse_config
from conformance.tla.depth import deeper, rest_deeper
from conformance.tla.errors import FAULTS, DepthError, Location, SpecError
from conformance.tla.properties import Instanced, Parts, classify
from conformance.tla.readings import reading_of
from conformance.tla.sany import load_tree
from conformance.tla.step import Step
from conformance.tla.tree import Assumption, Definition, ModuleTree

__all__ = ["Action", "Model", "State", "Step"]

State = tuple[Any, ...]


@attrs.frozen(eq=False)
class Action:
    """A named action of Next."""

    name: str
    parameters: tuple[str, ...]
    domains: tuple[Any, ...]
    location: Location
    reading: str
    definition: Definition
    branches: tuple[Branch, ...]


@attrs.frozen(eq=False)
class Property:
    """A property of the configuration, in its parts."""

    name: str
    parts: Parts


class Model:
    """What a specification allows, and what it forbids."""

    def __init__(self, tree: ModuleTree, config: Config, constants: Mapping[str, Any] | None = None) -> None:
        tree = with_values(tree, config)
        self.config = config
        self.module = tree.root
        self.owner = tree.files[tree.root]
        self.variables: tuple[str, ...] = tuple(d.name for d in tree.variables)
        self._index = {name: i for i, name in enumerate(self.variables)}
        given, operators, overrides = bind(tree, config, constants or {})
        self.tree = tree = with_cycles(tree, operators, overrides)
        self.constants: Mapping[str, Any] = given
        self.program = Program(tree, given, operators, overrides, config.words)
        self.invariants: tuple[str, ...] = config.invariants
        refuse_parameters(config, self.definition)
        refuse_states(config, self.program)
        self._init, self._next = self._specification()
        self.branches: tuple[Branch, ...] = tuple(self.program.branches(self._next)) if self._next else ()
        self.actions: Mapping[str, Action] = self._actions()
        self.properties = tuple(self._property(name) for name in config.properties)
        self.step_properties = tuple(p.name for p in self.properties if p.parts.step or p.parts.always)
        self.temporal_properties = tuple(p.name for p in self.properties if p.parts.temporal)
        self._allows: dict[str, Callable[..., bool]] = {}
        self._given: dict[str, list[Callable[..., Any]]] = {}
        self._leaves: list[Leaf] | None = None
        self._invariants: Invariants | None = None
        self._follow: list[Callable[[State], Any] | None] = [None] * len(self.branches)
        self._step_properties: StepProperties | None = None

    @classmethod
    def load(
        cls,
        module: Path,
        config: Config | Path | None = None,
        *,
        constants: Mapping[str, Any] | None = None,
        search: tuple[Path, ...] = (),
    ) -> Model:
        """The model of a module file; without a configuration, of the module's own Init, Next and nothing else."""
        module = Path(module)
        tree = load_tree(module, (*search, module.parent.parent))
        if isinstance(config, Path):
            config = parse_config(config)
        return cls(tree, config if config is not None else default_config(tree), constants)

    # --- what there is ------------------------------------------------------------------------

    @property
    def next_name(self) -> str | None:
        """The name of the next-state relation, where it has one."""
        return self._next.name if self._next is not None and self._next.name in self.tree.visible else None

    def definition(self, name: str) -> Definition:
        """What a name stands for; another definition, where the configuration replaces it."""
        uid = self.tree.visible.get(name)
        if uid is None:
            raise SpecError(f"{self.config.name} names {name}, and {self.module} does not define it")
        return self.program.know.definition(uid)

    def state_from(self, mapping: Mapping[str, Any]) -> State:
        """A state from its variables by name; each must be there."""
        missing = [name for name in self.variables if name not in mapping]
        if missing:
            raise SpecError(f"the state gives no value to {', '.join(missing)}")
        return tuple(mapping[name] for name in self.variables)

    def as_mapping(self, state: State) -> dict[str, Any]:
        return dict(zip(self.variables, state, strict=True))

    # --- behaviour ----------------------------------------------------------------------------

    def initial_states(self) -> Iterator[State]:
        """Every initial state; repeated where Init reaches it in several ways, as TLC counts."""
        if self._init is None:
            raise SpecError(f"{self.config.name} names no initial predicate; give SPECIFICATION or INIT")
        if looks_ahead(self.program, self._init):
            refusal(self.program, "the initial predicate", self._init)()
        told = 0
        try:
            for told, state in enumerate(self.program.initial(self._init)(), 1):  # noqa: B007
                yield state
        except FAULTS as error:
            yield from rest_deeper(self._deep(error), told, self.initial_states)

    def is_initial(self, state: State) -> bool:
        if self._init is None:
            raise SpecError(f"{self.config.name} names no initial predicate; give SPECIFICATION or INIT")
        return bool(self._ask(self.program.predicate(self._init, self.program.know.root), state, None))

    def successors(self, state: State, names: Collection[str] | None = None) -> Iterator[tuple[Step, State]]:
        """Every step from a state; repeated where Next reaches it in several ways, as TLC counts.

        Where names are given, only the steps of those actions.
        """
        told = 0
        try:
            for number, branch in enumerate(self.branches):
                name = branch.label.name
                if names is not None and name not in names:
                    continue
                follow = self._follow[number]
                if follow is None:
                    follow = self._follow[number] = self.program.follow(branch)
                for args, following in follow(state):
                    yield Step(name, args), following
                    told += 1
        except FAULTS as error:
            yield from rest_deeper(self._deep(error), told, self.successors, state, names)

    def prepare(self) -> list[Leaf]:
        """The parts of Next; a `SpecError` where it has none, as with a quantifier over an empty set."""
        if self._leaves is None:
            if self._init is not None:
                refuse_next(self.config, self.program, self._next)
            self._leaves = leaves(self.program, self._next) if self._next else []
        return self._leaves

    def enabled(self, state: State) -> list[Step]:
        """The steps that are possible, each once."""
        return list(dict.fromkeys(step for step, _ in self.successors(state)))

    def allows(self, action: str, args: tuple[Any, ...], state: State, next_state: State) -> bool:
        """Whether the named action, with these arguments, is the step from one state to the next."""
        asked = self._allows.get(action)
        if asked is None:
            asked = self._allows[action] = self._predicate(action)
        try:
            return bool(asked(state, next_state, *args))
        except FAULTS as error:
            return deeper(self._deep(error), self.allows, action, args, state, next_state)
        except TypeError:
            wanted = self.actions[action].parameters
            if len(args) != len(wanted):
                raise SpecError(f"{action} takes ({', '.join(wanted)}), and {len(args)} arguments are given") from None
            raise

    def apply(self, action: str, args: tuple[Any, ...], state: State) -> list[State]:
        """The states to which the named action, with these arguments, leads; mostly none or one."""
        given = self._given.get(action)
        if given is None:
            given = self._given[action] = self._with_arguments(action)
        try:
            found = [following for follow in given for following in follow(state, *args)]
        except FAULTS as error:
            return deeper(self._deep(error), self.apply, action, args, state)
        return found if len(found) < 2 else list(dict.fromkeys(found))

    def check_step(self, state: State, next_state: State) -> list[Step]:
        """Every named action, with its arguments, that allows the step."""
        found: dict[Step, None] = {}
        try:
            for branch in self.branches:
                name = branch.label.name
                asked = self._allows.get(name)
                if asked is None:
                    asked = self._allows[name] = self._predicate(name)
                own = branch.body is not branch.label.body
                for args in self.program.instances(branch)(state, next_state):
                    if own or asked(state, next_state, *args):
                        found[Step(name, args)] = None
        except FAULTS as error:
            return deeper(self._deep(error), self.check_step, state, next_state)
        return list(found)

    def check_state(self, state: State, since: State | None = None) -> list[str]:
        """The invariants that fail.

        ``since`` is a state in which all hold: what reads only values that are the
        very same objects there is not asked again.
        """
        try:
            if self._invariants is None:
                self._invariants = Invariants(self.program, map(self.definition, self.invariants))
            return self._invariants.failing(state, since)
        except FAULTS as error:
            return deeper(self._deep(error), self.check_state, state, since)

    def check_step_properties(self, state: State, next_state: State) -> list[str]:
        """The step properties that fail."""
        try:
            if self._step_properties is None:
                formulas = [
                    (prop.name, *placed) for prop in self.properties for placed in prop.parts.step + prop.parts.always
                ]
                self._step_properties = StepProperties(self.program, formulas)
            return [*(self._step_properties.failing(state, next_state) | dict.fromkeys(self._not_always(next_state)))]
        except FAULTS as error:
            return deeper(self._deep(error), self.check_step_properties, state, next_state)

    def check_initial(self, state: State) -> list[str]:
        """The properties whose part about the first state, or about every state, fails in an initial one."""
        failed: dict[str, None] = {}
        for prop in self.properties:
            for node, env in prop.parts.initial:
                if not self._ask(self.program.predicate(node, env), state, None):
                    failed[prop.name] = None
        return [*failed, *(name for name in self._not_always(state) if name not in failed)]

    def _not_always(self, state: State) -> list[str]:
        return [
            prop.name
            for prop in self.properties
            for node, env in prop.parts.always
            if not self.program.predicate(node, env)(state, None)
        ]

    def check_assumptions(self) -> list[Location]:
        """The places of the assumptions that are false; how many there are is `assumptions`."""
        return [self.tree.location(each.where) for each in self.tree.assumptions if not self.assumes(each)]

    def assumes(self, assumption: Assumption) -> bool:
        """Whether the assumption is true of the constants."""
        with self.program.registers.opened():
            return bool(self._ask(self.program.predicate(assumption.body, self.program.know.root), None, None))

    @property
    def is_constant(self) -> bool:
        """Whether there is no behaviour to look at, only assumptions; so it is without variables."""
        return not self.variables and self._init is None and self._next is None

    @property
    def assumptions(self) -> int:
        return len(self.tree.assumptions)

    def within_constraints(self, state: State) -> bool:
        return all(self.truth(name, state, None) for name in self.config.constraints)

    def within_action_constraints(self, state: State, next_state: State) -> bool:
        return all(self.truth(name, state, next_state) for name in self.config.action_constraints)

    def evaluate(self, name: str, state: State | None = None, next_state: State | None = None) -> Any:
        """The value of a definition without parameters; a predicate's is TRUE or FALSE."""
        definition = self.definition(name)
        if definition.params:
            raise SpecError(f"{name} has parameters; only a definition without them has a value")
        with self.program.registers.opened():
            ahead = self.program.expression(definition) if next_state is not None else None
            return self._ask(ahead or alone(self.program, name, definition, truth=False), state, next_state)

    def truth(self, name: str, state: State | None, next_state: State | None = None) -> bool:
        """The truth of a predicate without parameters."""
        definition = self.definition(name)
        ahead = self.program.action(definition) if next_state is not None else None
        return bool(self._ask(ahead or alone(self.program, name, definition, truth=True), state, next_state))

    def _ask(self, function: Callable[[Any, Any], Any], state: State | None, next_state: State | None) -> Any:
        try:
            return function(state, next_state)
        except FAULTS as error:
            return deeper(self._deep(error), self._ask, function, state, next_state)

    def _deep(self, error: BaseException) -> DepthError:
        """The error, explained: raised, unless a larger stack may be of help."""
        explained = self.program.explain_error(error)
        if isinstance(explained, DepthError):
            return explained
        raise explained from error

    # --- how it is put together ---------------------------------------------------------------

    def _with_arguments(self, action: str) -> list[Callable[..., Any]]:
        """For each disjunct of the action the next states, of (state, *arguments)."""
        self._predicate(action)
        return [self.program.given(branch) or self._sifted(branch) for branch in self.actions[action].branches]

    def _sifted(self, branch: Branch) -> Callable[..., Iterator[State]]:
        follow = self.program.follow(branch)
        return lambda state, *args: (following for given, following in follow(state) if given == args)

    def _predicate(self, action: str) -> Callable[..., bool]:
        if action not in self.actions:
            known = ", ".join(sorted(self.actions)) or "none"
            raise SpecError(f"{self.module} has no action {action}; its actions are {known}")
        return self.program.action(self.actions[action].definition)

    def _specification(self) -> tuple[Any, Definition | None]:
        if self.config.specification is None:
            init = self.definition(self.config.init).body if self.config.init else None
            return init, self.definition(self.config.next) if self.config.next else None
        if not self.variables:
            return None, None
        definition = self.definition(self.config.specification)
        assert definition.body is not None
        root = self.program.know.root
        parts = classify(definition.body, root, self.program.know)
        if len(parts.step) != 1 or not parts.initial:
            place = self.tree.location(definition.where)
            raise SpecError(f"{definition.name} is not of the form Init /\\ [][Next]_v", place)
        node, env = parts.step[0]
        names = Instanced(self.tree, self.program.know, definition)
        following = names.here(node[3][0], env)
        if following[0] == "d" and not following[3]:
            chosen = self.program.know.definition(following[2])
        else:
            # A next-state relation without a name is labelled by the specification.
            chosen = attrs.evolve(definition, name="Next", body=following)
        nodes = [names.here(part, place) for part, place in parts.initial]
        return nodes[0] if len(nodes) == 1 else ["b", definition.where, "$ConjList", nodes, None], chosen

    def _actions(self) -> dict[str, Action]:
        groups: dict[str, list[Branch]] = {}
        for branch in self.branches:
            groups.setdefault(branch.label.name, []).append(branch)
        made = {}
        for name, branches in groups.items():
            definition = branches[0].label
            location = self.tree.location(definition.where)
            parameters = tuple(self.tree.formals[uid][0] for uid in definition.params)
            made[name] = Action(
                name,
                parameters,
                self._domains(branches[0]),
                location,
                reading_of(self.tree, location),
                definition,
                tuple(branches),
            )
        return made

    def _domains(self, branch: Branch) -> tuple[Any, ...]:
        """For each parameter the set that Next takes it from, where that is a constant; else None."""
        found: dict[int, Any] = {}
        for node, env in branch.quantifiers:
            for uids, _, domain in node[4]:
                for uid in uids:
                    found[uid] = (domain, env)
        domains: list[Domain | None] = []
        for argument in branch.arguments:
            source = found.get(argument[2]) if argument[0] == "f" else None
            if source is not None and self.program.know.constant(*source):
                domains.append(Domain(self.program, *source))
            else:
                domains.append(None)
        return tuple(domains)

    def _property(self, name: str) -> Property:
        definition = self.definition(name)
        assert definition.body is not None
        return Property(name, classify(definition.body, self.program.know.root, self.program.know))
