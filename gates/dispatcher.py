"""What the dispatcher of an installed torch accepts, asked by a small program that is built once."""

from __future__ import annotations

import hashlib
import subprocess

from filelock import FileLock

from gates.status import fail
from generators.aten import AtenError
from generators.aten.lines import TorchLine
from generators.aten.operators import Catalogue
from generators.aten.sources import TEMPLATES
from generators.aten.spelling import compiler
from generators.build import BUILD
from generators.files import digest, write_if_changed

ANSWERS = {"1": "accepted", "0": "refused", "-1": "no such operator"}


def ask_dispatcher(line: TorchLine, catalogue: Catalogue) -> dict[tuple[str, str], str]:
    """(operator, spelling) -> "accepted", "refused" or "no such operator", for every type that the catalogue knows."""
    operators = [operator for operator in catalogue.operators if operator.routable or operator.spelling]
    source = TEMPLATES.get_template("dispatcher_probe.cc.j2").render(operators=operators)
    torch = line.root / "torch"
    content = hashlib.sha256((source + digest(torch / "lib/libc10.so") + line.version).encode()).hexdigest()[:16]
    folder = BUILD / "aten/probe"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"dispatcher_{content}"
    with FileLock(folder / "lock"):
        if not program.exists():
            write_if_changed(program.with_suffix(".cc"), source)
            libraries = [
                f"-L{torch / 'lib'}",
                f"-Wl,-rpath,{torch / 'lib'}",
                "-Wl,--no-as-needed",
                "-ltorch_cpu",
                "-lc10",
            ]
            part = program.with_suffix(".part")
            _run(
                [
                    *_compiler(),
                    "-std=c++20",
                    "-w",
                    f"-I{line.include}",
                    str(program.with_suffix(".cc")),
                    *libraries,
                    "-o",
                    str(part),
                ]
            )
            part.rename(program)
    rows = (text.split() for text in _run([str(program)]).splitlines())
    return {(name, spelling.strip("-")): ANSWERS[answer] for name, spelling, answer in rows}


def _compiler() -> list[str]:
    try:
        return compiler()
    except AtenError as error:
        fail("the dispatcher cannot be asked", found=str(error))


def _run(command: list[str]) -> str:
    child = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if child.returncode != 0:
        fail(
            "the dispatcher cannot be asked",
            found=(child.stderr.strip() or f"exit status {child.returncode}")[:1500],
            where=" ".join(command)[:300],
        )
    return child.stdout
