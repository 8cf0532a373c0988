"""The gates of the running route find an operator that the conf routes and that runs elsewhere."""

from tests.unit.children import run_pytest

LOST = ("addmm", "_index_put_impl_", "mm_out")  # each is what one of the gates looks for
GATES = ("training", "attention", "cold_start")


def test_operators_that_fall_back_fail_the_gates(tmp_path):
    lost = {f"FLAGOS_OP_{name}": "fallback" for name in LOST}
    chosen = " or ".join(f"route.{gate}" for gate in GATES)
    run = run_pytest(
        "gates/cuda_compat/test_route.py", "--vendor", "host", "-k", chosen, junit=tmp_path / "junit.xml", **lost
    )
    assert run.statuses == {f"cuda_compat.route.{gate}": "FAIL" for gate in GATES}, run.output
    assert run.output.count("did not run on the key") >= len(GATES), run.output
