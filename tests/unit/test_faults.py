"""What an import that failed says, and the loop that mends it."""

import re
import shutil
import subprocess
import sys

import pytest

from generators.aten import AtenError
from generators.aten.faults import Ending, read_ending, read_mismatches, run_to_end, wrong_types_of_import
from generators.fixloop import Stuck, converge

# As torch 2.13 words it.
CAT = """\
Mismatch in kernel C++ signatures
  operator: aten::cat(Tensor[] tensors, int dim=0) -> Tensor
    registered at /__w/pytorch/pytorch/build/aten/src/ATen/RegisterSchema.cpp:6
  kernel 1: at::Tensor (c10::IListRef<at::Tensor> const&, long)
    dispatch key: Batched
    registered at /__w/pytorch/pytorch/aten/src/ATen/LegacyBatchingRegistrations.cpp:1076
  kernel 2: at::Tensor (c10::ArrayRef<at::Tensor>, long)
    dispatch key: PrivateUse1
    registered at kernels.cc:7

Exception raised from registerKernel at /__w/pytorch/pytorch/aten/src/ATen/core/dispatch/OperatorEntry.cpp:174 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>>) + 0x9d (0x7f in libc10.so)
"""
FOREACH = """\
Mismatch in kernel C++ signatures
  operator: aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
    registered at /__w/pytorch/pytorch/build/aten/src/ATen/RegisterSchema.cpp:6
  kernel 1: void (c10::ArrayRef<at::Tensor>, c10::Scalar const&)
    dispatch key: CompositeExplicitAutograd
    registered at /__w/pytorch/pytorch/build/aten/src/ATen/RegisterCompositeExplicitAutograd_0.cpp:16516
  kernel 2: void (c10::IListRef<at::Tensor> const&, c10::Scalar const&)
    dispatch key: PrivateUse1
    registered at kernels.cc:7
"""


def test_every_mismatch_of_one_import_is_read():
    first, second = read_mismatches(f"torch_fl: 2 kernels\n{CAT}\n{FOREACH}{CAT}")
    assert (first.operator, first.spelling, first.keys) == ("cat", "IListRef", ("PrivateUse1", "Batched"))
    assert first.given == "at::Tensor (c10::ArrayRef<at::Tensor>, long)"
    assert first.expected == "at::Tensor (c10::IListRef<at::Tensor> const&, long)"
    assert (second.operator, second.spelling) == ("_foreach_add_.Scalar", "ArrayRef")


def test_our_kernel_is_found_by_its_dispatch_key_not_by_its_place():
    """Whoever registers second meets the message, and that may be another library."""
    swapped = CAT.replace("Batched", "tmp").replace("PrivateUse1", "Batched").replace("tmp", "AutogradPrivateUse1")
    (fault,) = read_mismatches(swapped)
    assert fault.keys == ("AutogradPrivateUse1", "Batched") and fault.spelling == "ArrayRef"


def test_type_that_differs_in_more_than_a_list_has_no_spelling():
    (fault,) = read_mismatches(CAT.replace("ArrayRef<at::Tensor>, long", "ArrayRef<at::Tensor>, int"))
    assert fault.spelling == ""
    (fault,) = read_mismatches(FOREACH.replace("c10::IListRef<at::Tensor> const&, c10::Scalar const&", "c10::SymInt"))
    assert fault.spelling == ""


@pytest.mark.parametrize(
    ("text", "kind", "advice"),
    [
        (f"ImportError: {CAT}", "mismatch", "--fix"),
        ("ImportError: a.so: undefined symbol: _ZN2at4_ops3add4callEv", "undefined symbol", "another torch"),
        (
            "OSError: a.so: undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx1112basic_stringIcE",
            "ABI",
            "compiled_with_cxx11_abi",
        ),
        (
            "ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by a.so)",
            "ABI",
            "rebuild|build with",
        ),
        ("ERROR: AddressSanitizer: stack-overflow on address 0x7f", "stack overflow", "calls the operator"),
        ("Tried to access or call an operator with a wrong signature.", "wrong signature at the call", "SymInt"),
        ("libfoo.so: cannot open shared object file: No such file", "library not found", "ldd"),
        ("Traceback\nValueError: no conf", "error", "output"),
    ],
)
def test_each_end_is_told_apart_with_advice(text, kind, advice):
    ending = read_ending(text, 1)
    assert ending.kind == kind and re.search(advice, ending.advice) and ending.detail


def test_mismatch_that_was_only_reported_is_no_clean_end():
    assert read_ending(CAT, 0).kind == "mismatch"
    assert read_ending("all is well", 0) == Ending("clean")


CRASHES = {
    "stack overflow": "volatile int deep; int down(int n) { char room[4096]; room[n % 4096] = 1; deep = n;"
    " return down(n + 1) + room[deep % 4096]; } int main() { return down(0); }",
    "crash": "int main() { volatile int *nowhere = 0; return *nowhere; }",
}


@pytest.mark.parametrize("kind", CRASHES)
def test_full_stack_is_told_from_another_crash(kind, tmp_path):
    program = tmp_path / "program"
    command = [shutil.which("cc") or "gcc", "-O0", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=CRASHES[kind], text=True, check=True)
    ending, _ = run_to_end([str(program)], {})
    assert ending.kind == kind and ending.advice


def test_process_that_hangs_is_ended():
    ending, text = run_to_end(
        [sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)"], {}, 1.0
    )
    assert ending.kind == "timed out" and "begun" in text


def test_import_gives_its_mismatches_and_refuses_other_ends():
    def tell(text, status):
        return [sys.executable, "-c", f"import sys; sys.stderr.write({text!r}); sys.exit({status})"]

    assert [fault.operator for fault in wrong_types_of_import(tell(CAT + FOREACH, 1), {})] == [
        "cat",
        "_foreach_add_.Scalar",
    ]
    assert not wrong_types_of_import(tell("", 0), {})
    with pytest.raises(
        AtenError, match=r"(?s)undefined symbol: .*_ZN1aE.*last output.*likely    the library was built"
    ):
        wrong_types_of_import(tell("ImportError: a.so: undefined symbol: _ZN1aE", 1), {})


# ---- attempt, diagnose, amend


def test_loop_ends_with_the_first_candidate_that_has_no_fault():
    outcome = converge(3, lambda n: ["too many"] * n, lambda n, faults: (n - len(faults), f"took {len(faults)} away"))
    assert outcome.converged and outcome.candidate == 0
    assert outcome.properties() == {
        "attempt 1": "3 faults (too many, too many, too many); took 3 away",
        "attempt 2": "no fault",
    }


def test_loop_is_bounded_and_keeps_what_it_tried():
    outcome = converge(0, lambda n: [n], lambda n, _: (n + 1, "one more"), limit=3)
    assert not outcome.converged and outcome.candidate == 2 and len(outcome.steps) == 3
    assert outcome.stuck == "still 1 faults after 3 attempts" and outcome.properties()["stuck"] == outcome.stuck


def test_loop_tries_no_candidate_twice():
    outcome = converge(True, lambda _: ["fault"], lambda flag, _: (not flag, "turned"), limit=9)
    assert outcome.stuck == "goes in circles: 'turned' leads back to what attempt 1 tried" and len(outcome.steps) == 2


def test_amendment_may_give_up_with_a_reason():
    def give_up(_, faults):
        raise Stuck(f"nobody knows how to mend {faults[0]}")

    outcome = converge("x", lambda _: ["a crash"], give_up)
    assert outcome.stuck == "nobody knows how to mend a crash" and str(outcome.steps[0]) == "1 faults (a crash)"
