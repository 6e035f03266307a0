"""Whoever asks a long command to stop gets its status, and no verdict about what was left half done."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.spec_survey import workers

FUZZ = """
import os, signal, sys
from conformance.cli import main
from conformance.recorder import Recorder

tell = Recorder.__call__
told = 0

def be_interrupted(recorder, *step):
    global told
    told += 1
    if told == 40:
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    return tell(recorder, *step)

Recorder.__call__ = be_interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever began us may ignore it
main(["fuzz", "polls", "--seed", "1", "--keep", sys.argv[2]])
"""
"""A fuzz that is interrupted when the service has taken a step and not yet told of it."""

DEAF = """
import os, signal
from conformance.cli.stopping import asked_to_stop

signal.signal(signal.SIGINT, signal.SIG_IGN)
with asked_to_stop() as stop:
    os.kill(os.getpid(), signal.SIGINT)
    print(stop())
"""
"""Work that ignores interrupts, as a shell has it of what runs in its background."""

LOOP = """
import asyncio, os, signal
import click
from conformance.cli.running import run_and_leave

async def wait():
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)
    await asyncio.sleep(30)

@click.command()
def command():
    asyncio.run(wait())

run_and_leave(command, "command")
"""
"""A command that is asked to end while its event loop runs a callback."""

JOB = """
from conformance.cli import all as main_job, main

main_job._program = lambda arguments: [
    "sh", "-c", "trap 'echo ended by itself; exit' TERM; sleep 1; kill -TERM $PPID; sleep 9 >&- 2>&- & wait"
]
main(["all"])
"""
"""A main job that is asked to end as soon as its first part has begun."""


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupt_in_the_middle_of_a_step_is_no_failure_of_the_service(
    tmp_path: Path, name: str, status: int
) -> None:
    ran = subprocess.run([sys.executable, "-c", FUZZ, name, tmp_path], capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stdout, ran.stderr.strip()) == (status, "seed 1\n", "conform: stopped")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_that_is_ignored_stops_nothing() -> None:
    ran = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, text=True, timeout=20)

    assert (ran.returncode, ran.stdout) == (0, "False\n")


def test_who_is_asked_to_end_in_a_callback_of_the_loop_ends() -> None:
    ran = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, timeout=20)

    assert (ran.returncode, ran.stderr) == (143, "command: stopped\n")


def test_a_part_of_the_main_job_may_end_what_it_has_begun() -> None:
    ran = subprocess.run([sys.executable, "-c", JOB], capture_output=True, text=True, timeout=20)

    assert (ran.returncode, ran.stdout) == (143, "ended by itself\n")


def begin_long_work_and_be_interrupted() -> None:
    with workers(2) as pool:
        for _ in range(8):
            pool.submit(signal.pause)
        raise KeyboardInterrupt


def test_workers_end_at_once_with_the_one_who_asked_them() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        begin_long_work_and_be_interrupted()

    assert time.monotonic() - began < 20
