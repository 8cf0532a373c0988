"""What a sweep found: its state on disk, what it proves of each operator, and the evidence and the conf made of that."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generators.files import write_if_changed
from generators.rendering import templates
from torch_fl.conf import CONFIGS, ConfError, conf_path, read_conf, route_of

EVIDENCE = "boxed_operators"


class State:
    """Results in a file, a line each, so that a sweep which was ended goes on where it was: the first line says of what they
    are, and results of anything else are dropped."""

    def __init__(self, path: Path | None, inputs: dict[str, str]) -> None:
        self.path = path
        self.results: list[dict[str, Any]] = []
        self._done: set[str] = set()
        if path is None:
            return
        first, *others = path.read_text(encoding="utf-8").splitlines() if path.is_file() else [""]
        if first == json.dumps(inputs, sort_keys=True):
            self.results = [json.loads(line) for line in others if line.endswith("}")]  # the last may be cut short
            self._done = {_key(result) for result in self.results}
        write_if_changed(path, "".join(f"{line}\n" for line in [json.dumps(inputs, sort_keys=True), *self._lines()]))

    def _lines(self) -> Iterable[str]:
        return (json.dumps(result) for result in self.results)

    def add(self, result: dict[str, Any]) -> None:
        self.results.append(result)
        self._done.add(_key(result))
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")

    def has(self, key: str) -> bool:
        return key in self._done


def _key(result: dict[str, Any]) -> str:
    return f"{result['suite']} {result['name']}"


@dataclass
class Findings:
    """Of results: `key` is the dispatch key whose kernels are swept, `routed` the operators that have a route."""

    results: Sequence[dict[str, Any]]
    key: str
    routed: Sequence[str]
    proven: set[str] = field(default_factory=set)
    wrong: dict[str, str] = field(default_factory=dict)  # operator -> in which entry, and what
    unexplained: dict[str, str] = field(default_factory=dict)  # an entry that failed although no operator did

    def __post_init__(self) -> None:
        routed = set(self.routed)
        for result in self.results:
            ran = set(result["ran"].get(self.key, ())) & routed
            if result["result"] == "passed":
                self.proven |= ran
            if result["result"] != "failed":
                continue
            self.proven |= ran & set(result.get("right", ()))
            wrong = {name: why for name, why in result.get("wrong", {}).items() if name in routed}
            for name, why in wrong.items():
                self.wrong.setdefault(name, f"{result['name']}: {_on_one_line(why)}")
            if not wrong:
                self.unexplained[_key(result)] = _on_one_line(result["why"])
        self.proven -= set(self.wrong)

    @property
    def fell_back(self) -> list[str]:
        """Routed operators that ran on the CPU all the same."""
        return sorted(set().union(*(result["ran"].get("fallback", ()) for result in self.results)) & set(self.routed))

    @property
    def not_run(self) -> list[str]:
        return sorted(set(self.routed) - self.proven - set(self.wrong))

    @property
    def suites(self) -> dict[str, dict[str, Any]]:
        counts: dict[str, dict[str, Any]] = {}
        for result in self.results:
            suite = counts.setdefault(result["suite"], {"passed": 0, "failed": 0, "excluded": 0, "checks": Counter()})
            suite[result["result"]] += 1
            suite["checks"].update(result["checks"])
        return counts

    def summary(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "routed": len(self.routed),
            "suites": self.suites,
            "proven": sorted(self.proven),
            "wrong": dict(sorted(self.wrong.items())),
            "unexplained": dict(sorted(self.unexplained.items())),
            "fell_back": self.fell_back,
            "not_run": self.not_run,
            "not_compared": grouped((r["name"], r["why"].split(": ")[0]) for r in self.results if _excluded(r)),
        }


def _excluded(result: dict[str, Any]) -> bool:
    return result["result"] == "excluded"


def _on_one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[:4])[:300]


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Reason -> the names that have it."""
    found: dict[str, list[str]] = {}
    for name, why in pairs:
        found.setdefault(why, []).append(name)
    return {why: sorted(names) for why, names in sorted(found.items())}


def render_conf(vendor: str, summary: dict[str, Any], known: Iterable[str], configs: Path = CONFIGS) -> str:
    """The conf that a sweep of every operator gives: what is proven is routed, what is wrong stands there with the reason.
    Lines for operators that are not `known`, which only other torch lines have, stay."""
    try:
        former = read_conf(conf_path(vendor, configs)).routes if conf_path(vendor, configs).is_file() else {}
    except ConfError:
        former = {}
    routes = {name: route for name, route in former.items() if name not in set(known)}
    routes |= dict.fromkeys(summary["proven"], route_of(summary["key"]))
    return (
        templates("runtime")
        .get_template("backends-measured.conf.j2")
        .render(vendor=vendor, routes=dict(sorted(routes.items())), wrong=summary["wrong"], not_run=summary["not_run"])
    )
