"""``conform explore``: every reachable state, by the evaluator that judges runs."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.tla.errors import TlaError
    from conformance.tla.explore import Exploration, Progress
    from conformance.tla.model import Model

__all__ = ["explore"]


@click.command()
@click.argument("module")
@click.option("--config", help="The cfg: a path, or the name of a model; by default the module's own.")
@click.option("--no-deadlock", is_flag=True, help="A state without a successor is no failure.")
@click.option(
    "--max-states", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Stop beyond this."
)
@click.option("--against-tlc", is_flag=True, help="Let TLC do the same, and compare states and edges.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explore(
    module: str, config: str | None, no_deadlock: bool, max_states: int, against_tlc: bool, as_json: bool
) -> int:
    """Explore a model breadth-first in Python.

    MODULE is a path, a module of the specification or of its models, or a recorded
    model by name.  SYMMETRY and VIEW are applied as TLC applies them.  Temporal
    properties are listed as unchecked; a model that is ok but for them exits 4, and so
    does a search that reaches --max-states.
    Where the specification asks for what has no value, as where TLC stops with an error,
    the verdict is "error", with its place, and the exit status 2.  Where it uses what is
    not evaluated here (conform doctor --language lists it), that says nothing of the
    specification: the verdict is then no error but "unsupported", and the exit status 2.
    """
    from conformance.cli.modules import find_model
    from conformance.tla.errors import EvaluationError, TlaError
    from conformance.tla.explore import breadth_first
    from conformance.tla.model import Model

    path, cfg = find_model(module, config)
    if not cfg.is_file():
        models = _models_of(path)
        instead = f"; explore one of its models: {', '.join(models)}" if models else ""
        raise click.UsageError(f"{path.name} has no cfg of its own; name one with --config{instead}")
    began = time.perf_counter()
    model: Model | None = None
    try:
        model = Model.load(path, cfg)
        with _progress(model.module) as progress:
            found = breadth_first(
                model, max_states=max_states, deadlock=False if no_deadlock else None, progress=progress
            )
    except TlaError as error:
        seconds = time.perf_counter() - began
        if as_json:
            told = _error_as_json(path, model, error, seconds)
            click.echo(json.dumps(told, indent=2, ensure_ascii=False))
        else:
            _print_error(path, model, error, seconds)
        if isinstance(error, EvaluationError) and (models := _models_of(path)):
            click.echo(f"conform explore: what has bounds are its models; explore {' or '.join(models)}", err=True)
        raise
    seconds = time.perf_counter() - began
    differences = _against_tlc(path, cfg, model, found, deadlock=not no_deadlock) if against_tlc else None
    if as_json:
        click.echo(json.dumps(_as_json(model, found, seconds, differences), indent=2, ensure_ascii=False))
    else:
        _print(model, found, seconds, differences)
    if found.verdict != "ok" or differences:
        return 1
    return 4 if found.unchecked_properties else 0


def _models_of(module: Path) -> list[str]:
    """The models of a module of the specification, by name."""
    from conformance.paths import models_directory, spec_directory

    if module.resolve().parent != spec_directory().resolve():
        return []
    return sorted(each.stem for each in models_directory().glob(f"MC{module.stem}.tla"))


@contextmanager
def _progress(name: str) -> "Iterator[Progress | None]":
    """A progress bar on stderr for a long search, where somebody looks at it."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit=" states", leave=False, desc=name, delay=1) as bar:

        def told(distinct: int, generated: int, depth: int) -> None:
            bar.set_postfix_str(f"{generated:,} generated, depth {depth}", refresh=False)
            bar.update(distinct - bar.n)

        yield told


def _against_tlc(module: Path, config: Path, model: "Model", found: "Exploration", *, deadlock: bool) -> list[str]:
    """Where TLC says something else: verdict and counts always, states and edges where the model completes."""
    from conformance.referee import compare_graphs, dump_of, graph_of
    from conformance.tla.tlc import run

    verdict = run(module, config, check_deadlock=deadlock)
    # The evaluator leaves temporal properties to TLC, and says so; that is no difference.
    word = "ok" if verdict.verdict == "liveness" else verdict.verdict
    if word != found.verdict:
        return [f"{found.verdict} here, {verdict.verdict} in TLC"]
    if found.verdict != "ok":
        ours, tlcs = len(found.counterexample), len(verdict.counterexample)
        return [] if ours == tlcs else [f"a counterexample of {ours} states here, {tlcs} in TLC"]
    pairs: Sequence[tuple[str, Any, Any]] = [
        ("distinct states", found.distinct, verdict.distinct),
        ("generated states", found.generated, verdict.generated if not verdict.temporal else found.generated),
        ("depth", found.depth, verdict.depth if verdict.depth is not None else found.depth),
    ]
    differences = [f"{what}: {mine} here, {theirs} in TLC" for what, mine, theirs in pairs if mine != theirs]
    has_graph = not model.is_constant and not model.config.symmetry and not model.config.view
    if verdict.completed and has_graph:
        differences += compare_graphs(graph_of(model), dump_of(module, config, model))
    return differences


