"""Runs TLC on one model and gives a `Verdict`.

Four rules:

1. A run happens in a private folder that holds only the modules and the cfg that
   it needs, under a bare module name: TLC loads any class file that lies beside a
   module, and runs that share a folder ruin each other.  Any number may run at once.
2. What cannot be sound is refused before Java starts: symmetry with liveness.
3. What proves nothing is said aloud: nothing checked, or liveness under a constraint.
4. Deadlock is checked unless the caller declines it (TLC's own flag, ``-deadlock``,
   switches it *off*); a deadlock ends the run before liveness is looked at.
"""

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import attrs

from conformance.tla.config import Config, parse_config
from conformance.tla.errors import SpecError, UnsupportedError
from conformance.tla.process import run_process
from conformance.tla.sany import find_module, mentioned
from conformance.tla.text import read_source
from conformance.tla.tlc_messages import Code, Message, MessageReader
from conformance.tla.tlc_verdict import Complaint, Coverage, TraceState, Verdict, read_verdict
from conformance.tla.toolchain import find_jar, java_command

__all__ = ["Complaint", "Coverage", "Progress", "TraceState", "Verdict", "needed_modules", "run", "supported_options"]

_PROGRESS = re.compile(
    r"Progress\((-?\d+)\) at .*?: (-?[\d,]+) states generated.*?,"
    r" (-?[\d,]+) distinct states found.*?, (-?[\d,]+) states left"
)
_COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\(\*.*?\*\)|\\\*[^\n]*', re.DOTALL)
_CALLED = re.compile(r"^(?:\\E\b[^:]*:\s*)*(?P<name>[A-Za-z_]\w*)\s*(?:\([^()]*\))?$")
"""One action, under quantifiers or not."""
_DEFINED = re.compile(r"^\s*([A-Za-z_]\w*)\s*(?:\([^()]*\))?\s*==", re.MULTILINE)
_DEADLOCK = re.compile(
    r"(\\\*[^\n]*|\(\*.*?\*\)|\"(?:\\.|[^\"\\\n])*\")|\bCHECK_DEADLOCK\s+(?:TRUE|FALSE)\b", re.DOTALL
)
_EVERY_TLC = frozenset(
    {"-continue", "-fp", "-simulate", "-depth", "-seed", "-dfid", "-difftrace", "-nowarning", "-view"}
)
_LIVENESS = re.compile(r"(?<!<)<>(?!>)|~>|-\+->|\b[WS]F_|!")


@attrs.frozen
class Progress:
    """How far a search is."""

    depth: int
    generated: int
    distinct: int
    queued: int


