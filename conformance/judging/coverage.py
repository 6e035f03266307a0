"""What a set of runs took of the specification, and what they put at stake, merged over all of them.

Four rules:

1. It is asked for or it costs nothing: without it a judge is not even looked at.
2. Where several states fit a step, its disjuncts and what it put at stake are not known
   and are not counted; its action is.
3. A set of runs of which no action was recognised shows nothing, and is weak.
4. What stands inside a place that was never at stake is not told beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final
from weakref import WeakKeyDictionary

import attrs

from conformance.judge import Judge
from conformance.judging.verdict import TraceVerdict
from conformance.tla.model import Model, State, Step
from conformance.tla.sites import Site, Sites
from conformance.trace.step import TraceStep

__all__ = ["Coverage"]

_WHY: Final = {
    "implication": "the left side was never true",
    "quantifier": "the set was always empty",
    "arm": "it never came to this",
    "change": "no step changed what it is about",
}


@attrs.define
class Coverage:
    """The merged coverage of runs that are judged by one specification; ids may differ from run to run."""

    model: Model
    runs: int = 0
    actions: Counter[str] = attrs.field(factory=Counter)
    disjuncts: Counter[Site] = attrs.field(factory=Counter)
    at_stake: set[Site] = attrs.field(factory=set)
    uncertain: int = 0
    """How many steps several states fit."""
    _sites: WeakKeyDictionary[Model, Sites] = attrs.field(factory=WeakKeyDictionary, repr=False)
    _all: list[Site] = attrs.field(factory=list, repr=False)

    @property
    def sites(self) -> list[Site]:
        """Everything that could be taken or put at stake."""
        if not self._all:
            self._all.extend(Sites(self.model).all())
        return self._all

    def watch(self, judge: Judge, told: Iterator[tuple[TraceStep, Any]]) -> Iterator[tuple[TraceStep, Any]]:
        """The same steps, each looked at once the judge has judged it."""
        sites = self._sites.get(judge.model)
        if sites is None:
            sites = self._sites[judge.model] = Sites(judge.model)
        before = _only_state(judge)
        if before is not None:
            sites.see_state(before)
        for step, values in told:
            yield step, values
            if judge.divergence is not None:
                break
            after = _only_state(judge)
            if after is not None:
                sites.see_state(after)
            if step.action is not None:
                if before is None or after is None or step.args is None:
                    self.uncertain += 1
                else:
                    self.disjuncts.update(sites.see_step(Step(step.action, step.args), before, after))
            before = after
        self.at_stake |= {site for site in sites.hit if site.kind != "disjunct"}
        yield from told

    def add(self, verdict: TraceVerdict) -> None:
        """Count the actions of one run."""
        self.runs += 1
        self.actions.update(verdict.actions)

    @property
    def never_taken(self) -> list[str]:
        """The actions that no run takes."""
        return [name for name in self.model.actions if not self.actions[name]]

    @property
    def missing_disjuncts(self) -> list[Site]:
        """The disjuncts that no run takes, of the actions that some run takes; the outermost ones."""
        disjuncts = [site for site in self.sites if site.kind == "disjunct"]
        missing = {site for site in disjuncts if self.actions[site.owner] and not self.disjuncts[site]}
        return [site for site in disjuncts if site in missing and site.outer not in missing]

    @property
    def never_at_stake(self) -> list[Site]:
        """The implications and quantifiers that could not have failed in any run; the outermost ones."""
        stakes = [site for site in self.sites if site.kind != "disjunct"]
        missing = set(stakes) - self.at_stake
        return [site for site in stakes if site in missing and site.outer not in missing]

    def weaknesses(self) -> list[str]:
        """What is missing, a sentence each; empty where the runs are strong."""
        if not sum(self.actions.values()):
            return [f"no action of {self.model.module} was recognised in {self.runs} runs, so they show nothing"]
        found = [f"no run takes {', '.join(self.never_taken)}"] if self.never_taken else []
        found += [f"no run takes this disjunct of {site.owner}: {site}" for site in self.missing_disjuncts]
        found += [f"{site.owner} is never at stake: {_why(site)}" for site in self.never_at_stake]
        return found

    def lines(self) -> list[str]:
        """The coverage for a person."""
        taken = [name for name in self.model.actions if self.actions[name]]
        width = max((len(name) for name in self.model.actions), default=0)
        lines = [f"coverage   {len(taken)} of {len(self.model.actions)} actions taken in {self.runs} runs"]
        for name in self.model.actions:
            lines.append(f"  {name:<{width}}  {self.actions[name] or 'never taken'}")
            for site in self.sites:
                if site.kind == "disjunct" and site.owner == name and self.actions[name]:
                    lines.append(f"  {'':<{width}}    {self.disjuncts[site] or 'never taken':<11}  {site}")
        if self.uncertain:
            lines.append(f"  {self.uncertain} steps that several states fit are counted by their actions alone")
        stakes = [*self.model.invariants, *self.model.step_properties]
        weak = dict.fromkeys(site.owner for site in self.never_at_stake)
        lines.append(
            f"at stake   {len(stakes) - len(weak)} of {len(stakes)} invariants and step properties, in all parts"
        )
        lines += [f"  {site.owner}: {_why(site)}" for site in self.never_at_stake]
        return lines

    def as_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "runs": self.runs,
            "actions": {name: self.actions[name] for name in self.model.actions},
            "never_taken": self.never_taken,
            "disjuncts": [
                {**_as_json(site), "taken": self.disjuncts[site]} for site in self.sites if site.kind == "disjunct"
            ],
            "never_at_stake": [_as_json(site) for site in self.never_at_stake],
            "uncertain_steps": self.uncertain,
            "missing": self.weaknesses(),
        }


def _only_state(judge: Judge) -> State | None:
    """The state in which the run is, where that is one."""
    fitting = judge.candidates
    return fitting[0] if len(fitting) == 1 and judge.lost is None else None


def _why(site: Site) -> str:
    return f"{_WHY[site.kind]} ({site})"


def _as_json(site: Site) -> dict[str, Any]:
    place = site.location
    return {
        "in": site.owner,
        "kind": site.kind,
        "module": place.module,
        "line": place.line,
        "column": place.column,
        "via": [str(each) for each in site.via],
        "text": site.text,
    }
