"""Work on several threads: what one of them raises is not lost."""

from gates.status import check
from gates.threads import in_threads


def test_every_seed_runs_and_every_failure_is_told():
    seen = []

    def work(seed):
        seen.append(seed)
        check(seed != 2, "two is wrong", found=seed)
        if seed == 3:
            raise ValueError("three")

    problems = sorted(in_threads(work, count=5))
    assert sorted(seen) == [0, 1, 2, 3, 4]
    assert len(problems) == 2
    assert "thread 2" in problems[0] and "two is wrong" in problems[0]
    assert problems[1] == "thread 3: ValueError: three"


def test_nothing_wrong_is_an_empty_list():
    assert in_threads(lambda seed: None) == []