def run(
    module: Path,
    config: Path,
    *,
    workers: int = 1,
    check_deadlock: bool = True,
    coverage: bool = False,
    dump: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    timeout_s: float | None = None,
    heap_mb: int = 1024,
    short: bool = False,
    search: Sequence[Path] = (),
    arguments: Sequence[str] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Verdict:
    """Check the model that ``module`` and ``config`` are.

    Modules are looked for beside ``module``, then in the folder above it, then in
    ``search``.  ``dump`` receives the state graph in the dot language, edges
    labelled with their actions.  ``short`` says that the run is expected to take a few
    seconds: it starts faster, and a long one would be slower.  ``arguments`` are handed to TLC as they are.
    ``stop`` is asked again and again, and ends the run as the timeout does.
    """
    modules = needed_modules(module, search)
    cfg = parse_config(config)
    check_deadlock = check_deadlock and cfg.check_deadlock is not False
    _refuse_unsupported(arguments)
    _refuse_symmetry_with_liveness(cfg, modules)
    reader = MessageReader()
    messages: list[Message] = []

    def take(line: str) -> None:
        for message in reader.feed(line):
            messages.append(message)
            if progress is not None and (now := _progress(message)):
                progress(now)

    with tempfile.TemporaryDirectory(prefix="conform-tlc-") as name:
        private = Path(name)
        for path in modules:
            shutil.copyfile(path, private / path.name)
        (private / f"{module.stem}.cfg").write_text(_without_deadlock(config), encoding="utf-8")
        scratch = private / "scratch"
        scratch.mkdir()
        (private / "states").mkdir()
        options = ["-tool", "-workers", str(workers), "-metadir", "states", "-config", f"{module.stem}.cfg"]
        if not check_deadlock:
            options.append("-deadlock")
        if coverage:
            options += ["-coverage", "1"]
        if dump is not None:
            options += ["-dump", "dot,actionlabels", "graph"]
        asked = [*options, *arguments, module.stem]
        command = java_command("tlc2.TLC", asked, scratch=scratch, heap_mb=heap_mb, short=short)
        finished = run_process(command, folder=private, timeout_s=timeout_s, on_line=take, stop=stop)
        if dump is not None and (private / "graph.dot").is_file():
            shutil.copyfile(private / "graph.dot", dump)
    messages += reader.finish()
    verdict = read_verdict(messages, finished.exit_status, finished.complaints)
    verdict = attrs.evolve(
        verdict,
        seconds=finished.seconds,
        errors=tuple(_plain(error) for error in verdict.errors),
        counterexample=tuple(_with_name(state, modules) for state in verdict.counterexample),
    )
    verdict = _with_doubts(_with_property(verdict, cfg, modules), cfg, check_deadlock=check_deadlock)
    if verdict.verdict == "liveness":
        from conformance.tla.lasso import lasso_doubts

        doubts = lasso_doubts(verdict, module, config, tuple(search))
        verdict = attrs.evolve(verdict, warnings=(*verdict.warnings, *doubts))
    return verdict


def needed_modules(module: Path, search: Sequence[Path] = ()) -> list[Path]:
    """``module`` and every module of ours that it extends or instances, in any depth."""
    if not module.is_file():
        raise SpecError(f"{module} is not there; name the .tla file of the model")
    folders = [module.parent, module.parent.parent, *search]
    found: dict[str, Path] = {module.stem: module}
    waiting = [module]
    while waiting:
        for name in mentioned(waiting.pop().read_text(encoding="utf-8")):
            path = find_module(name, folders)
            if name not in found and path is not None:
                found[name] = path
                waiting.append(path)
    return list(found.values())


def supported_options() -> frozenset[str]:
    """The options that this TLC knows, as its own help lists them.

    Raises:
        ToolMissingError: there is no Java, or no TLC.
    """
    return _options_of(find_jar(), find_jar().stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _options_of(jar: Path, written: int) -> frozenset[str]:
    with tempfile.TemporaryDirectory(prefix="conform-tlc-") as name:
        command = java_command("tlc2.TLC", ["-help"], scratch=Path(name), heap_mb=64)
        lines = run_process(command, folder=Path(name), timeout_s=60).output
    return frozenset(option for line in lines for option in re.findall(r"(?:^|[{|\[ ])(-[a-z]\w*)", line))


def _refuse_unsupported(arguments: Sequence[str]) -> None:
    """Ask TLC what it knows, before anything is run, where an option is not one that every version has."""
    asked = [each for each in arguments if re.fullmatch(r"-[A-Za-z]\w*", each) and each not in _EVERY_TLC]
    lacking = [option for option in asked if option not in supported_options()]
    if lacking:
        raise UnsupportedError(
            f"this TLC does not support the option {', '.join(lacking)}; leave it out, or name a newer jar with"
            " TLA2TOOLS_JAR"
        )


def _without_deadlock(config: Path) -> str:
    """The cfg's text for any TLC: old ones do not know CHECK_DEADLOCK, whose place is kept empty."""
    return _DEADLOCK.sub(lambda match: match[1] or "", read_source(config))


def _with_name(state: TraceState, modules: Sequence[Path]) -> TraceState:
    """The state with the action at the place that TLC gives, where its label says only that it is one of Next."""
    if state.action is None or state.location is None:
        return state
    place = state.location
    path = next((path for path in modules if path.stem == place.module), None)
    if path is None:
        return state
    lines = read_source(path).split("\n")
    told = lines[place.line - 1 : place.end_line]
    told[-1] = told[-1][: place.end_column]
    told[0] = told[0][place.column - 1 :]
    called = _CALLED.match(" ".join(told).strip())
    defined = {name for each in modules for name in _DEFINED.findall(read_source(each))}
    return attrs.evolve(state, action=called["name"]) if called and called["name"] in defined else state


def _without_comments(text: str) -> str:
    """The text with its comments blanked; strings stay, so that text in quotes opens no comment."""
    return _COMMENTS.sub(lambda match: match[0] if match[0].startswith('"') else " ", text)


def _progress(message: Message) -> Progress | None:
    if message.code not in (Code.PROGRESS, Code.SIMULATION_PROGRESS):
        return None
    found = _PROGRESS.search(message.text)
    return Progress(*(int(number.replace(",", "")) for number in found.groups())) if found else None


def _refuse_symmetry_with_liveness(cfg: Config, modules: Sequence[Path]) -> None:
    """Symmetry hides and invents violations of liveness; TLC merely warns, and not always.

    A step property is safe, and so is a specification without fairness that is refined.
    Whatever is not plainly one of these is taken for liveness.
    """
    if not cfg.symmetry:
        return
    texts = _texts(modules)
    for name in cfg.properties:
        origin = _origin(name, texts)
        body = _definition(texts[origin[0]], origin[1]) if origin else ""
        if "[][" not in body.replace(" ", "") or _LIVENESS.search(body):
            raise SpecError(
                f"the property {name} is checked under SYMMETRY, where liveness means nothing;"
                " check it in a model of its own, without symmetry"
            )


def _texts(modules: Sequence[Path]) -> dict[str, str]:
    """The modules' texts without comments, by the modules' names."""
    return {path.stem: _without_comments(path.read_text(encoding="utf-8")) for path in modules}


def _origin(name: str, texts: Mapping[str, str]) -> tuple[str, str] | None:
    """The module in which a definition has its body, and its name there; a name may be one through an instance."""
    if "!" in name:
        alias, name = name.split("!", 1)
        instance = next((found for text in texts.values() if (found := _definition(text, alias))), "")
        instantiated = re.match(r"\s*INSTANCE\s+(\w+)", instance)
        home = instantiated[1] if instantiated else None
    else:
        home = next((stem for stem, text in texts.items() if _definition(text, name)), None)
    if home is None or home not in texts:
        return None
    named = re.fullmatch(r"\s*(\w+!\w+)\s*", _definition(texts[home], name))
    return _origin(named[1], texts) if named else (home, name)


def _definition(text: str, name: str) -> str:
    """The text of a definition: up to the next line that begins another one."""
    found = re.search(rf"^{re.escape(name)}\s*==(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def _with_property(verdict: Verdict, cfg: Config, modules: Sequence[Path]) -> Verdict:
    """Name the property where TLC does not: the only one there is, or the one at the place that it gives."""
    if verdict.verdict == "liveness" and verdict.violated is None and len(cfg.properties) == 1:
        return attrs.evolve(verdict, violated=cfg.properties[0])
    texts, violated = _texts(modules), verdict.violated or ""
    if place := re.match(r"line (\d+), .* of module (\w+)", violated):
        broken = _defined_at(place[2], int(place[1]), modules)
    else:
        broken = _origin(violated, texts) if "!" in violated else None
    if broken is None:
        return verdict
    meant = [name for name in cfg.properties if _origin(name, texts) == broken]
    return attrs.evolve(verdict, violated=meant[0] if meant else broken[1])


def _defined_at(module: str, line: int, modules: Sequence[Path]) -> tuple[str, str] | None:
    """The definition of a module that has this line, which counts from 1."""
    text = next((path.read_text(encoding="utf-8") for path in modules if path.stem == module), "")
    above = "\n".join(text.split("\n")[:line])
    names = re.findall(r"^([A-Za-z_]\w*)\s*==", above, re.MULTILINE)
    return (module, names[-1]) if names else None


def _with_doubts(verdict: Verdict, cfg: Config, *, check_deadlock: bool) -> Verdict:
    """Say what the run did not show."""
    doubts: list[str] = []
    vacuous = False
    if verdict.temporal and cfg.symmetry:
        complaint = Complaint("liveness was checked under SYMMETRY, which is unsound; remove SYMMETRY from the cfg")
        return attrs.evolve(verdict, verdict="error", errors=(*verdict.errors, complaint))
    if verdict.temporal and (cfg.constraints or cfg.action_constraints):
        doubts.append("liveness under CONSTRAINT is vacuous: the behaviours that would refute it are cut off")
        vacuous = verdict.verdict == "ok"
    if verdict.temporal and not verdict.liveness_evaluated:
        doubts.append(f"liveness was not evaluated: the run ended before, with {verdict.verdict}")
    if not cfg.invariants and not cfg.properties and (cfg.specification or cfg.init):
        doubts.append("no invariant and no property is checked" + (", only deadlock" if check_deadlock else ""))
        vacuous = vacuous or (verdict.verdict == "ok" and not check_deadlock)
    if verdict.verdict == "ok" and verdict.distinct == 0 and (cfg.specification or cfg.init):
        doubts.append("no state satisfies the initial predicate: nothing was checked")
        vacuous = True
    return attrs.evolve(verdict, warnings=(*verdict.warnings, *doubts), vacuous=vacuous)


def _plain(complaint: Complaint) -> Complaint:
    """An option that this TLC lacks is said to be that."""
    if complaint.code == Code.USAGE:
        option = complaint.text.partition("unrecognized option:")[2].split("\n")[0].strip()
        if option:
            return attrs.evolve(complaint, text=f"this TLC does not support the option {option}")
    return complaint