def _print(model: "Model", found: "Exploration", seconds: float, differences: Sequence[str] | None) -> None:
    click.echo(
        f"{model.module}: {found.verdict}"
        + (f" ({found.violated})" if found.violated else "")
        + f", {found.distinct:,} states, {found.generated:,} generated, depth {found.depth}, {seconds:.1f} s"
    )
    if found.error:
        click.echo(found.error)
    before: dict[str, str] = {}
    for number, (step, state) in enumerate(found.counterexample, start=1):
        click.echo(f"{number:>3}  {step if step is not None else 'the beginning'}")
        shown = _shown(model, state)
        for name, value in shown.items():
            if value != before.get(name):
                click.echo(f"       {name} = {value}")
        before = shown
    if model.program.order_dependent:
        places = ", ".join(map(str, model.program.order_dependent))
        click.echo(f"chosen by the order in which names stand in the text: the CHOOSE at {places}")
    if found.unchecked_properties:
        click.echo(f"unchecked, as they are temporal: {', '.join(found.unchecked_properties)}")
    for difference in differences or ():
        click.echo(f"!  {difference}")
    if differences == []:
        click.echo("TLC says the same")


def _shown(model: "Model", state: tuple[Any, ...]) -> dict[str, str]:
    from conformance.tla.values import format_value

    return {name: format_value(value) for name, value in model.as_mapping(state).items()}


def _error_as_json(module: Path, model: "Model | None", error: "TlaError", seconds: float) -> dict[str, Any]:
    """What is known where a model could not be explored to an end: the error, its place, and the counts so far."""
    found: Exploration | None = getattr(error, "exploration", None)
    place = error.location
    return {
        "module": module.stem,
        "verdict": error.verdict,
        "property": None,
        "error": error.message,
        "location": None if place is None else {"module": place.module, "line": place.line, "column": place.column},
        "chain": [str(each) for each in error.chain],
        "distinct": found.distinct if found else None,
        "generated": found.generated if found else None,
        "depth": found.depth if found else None,
        "seconds": round(seconds, 2),
        "unchecked_properties": list(found.unchecked_properties) if found else [],
        "order_dependent": [str(each) for each in model.program.order_dependent] if model else [],
        "counterexample": _trace(model, found) if found and model else [],
    }


def _print_error(module: Path, model: "Model | None", error: "TlaError", seconds: float) -> None:
    """How far the search came, the definitions that the error came through, and the states that led there."""
    found: Exploration | None = getattr(error, "exploration", None)
    if model is not None and found is not None:
        _print(model, found, seconds, None)
    elif error.verdict != "error":
        click.echo(f"{module.stem}: {error.verdict}")
    for place in error.chain:
        click.echo(f"  in {place}")


def _trace(model: "Model", found: "Exploration") -> list[dict[str, Any]]:
    from conformance.tla.values import format_value

    return [
        {
            "action": step.action if step is not None else None,
            "args": [format_value(value) for value in step.args] if step is not None else [],
            "state": _shown(model, state),
        }
        for step, state in found.counterexample
    ]


def _as_json(model: "Model", found: "Exploration", seconds: float, differences: list[str] | None) -> dict[str, Any]:
    return {
        "module": model.module,
        "verdict": found.verdict,
        "property": found.violated,
        "error": found.error,
        "location": None,
        "chain": [],
        "distinct": found.distinct,
        "generated": found.generated,
        "depth": found.depth,
        "assumptions": found.assumptions,
        "seconds": round(seconds, 2),
        "taken": dict(found.taken),
        "unchecked_properties": list(found.unchecked_properties),
        "order_dependent": [str(each) for each in model.program.order_dependent],
        "counterexample": _trace(model, found),
        "differences_from_tlc": differences,
    }
